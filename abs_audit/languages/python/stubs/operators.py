"""How Python itself calls the methods with two underscores: operators, builtins and statements."""

import ast
from collections.abc import Mapping, Sequence

from abs_audit.tables import table

_TABLES = table("languages/python/stubs/operators.toml")
SIGNS: Mapping[str, str] = _TABLES["signs"]
"""Method → the sign between its operands."""


def _sign(text: str) -> type[ast.AST]:
    """Return how syntax trees name a sign."""
    node = ast.parse(f"a {text} b", mode="eval").body
    return type(node.ops[0] if isinstance(node, ast.Compare) else vars(node)["op"])


BY_SIGN = {_sign(text): method for method, text in SIGNS.items()}
"""The same by the type of the sign's node in a syntax tree."""
_NAMESAKES = "len str repr hash bool int float complex bytes abs iter next reversed round divmod format dir"
BUILTIN_CALLS: Mapping[str, str] = {
    "list": "__iter__",
    **{name: f"__{name}__" for name in _NAMESAKES.split()},
}
UNARY: Mapping[str, str] = _TABLES["unary"]
FUNCTIONS: Mapping[str, str] = {
    **{method: name for name, method in BUILTIN_CALLS.items()},
    **_TABLES["functions"],
}
"""Method → the function that calls it; dotted where it has to be imported."""
STATEMENTS: Mapping[str, str] = _TABLES["statements"]


def operation(method: str, receiver: str, args: Sequence[str]) -> str | None:
    """Return the statement by which Python calls a method; None where it is called by its name only.

    `receiver` and `args` are source texts that bind at least as tightly as a name.
    """
    if method in STATEMENTS:
        try:
            return STATEMENTS[method].format(receiver, *args)
        except IndexError:  # it takes more than is given
            return None
    if method in UNARY:
        return f"{UNARY[method]}{receiver}"
    if method in SIGNS and len(args) == 1:
        return f"{receiver} {SIGNS[method]} {args[0]}"
    return _reflected(method, receiver, args) or _by_function(method, receiver, args)


def imports_of(statement: str) -> list[str]:
    """Return the modules of the standard library that an operation's statement needs."""
    modules = ("collections", "copy", "math", "operator", "os", "sys")
    return [module for module in modules if f"{module}." in statement]


def _reflected(method: str, receiver: str, args: Sequence[str]) -> str | None:
    """Return `other + receiver` for `__radd__`, and `receiver += other` for `__iadd__`."""
    for prefix, form in (("__r", "{1} {2} {0}"), ("__i", "{0} {2}= {1}")):
        plain = "__" + method.removeprefix(prefix)
        if method.startswith(prefix) and plain in SIGNS and len(args) == 1:
            return form.format(receiver, args[0], SIGNS[plain])
    return None


def _by_function(method: str, receiver: str, args: Sequence[str]) -> str | None:
    function = FUNCTIONS.get(method)
    # What `copy.deepcopy` passes on is a memo of its own.
    rest = () if method in {"__deepcopy__", "__copy__"} else args
    return f"{function}({', '.join((receiver, *rest))})" if function else None
