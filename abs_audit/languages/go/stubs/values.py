"""Values for the types of a Go signature, where nothing shows typical ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from abs_audit.languages.drafting import MissingError, complete
from abs_audit.languages.go.stubs.call_sites import CallSites
from abs_audit.languages.go.stubs.extraction import guesses
from abs_audit.languages.go.stubs.snippet import BENCH, Edit, Snippet, edited, joined
from abs_audit.languages.go.stubs.types import Placed, Site, Types, free_functions, parameters, results
from abs_audit.languages.go.toolchain.layout import Package
from abs_audit.languages.go.toolchain.outline import Function, declared_in, is_exported
from abs_audit.languages.go.toolchain.promotion import Holder
from abs_audit.languages.syntax import in_field, nodes, text_in, text_of, walk
from abs_audit.tables import table

DEEPEST = 3
FILLED = 1
"""Depth up to which the fields of a struct are filled in: of what lies deeper they are too many."""
_VALUES = table("languages/go/stubs/values.toml")
BASIC: Mapping[str, str] = _VALUES["basic"]
STANDARD = {kind: (text, path) for path, texts in _VALUES["standard"].items() for kind, text in texts.items()}
"""Type of the standard library → text, and the import that it needs."""
# What a text is likely to be, by the name of its parameter.
MEANT = ((r"method$|^verb", '"GET"'), (r"path$|pattern|ur[li]$|route|prefix", '"/example"'))
# Types whose zero value is nil, but slices.
NIL = {"pointer_type", "map_type", "channel_type", "function_type", "interface_type"}
# Their zero values work; those of pointers, maps, channels, functions and interfaces do not.
WORKING = ("sync.", "atomic.", "time.", "bytes.Buffer", "strings.Builder")


class Values:
    """Writes values down as one package's tests can name them."""

    def __init__(self, types: Types, call_sites: CallSites, clause: Package) -> None:
        self._types, self._call_sites, self._clause = types, call_sites, clause
        self._arguments: Mapping[str, str] = {}
        self._names: set[str] = set()
        self._lines: set[str] = set()
        self.invented = False
        """Whether anything was made up so far."""

    def instance(self, holder: Holder, depth: int = 0) -> Snippet | None:
        """Return a value of a type: as tests make it, by a constructor, else its zero."""
        # The names of a set-up must mean nothing else in what was made before.
        seen = (
            snippet
            for snippet in self._call_sites.instances(holder, self._clause.path)
            if not (snippet.names & self._names) or set(snippet.setup) <= self._lines
        )
        made = next(seen, None)
        for constructor in () if made else _constructors(holder):
            made = made or self._constructed(holder, constructor, depth)
        made = made or self._zero(holder) or self._literal(holder, depth)
        if made is not None:
            self._names |= made.names - {"err"}
            self._lines |= set(made.setup)
        return made

    def value(self, node: Node, site: Site, depth: int = 0) -> Snippet | None:
        """Return a simple value of the type that a text names; None where none is known to be fit."""
        self.invented = True
        text = "".join(text_of(node).split())
        if text in BASIC or self._arguments.get(text) in BASIC:
            return Snippet(text=BASIC[self._arguments.get(text, text)])
        qualified = text if "." in text or text == "error" else ""
        if qualified in STANDARD:
            value, path = STANDARD[qualified]
            return Snippet(text=value, imports=frozenset({("", path)}))
        if node.type in {"slice_type", "map_type"}:
            return self._collection(node, site, depth)
        if node.type == "function_type":
            return self._callback(node, site)
        holder = self._types.named(node, site)
        if holder is None or depth >= DEEPEST:
            return None
        file, declared = holder.package.types[holder.name]
        target = in_field(declared.node, "type")
        if target is not None and target.type == "function_type" and not self._arguments:
            return self._callback(target, Site(package=holder.package, file=file))
        made = self._implementation(holder, depth) or self.instance(holder, depth + 1)
        return _referred(made, node.type == "pointer_type") if made else None

    def arguments(self, function: Function, site: Site, depth: int = 0) -> list[Snippet]:
        """Return a value for each parameter; raise MissingError with the one that nothing is known about."""
        self._arguments = _instantiation(function)
        if in_field(function.node, "type_parameters") and not self._arguments:
            raise MissingError("its type arguments")
        given = []
        names = declared_in(function.node, "parameters")
        for index, (node, variadic) in enumerate(parameters(function), start=1):
            name = names[index - 1] if index <= len(names) and text_of(node) == "string" else ""
            meant = next((text for pattern, text in MEANT if re.search(pattern, name, re.IGNORECASE)), "")
            value = Snippet(text=meant) if meant else self.value(node, site, depth)
            if value is None and not variadic:
                raise MissingError(f"argument {index}, of type {' '.join(text_of(node).split())}")
            given += [value] if value is not None else []
        return given

    def type_text(self, node: Node, site: Site) -> Snippet | None:
        """Return how the tests' package writes a type; None where it must not name it."""
        edits, imports = list[Edit](), set[tuple[str, str]]()
        for inner in nodes(node, "type_identifier", "package_identifier"):
            name, package = text_of(inner), site.package
            is_qualified = inner.parent is not None and inner.parent.type == "qualified_type"
            if inner.type == "package_identifier":
                imports |= {
                    imported
                    for imported in site.file.outline.imports
                    if name in guesses(imported[1]) | {imported[0]}
                }
            elif name in self._arguments:
                edits.append((inner, self._arguments[name]))
            elif name in package.types and package != self._clause and not is_qualified:
                if not is_exported(name):
                    return None
                edits.append((inner, f"{package.name}.{name}"))
                imports.add(("", package.path))
        return Snippet(text=edited(node, edits), imports=frozenset(imports))

    def name(self, package: Package, name: str) -> Snippet | None:
        """Return how the tests' package writes a name of another one; None where it must not name it."""
        if package.path == self._clause.path:
            return Snippet(text=name)
        written = Snippet(text=f"{package.name}.{name}", imports=frozenset({("", package.path)}))
        return written if is_exported(name) else None

    def _constructed(self, holder: Holder, placed: Placed, depth: int) -> Snippet | None:
        constructor = placed.function
        callee = self.name(holder.package, constructor.name)
        if callee is None:
            return None
        try:
            given = self.arguments(constructor, placed, depth + 1)
        except MissingError:
            return None
        name = variable(holder.name)
        texts = ", ".join(argument.text for argument in given)
        call = f"{callee.text}{type_arguments(constructor.node)}({texts})"
        failing = len(results(constructor.node)) > 1
        lines = [f"{name}{', err' * failing} := {call}"]
        lines += [f"if err != nil {{\n\t{BENCH}.Fatal(err)\n}}"] if failing else []
        return joined(given, lines, name, callee)

    def _zero(self, holder: Holder) -> Snippet | None:
        """Return the zero value of a type where its fields show that it is fit for use."""
        self.invented = True
        declared = holder.package.types[holder.name][1]
        target, written = in_field(declared.node, "type"), self.name(holder.package, holder.name)
        if target is None or written is None:
            return None
        kind = {"slice_type": "nil", "map_type": "{}", "struct_type": "{}"}.get(target.type, "")
        if target.type == "type_identifier" and text_of(target) in BASIC:
            return replace(written, text=f"{written.text}({BASIC[text_of(target)]})")
        if not kind or (target.type == "struct_type" and not _is_working(target, holder.package)):
            return None
        arguments = type_arguments(declared.node)
        name, full = variable(holder.name), f"{written.text}{arguments}"
        if in_field(declared.node, "type_parameters") and not arguments:
            return None
        return joined([], [f"var {name} {full}" if kind != "{}" else f"{name} := {full}{{}}"], name, written)

    def _literal(self, holder: Holder, depth: int) -> Snippet | None:
        """Return a struct that others may fill in, with what is easily made in its fields."""
        file, declared = holder.package.types[holder.name]
        written, site = self.name(holder.package, holder.name), Site(package=holder.package, file=file)
        # The first list is its own; those of structs within it follow.
        body = next(nodes(declared.node, "field_declaration_list"), None)
        parts = body.named_children if body is not None else []
        fields = [part for part in parts if part.type == "field_declaration"]
        named = [(field, name) for field in fields for name in field.children_by_field_name("name")]
        # What others cannot name its own code sets later.
        shown = [(field, name) for field, name in named if is_exported(text_of(name))]
        if depth > FILLED or declared.kind != "struct" or (named and not shown) or written is None:
            return None
        if in_field(declared.node, "type_parameters"):
            return None
        made = {
            text_of(name): value
            for field, name in shown
            if (kind := in_field(field, "type")) and (value := self.value(kind, site, depth + 1))
        }
        texts = ", ".join(f"{name}: {value.text}" for name, value in made.items())
        name = variable(holder.name)
        return joined([*made.values()], [f"{name} := {written.text}{{{texts}}}"], name, written)

    def _implementation(self, holder: Holder, depth: int) -> Snippet | None:
        """Return a value for an interface of the project: of the first type that has its methods."""
        declared = holder.package.types[holder.name][1]
        if declared.kind != "interface":
            return None
        for package in {holder.package.path: holder.package, self._clause.path: self._clause}.values():
            structs = (name for name, (_, candidate) in package.types.items() if candidate.kind == "struct")
            for other in (Holder(package=package, name=name) for name in structs):
                fits = all(self._types.method(other, own) for own in declared.members)
                if fits and (made := self.instance(other, depth + 1)):
                    return _referred(made, True)
        return None

    def _callback(self, node: Node, site: Site) -> Snippet | None:
        """Return a function that does nothing, if what it returns has a zero value that is easily written."""
        written = self.type_text(node, site)
        zeros = complete(map(_zero_value, results(node)))
        if written is None or zeros is None:
            return None
        body = f" return {', '.join(zeros)} " if zeros else ""
        return replace(written, text=f"{written.text} {{{body}}}")

    def _collection(self, node: Node, site: Site, depth: int) -> Snippet | None:
        written = self.type_text(node, site)
        element = in_field(node, "element", "value")
        key = in_field(node, "key")
        parts = complete(self.value(part, site, depth + 1) for part in (key, element) if part is not None)
        if written is None or parts is None:
            return None
        return joined(parts, [], f"{written.text}{{{': '.join(value.text for value in parts)}}}", written)


def _zero_value(node: Node) -> str | None:
    """Return the zero value of a type; None where its text does not tell what that is."""
    text = text_of(node)
    if node.type in NIL or node.type == "slice_type" or text in {"error", "any"}:
        return "nil"
    return {"bool": "false", "string": '""'}.get(text, "0" if text in BASIC else None)


def type_arguments(declared: Node) -> str:
    """Return the type arguments for a generic function or type where nothing else shows them."""
    chosen = _chosen(in_field(declared, "type_parameters"))
    return f"[{', '.join(chosen.values())}]" if chosen else ""


def variable(type_name: str) -> str:
    """Return a name for a value of a type."""
    return f"{type_name[:1].lower()}{type_name[1:]}Value" if len(type_name) < 2 else f"a{type_name}"


def _referred(made: Snippet, pointer: bool) -> Snippet:
    """Return a pointer to a value where one is asked for and it is none yet."""
    value = re.compile(rf"var {re.escape(made.text)} [^*]|{re.escape(made.text)} := [\w.\[\], ]+\{{")
    is_value = any(value.match(line) for line in made.setup)
    return replace(made, text=f"&{made.text}") if pointer and is_value else made


def _constructors(holder: Holder) -> Iterator[Placed]:
    """Yield the functions of a package that return one of its types, usual names and short lists first."""
    ranked = []
    for placed in free_functions(holder.package):
        function = placed.function
        given = [text_of(node).lstrip("*").partition("[")[0] for node in results(function.node)]
        if not placed.file.is_test and given[:1] == [holder.name] and len(given) <= 2:
            usual = function.name.startswith(("New", "new", "Default", "Make", "Must"))
            ranked.append((not usual, len(parameters(function)), function.name, placed))
    yield from (placed for *_, placed in sorted(ranked, key=lambda entry: entry[:3]))


def _is_working(struct: Node, package: Package, depth: int = 0) -> bool:
    """Tell whether the zero value of a type can be used: nothing in it has to be made first."""
    for inner in walk(struct):
        if inner.type in NIL:
            return False
        if inner.type == "qualified_type" and not text_of(inner).startswith(WORKING):
            return False
        declared = package.types.get(text_of(inner)) if inner.type == "type_identifier" else None
        target = in_field(declared[1].node, "type") if declared else None
        if target is not None and (depth > DEEPEST or not _is_working(target, package, depth + 1)):
            return False
        if inner.type == "type_identifier" and text_of(inner) in {"any", "error"}:
            return False
    return True


def _instantiation(function: Function) -> dict[str, str]:
    """Return type parameter → type argument, for a function and for the type of its receiver."""
    return _chosen(in_field(function.node, "type_parameters")) or {
        text_of(inner): "int"
        for receiver in function.node.children_by_field_name("receiver")
        for arguments in nodes(receiver, "type_arguments")
        for inner in nodes(arguments, "type_identifier")
    }


def _chosen(listed: Node | None) -> dict[str, str]:
    """Return a type for each type parameter; nothing where a constraint is not a usual one."""
    choices: dict[str, str] = {}
    for parameter in listed.named_children if listed is not None else ():
        constraint = text_in(parameter, "type")
        allowed = [word.strip().lstrip("~") for word in constraint.split("|")]
        usual = constraint in {"any", "comparable", "interface{}"} or constraint.startswith(
            ("cmp.", "constraints.")
        )
        choice = "int" if usual else next((word for word in allowed if word in BASIC), "")
        if not choice:
            return {}
        choices |= {text_of(name): choice for name in parameter.children_by_field_name("name")}
    return choices
