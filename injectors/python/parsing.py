"""Parses a module, unless it is so deeply nested that parsing it would end or stop this process."""

import ast
import re
import warnings
from collections.abc import Iterable

import libcst as cst

DEEPEST = 500
"""Levels of a syntax tree: libcst's time grows with their square, and thousands overflow the stack."""
DEEPEST_BRACKETS = 200
"""What CPython itself accepts."""

TOO_DEEP = f"expected at most {DEEPEST} levels of syntax, found more: too deep to be parsed"


class UnreadableError(Exception):
    """A module that is not Python 3, or too deeply nested; its text says where and what."""


def parsed(text: str) -> cst.Module:
    """Return the syntax tree of a module; raise UnreadableError where there is none."""
    if _is_too_deep(text):
        raise UnreadableError(TOO_DEEP)
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        message = f"line {error.editor_line}: expected Python 3, found a syntax error"
        raise UnreadableError(message) from error
    except RecursionError as error:
        raise UnreadableError(TOO_DEEP) from error


def _is_too_deep(text: str) -> bool:
    """Tell whether a module's nesting is more than a parser can be trusted with."""
    try:
        with warnings.catch_warnings(action="ignore"):
            level: Iterable[ast.AST] = [ast.parse(text.removeprefix("\ufeff"))]
    except (RecursionError, MemoryError):
        return True
    except (SyntaxError, ValueError):
        # Text for a newer Python than ours, or no Python at all: brackets are what all of them have.
        return _brackets(text) > DEEPEST_BRACKETS
    depth = 0
    while level and depth <= DEEPEST:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return bool(level)


def _brackets(text: str) -> int:
    """Return how many brackets are open at once, at most; those in strings and comments count, too."""
    depth = deepest = 0
    for bracket in re.findall(r"[][(){}]", text):
        depth = max(0, depth + (1 if bracket in "([{" else -1))
        deepest = max(deepest, depth)
    return deepest
