"""Short ways through the syntax trees of Python's own parser."""

import ast
import warnings


def parsed(text: str | bytes) -> ast.Module | None:
    """Return a module's tree; None where this Python cannot read it: newer, older, too deep."""
    # What Python has to say of the subject's strings is not for our users.
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def dotted(node: ast.AST) -> str:
    """Return a dotted name; arguments and subscripts are left out; empty if there is none."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""
