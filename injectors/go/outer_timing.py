"""Times a call from outside of its body, where a `defer` inside would slow the body down in every mode.

Go compiles a `defer` into plain code at each `return`, unless a function has more than eight of them, or
more than fifteen when multiplied by its returns: such a function pays 10 ns and more at each exit, even if
nothing was deferred. There the site calls another function, which defers and calls the body again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from tree_sitter import Node

from abs_audit.languages.go.toolchain.outline import Function, declared_in
from abs_audit.languages.syntax import Splice, ancestors, in_field, text_in, text_of

_MOST_DEFERS = 8
_MOST_EXITS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """How a function calls itself through another one."""

    call: str
    """Statement of the site."""
    naming: tuple[Splice, ...]
    """Gives names to parameters that have none."""
    declaration: str
    """The other function, for the end of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameter:
    name: str
    type: str
    variadic: bool


def must_not_defer(function: Function) -> bool:
    """Tell whether one more `defer` would take the compiler's short way with them away."""
    body = in_field(function.node, "body")
    assert body is not None
    inside = list(_inside(body))
    defers = [node for node in inside if node.type == "defer_statement"]
    exits = sum(node.type == "return_statement" for node in inside)
    around = (takewhile(lambda outer: outer != body, ancestors(node)) for node in defers)
    if any(outer.type == "for_statement" for outers in around for outer in outers):
        return False
    return _is_short(len(defers), exits) and not _is_short(len(defers) + 1, exits)


def _is_short(defers: int, exits: int) -> bool:
    return defers <= _MOST_DEFERS and defers * exits <= _MOST_EXITS


def _inside(node: Node) -> Iterator[Node]:
    """Yield the nodes of a body, without those of functions in it."""
    for child in node.named_children:
        if child.type != "func_literal":
            yield child
            yield from _inside(child)


def relay(function: Function, name: str, number: int) -> Relay | None:
    """Return how to call a function again; None where that would not be the same.

    `recover` works only in what was deferred itself, and a parameter may hide what is to be called.
    """
    node = function.node
    body, result = in_field(node, "body"), in_field(node, "result")
    assert body is not None
    calls = [text_in(call, "function") for call in _inside(body) if call.type == "call_expression"]
    types = declared_in(node, "type_parameters")
    naming: list[Splice] = []
    parameters = list(_parameters(in_field(node, "parameters"), f"{name}A", naming))
    receivers = list(_parameters(in_field(node, "receiver"), f"{name}R", naming))
    named_results = declared_in(node, "result") if result and result.type == "parameter_list" else ()
    hidden = {parameter.name for parameter in parameters}.union(named_results)
    if "recover" in calls or (not receivers and hidden & {function.name, *types}) or "_" in types:
        return None
    arguments = ", ".join(parameter.name + "..." * parameter.variadic for parameter in parameters)
    own = ", ".join(f"{name}P{at}" + "..." * parameter.variadic for at, parameter in enumerate(parameters))
    listed = "".join(
        f", {name}P{at} {'...' * parameter.variadic}{parameter.type}"
        for at, parameter in enumerate(parameters)
    )
    holder = f"{receivers[0].name}." if receivers else ""
    called = f"{function.name}[{', '.join(types)}]" if types else function.name
    generic = text_in(node, "type_parameters")
    instance = f"[{', '.join(types)}]" if types else ""
    before = f"({name}R {receivers[0].type}) " if receivers else ""
    through = f"{name}R." if receivers else ""
    call = f"{holder}{name}{number}{instance}({name}T{', ' if arguments else ''}{arguments})"
    declaration = (
        f"\nfunc {before}{name}{number}{generic}({name}T int64{listed}) {text_of(result)} {{"
        f" defer {name}.S{number}.Exit({name}T);"
        f" {'return ' if result is not None else ''}{through}{called}({own}) }}\n"
    )
    return Relay(
        call=f"return {call}" if result is not None else f"{call}; return",
        naming=tuple(naming),
        declaration=declaration,
    )


def _parameters(node: Node | None, stem: str, naming: list[Splice]) -> Iterator[_Parameter]:
    """Yield the parameters of a list, each with a name; those that have none are given one."""
    for number, declared in enumerate(node.named_children if node is not None else ()):
        kind = in_field(declared, "type")
        variadic = declared.type == "variadic_parameter_declaration"
        names = declared.children_by_field_name("name")
        if declared.type == "comment" or kind is None:
            continue
        if not names:
            naming.append(Splice(start=declared.start_byte, text=f"{stem}{number} "))
            yield _Parameter(name=f"{stem}{number}", type=text_of(kind), variadic=variadic)
        for index, written in enumerate(names):
            name = text_of(written)
            if name == "_":
                name = f"{stem}{number}_{index}"
                naming.append(Splice(start=written.start_byte, end=written.end_byte, text=name))
            yield _Parameter(name=name, type=text_of(kind), variadic=variadic)
