"""Which functions only hand over what somebody else executes later: that takes no time of theirs."""

import ast
from collections.abc import Iterator

from abs_audit.languages.python.toolchain.syntax import dotted

REASON = "returns a coroutine or generator: the work is done later, where that is awaited or consumed"
_AWAITED = frozenset({"gather", "shield", "sleep", "wait", "wait_for", "to_thread"})
_SCHEDULED = frozenset({"create_task", "ensure_future", "run_in_executor"})
_KEEPING = frozenset({"staticmethod", "classmethod", "final", "override", "abstractmethod"})
"""Decorators that change nothing of what a call returns."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def handing_over(module: ast.Module) -> frozenset[int]:
    """Return the lines of the functions that return a coroutine or generator of their module at their end."""
    functions = dict(_functions(module.body, ""))
    suspended = {name for name, function in functions.items() if _suspends(function)}
    return frozenset(
        function.lineno
        for name, function in functions.items()
        if name not in suspended and _is_later(_returned(function), name.rpartition(".")[0], suspended)
    )


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, _Function]]:
    """Yield the functions of a module and its classes, by name inside it."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, _Function):
            yield f"{prefix}{statement.name}", statement


def _suspends(function: _Function) -> bool:
    """Tell whether calling the function executes nothing of it yet, whatever decorates it."""
    if any(dotted(decorator).rpartition(".")[2] not in _KEEPING for decorator in function.decorator_list):
        return False
    return isinstance(function, ast.AsyncFunctionDef) or _yields(function)


def _yields(function: _Function) -> bool:
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, _Function | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


def _returned(function: _Function) -> str:
    """Return what the last statement calls and returns; empty: nothing."""
    match function.body[-1]:
        case ast.Return(value=ast.Call() as call):
            return dotted(call)
    return ""


def _is_later(called: str, owner: str, suspended: set[str]) -> bool:
    head, _, name = called.rpartition(".")
    if head in {"self", "cls"}:
        called = f"{owner}.{name}"
    return called in suspended or name in _SCHEDULED or (head == "asyncio" and name in _AWAITED)
