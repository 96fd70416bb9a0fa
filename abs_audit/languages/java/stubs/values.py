"""Values for the parameters of Java methods: usual ones of the JDK's types, instances of the library's."""

import re
from collections.abc import Callable, Iterator
from itertools import chain

from abs_audit.languages.drafting import complete
from abs_audit.languages.java.stubs.library import Library, alike, constants, methods
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.tables import table

DEEPEST = 3
MOST_MAKERS = 8
"""Methods that are tried for what they return."""
NAME = "\1{}\2"
"""Stands for a type until it is known which names the file imports."""
THROWS = "\3"
"""Marks an expression that may throw a checked exception."""
Visible = Callable[[LibraryType], bool]
"""Whether a benchmark may name a type."""
# Not every number counts something: `numberOfDigits` of a hundred is refused where three do.
COUNT = re.compile(r"count|turns|times", re.IGNORECASE)
SIZE = re.compile(r"size|capacity|limit|max", re.IGNORECASE)
PLACE = re.compile(r"offset|index|start|begin|position", re.IGNORECASE)
PARSING = re.compile(r"(parse|read|decode|load|open|from|valueOf|get)", re.IGNORECASE)


def named(canonical: str) -> str:
    """Return a mark that becomes the name of a type, as the file may write it."""
    bare = canonical.rstrip("[]")
    return NAME.format(bare) + canonical[len(bare) :] if "." in bare else canonical


def head(expression: str) -> str:
    """Return the type that an expression begins with: what it makes, or whose factory it calls."""
    head = re.match(f"{THROWS}*(?:new )?" + NAME.format("([^\2]*)"), expression)
    return head[1] if head else ""


_TYPE = re.compile(r"`([^`]+)`")
VALUES = {
    kind: _TYPE.sub(lambda written: named(written[1]), text)
    for kind, text in table("languages/java/stubs/values.toml").items()
}


class Values:
    """Makes expressions for types, of public members of types that a benchmark sees."""

    def __init__(self, library: Library, sees: Visible, *, far: bool = False) -> None:
        """Take what other types' methods return for an instance, too, where `far`."""
        self._library, self._sees, self._far = library, sees, far

    def value(self, canonical: str, name: str, depth: int = 0) -> str | None:
        """Return an expression for a type, None where nothing shows how to make one."""
        for names, number in ((COUNT, "100"), (SIZE, "1024"), (PLACE, "0")):
            if canonical in {"int", "long"} and names.search(name):
                return number if canonical == "int" else f"{number}L"
        if canonical in VALUES:
            return VALUES[canonical]
        if canonical.endswith("[]"):
            element = self.value(canonical[:-2], name, depth)
            return f"new {named(canonical)} {{{element}, {element}, {element}}}" if element else None
        declared = self._library.canonical.get(canonical)
        return self.instance(declared, depth) if declared is not None else None

    def instance(
        self, holder: LibraryType, depth: int = 0, without: MethodDeclaration | None = None
    ) -> str | None:
        """Return an instance of a type of the library: a constant, or what the easiest maker returns.

        Heirs that override the method `without` are left out: a call of it would not reach it.
        """
        if depth > DEEPEST or not self._sees(holder) or not holder.is_static or overrides(holder, without):
            return None
        for name in constants(holder):
            return f"{named(holder.canonical)}.{name}"
        for maker in _makers(holder, self._library):
            given = self._given(maker, holder, depth)
            if given is not None:
                return (THROWS if maker.throws else "") + _made(maker, holder, given)
        own = self._library.heirs.get(holder.binary, ())
        heirs = (self.instance(heir, depth + 1, without) for heir in own)
        return next(chain(filter(None, heirs), self._returned(holder, depth) if self._far else ()), None)

    def _returned(self, holder: LibraryType, depth: int) -> Iterator[str]:
        """Yield what methods of other types return, as builders and collections of factories do."""
        for declaring, maker in self._library.returning.get(holder.canonical, ())[:MOST_MAKERS]:
            if declaring is holder or not self._sees(declaring):
                continue
            static = "static" in maker.modifiers
            owner = named(declaring.canonical) if static else self.instance(declaring, depth + 1)
            given = self._given(maker, declaring, depth) if owner is not None else None
            if given is not None:
                yield f"{THROWS * maker.throws}{owner}.{maker.name}({given})"

    def _given(self, maker: MethodDeclaration, holder: LibraryType, depth: int) -> str | None:
        """Return the arguments of a constructor or factory."""
        given = complete(
            self.value(self._library.kind(written, holder, maker), name, depth + 1)
            for written, name in zip(maker.parameters, maker.names, strict=True)
        )
        return ", ".join(given) if given is not None else None


def overrides(holder: LibraryType, method: MethodDeclaration | None) -> bool:
    """Tell whether a type has a method of its own in the place of another's."""
    if method is None or any(own is method for own in holder.declaration.methods):
        return False
    return bool(alike(holder, method.name, len(method.parameters)))


def diamond(holder: LibraryType) -> str:
    """Return what lets javac find a type's arguments; nothing where it has none or bounds for them."""
    variables = holder.declaration.variables
    return "<>" if variables and not any(variable.bound for variable in variables) else ""


def _made(maker: MethodDeclaration, holder: LibraryType, given: str) -> str:
    """Return the call of a constructor or factory."""
    if maker.name == CONSTRUCTOR:
        return f"new {named(holder.canonical)}{diamond(holder)}({given})"
    return f"{named(holder.canonical)}.{maker.name}({given})"


def _makers(holder: LibraryType, library: Library) -> list[MethodDeclaration]:
    """Return what makes instances: factories that fill them, constructors, factories that read something."""
    ranked: list[tuple[int, int, MethodDeclaration]] = []
    abstract = holder.declaration.kind == "interface" or "abstract" in holder.declaration.modifiers
    for method in methods(holder):
        constructs = method.name == CONSTRUCTOR
        result = library.kind(method.result, holder, method) if method.result is not None else ""
        factory = "static" in method.modifiers and result == holder.canonical
        if not holder.shows(method) or not (factory or constructs) or (constructs and abstract):
            continue
        kinds = [library.kind(written, holder, method) for written in method.parameters]
        pairs = zip(method.names, kinds, strict=True)
        numbers = any(COUNT.search(name) and kind == "int" for name, kind in pairs)
        reads = factory and not numbers and PARSING.match(method.name)
        filled = factory and numbers and len(method.parameters) == 1
        ranked.append((2 if reads else 0 if filled else 1, len(method.parameters), method))
    return [maker for *_, maker in sorted(ranked, key=lambda each: each[:2])]
