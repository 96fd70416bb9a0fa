"""Names what stands at a line: from a compiled function's place back to the id of its API method."""

import ast
from collections.abc import Iterator
from pathlib import Path

from abs_audit.languages.python.toolchain.layout import imported_as
from abs_audit.languages.python.toolchain.syntax import parsed

ACCESSORS = ("setter", "deleter")


def definitions(path: Path) -> dict[tuple[str, int], str]:
    """Return (name, first line) of every function of a file → method id; empty where it does not parse.

    The first line is that of the first decorator, as code objects count it.
    """
    tree = parsed(path.read_bytes()) if path.is_file() else None
    if tree is None:
        return {}
    module = imported_as(path)
    return {definition: f"{module}.{name}" for definition, name in _functions(tree, ())}


def _functions(node: ast.AST, outer: tuple[str, ...]) -> Iterator[tuple[tuple[str, int], str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, (*outer, child.name))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield (child.name, line), ".".join((*outer, child.name, *_accessor(child)))
        else:
            yield from _functions(child, outer)


def _accessor(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return `setter` or `deleter` where a decorator says so."""
    return [
        decorator.attr
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Attribute) and decorator.attr in ACCESSORS
    ]
