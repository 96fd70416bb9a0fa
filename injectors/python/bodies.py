"""Questions about the body of a function."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache, lru_cache

import libcst as cst

_COMPILED = frozenset({"njit", "jit", "vectorize", "guvectorize", "stencil", "cuda.jit", "cfunc"})
_LAYOUT = frozenset(
    {
        *("header", "footer", "leading_lines", "lines_after_decorators", "trailing_whitespace", "operator"),
        *(
            "lpar",
            "rpar",
            "lbracket",
            "rbracket",
            "lbrace",
            "rbrace",
            "comma",
            "colon",
            "semicolon",
            "equal",
            "dot",
        ),
    }
)
_LOOKERS = frozenset({"locals", "vars", "dir"})


def _own_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and what is in it, but nothing of nested functions and classes."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            yield here
            for name in _fields(type(here)):
                held = getattr(here, name)
                waiting += [held] if isinstance(held, cst.CSTNode) else _nodes(held)


# `children` of libcst makes a visit of each node, and yields every blank: that took half of a listing.
@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Return the names of what nodes of a kind hold, without how that is laid out."""
    names = (field.name for field in fields(kind))
    return tuple(name for name in names if not name.startswith("whitespace") and name not in _LAYOUT)


def _nodes(held: object) -> Iterable[cst.CSTNode]:
    parts = held if isinstance(held, list | tuple) else ()
    return (part for part in parts if isinstance(part, cst.CSTNode))


def holds_suspension(node: cst.CSTNode) -> bool:
    """Tell whether executing the node may suspend the function that it stands in."""
    return any(isinstance(inner, cst.Yield | cst.Await) for inner in _own_nodes(node))


def is_yielded_in(node: cst.CSTNode) -> bool:
    """Tell whether the function that the node stands in may be suspended there by a `yield`."""
    return any(isinstance(inner, cst.Yield) for inner in _own_nodes(node))


def indented(body: cst.BaseSuite) -> cst.IndentedBlock:
    """Return a body with its statements on lines of their own, below the one that they share."""
    if not isinstance(body, cst.SimpleStatementSuite):
        return cst.ensure_type(body, cst.IndentedBlock)
    lines = [
        cst.SimpleStatementLine(body=[small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        for small in body.body
    ]
    end = body.trailing_whitespace
    if end.comment is not None:
        end = end.with_changes(whitespace=cst.SimpleWhitespace("  "))  # the last semicolon is gone
    lines[-1] = lines[-1].with_changes(trailing_whitespace=end)
    return cst.IndentedBlock(body=lines)


def suspends(function: cst.FunctionDef) -> bool:
    """Tell whether the function is a generator or a coroutine."""
    return function.asynchronous is not None or holds_suspension(function.body)


# Asked of the same function where it is judged and where it is rewritten.
@lru_cache(maxsize=1)
def own_names_are_read(function: cst.FunctionDef) -> bool:
    """Tell whether the function lists its own local names, so that a further one would show."""
    return any(
        isinstance(inner, cst.Call)
        and isinstance(inner.func, cst.Name)
        and inner.func.value in _LOOKERS
        and not inner.args
        for inner in _own_nodes(function.body)
    )


def is_docstring(statement: cst.CSTNode) -> bool:
    """Tell whether a statement is a string and nothing else."""
    if isinstance(statement, cst.SimpleStatementLine):
        return len(statement.body) == 1 and is_docstring(statement.body[0])
    return isinstance(statement, cst.Expr) and isinstance(
        statement.value, cst.SimpleString | cst.ConcatenatedString
    )


def why_unprobeable(function: cst.FunctionDef, decorators: Sequence[str]) -> str:
    """Return why the function cannot carry a probe; empty if it can."""
    reason = _why_pointless(function, decorators)
    if not reason and own_names_are_read(function) and suspends(function):
        return "a generator or coroutine that looks at its own local names: a probe would show among them"
    return reason


def _why_pointless(function: cst.FunctionDef, decorators: Sequence[str]) -> str:
    """Return why no call would execute a probe in the function's body; empty if one would."""
    last = {name.rpartition(".")[2] for name in decorators}
    if "overload" in last:
        return "overload stub"
    if _COMPILED & last:
        return f"compiled by @{min(_COMPILED & last)}: what it compiles cannot hold a probe"
    statements = _small_statements(function.body)
    if statements is None:
        return ""
    if all(_does_nothing(statement) for statement in statements):
        return "empty body"
    abstract = any(name.startswith("abstract") for name in last)
    rest = [statement for statement in statements if not _does_nothing(statement)]
    if abstract and len(rest) == 1 and _is_not_implemented(rest[0]):
        return "abstract: only raises NotImplementedError"
    if isinstance(rest[-1], cst.Return) and _is_lazy(rest[-1].value):
        return "returns a lazy iterator: the work is done later, where that is consumed"
    return ""


def _small_statements(body: cst.BaseSuite) -> list[cst.BaseSmallStatement] | None:
    """Return the statements of a body without compound ones; None for other bodies."""
    if isinstance(body, cst.SimpleStatementSuite):
        return list(body.body)
    small: list[cst.BaseSmallStatement] = []
    for statement in body.body:
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        small.extend(statement.body)
    return small


def _does_nothing(statement: cst.BaseSmallStatement) -> bool:
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, cst.Ellipsis | cst.SimpleString | cst.ConcatenatedString)
    return isinstance(statement, cst.Pass)


def _is_lazy(value: cst.BaseExpression | None) -> bool:
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
        return value.func.value in {"map", "filter"}
    return isinstance(value, cst.GeneratorExp)


def _is_not_implemented(statement: cst.BaseSmallStatement) -> bool:
    if not isinstance(statement, cst.Raise) or statement.exc is None:
        return False
    raised = statement.exc.func if isinstance(statement.exc, cst.Call) else statement.exc
    return isinstance(raised, cst.Name) and raised.value == "NotImplementedError"
