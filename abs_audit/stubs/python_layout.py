"""Lays Python source out as formatters do: double quotes, lines of at most 88 characters, sorted imports."""

import ast
import io
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Sequence

from abs_audit.stubs.python_snippet import Import

WIDTH = 88
INDENT = "    "
SIMPLE_STRING = re.compile(r"([rbuRBU]*)'((?:[^'\\]|\\.)*)'", re.DOTALL)


def source(node: ast.AST) -> str:
    """Return the source of a node, in double quotes."""
    return double_quoted(ast.unparse(node))


def double_quoted(text: str) -> str:
    """Return source with double quotes around every string that holds none."""
    lines = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    strings = [token for token in tokens if token.type == tokenize.STRING]
    for token in reversed(strings):
        match = SIMPLE_STRING.fullmatch(token.string)
        if (
            match is None
            or '"' in match[2]
            or token.start[0] != token.end[0]
            or token.string.startswith("'''")
        ):
            continue
        row, column = token.start[0] - 1, token.start[1]
        content = match[2].replace("\\'", "'")
        rest = lines[row][token.end[1] :]
        lines[row] = f'{lines[row][:column]}{match[1]}"{content}"{rest}'
    return "".join(lines)


def statement(node: ast.stmt, depth: int) -> str:
    """Return a statement at a depth of indentation, broken inside its brackets where it is too long."""
    margin = INDENT * depth
    text = textwrap.indent(source(node), margin)
    simple = isinstance(node, ast.Assign | ast.Expr | ast.Return | ast.Delete | ast.AnnAssign)
    if not simple or all(len(line) <= WIDTH for line in text.splitlines()):
        return text
    value = node.value if isinstance(node, ast.Assign | ast.Expr | ast.Return | ast.AnnAssign) else None
    if value is None:
        return text
    head = source(node).removesuffix(source(value))
    return margin + head + expression(value, depth, len(margin) + len(head))


def expression(node: ast.expr, depth: int, column: int, room: int = 0) -> str:
    """Return an expression that begins at a column; `room` is kept free after it."""
    text = source(node)
    if column + len(text) + room <= WIDTH:
        return text
    if isinstance(node, ast.Call):
        named = [f"{one.arg}=" if one.arg else "**" for one in node.keywords]
        items = [*(("", one) for one in node.args)]
        items += list(zip(named, (one.value for one in node.keywords), strict=True))
        return _broken(f"{source(node.func)}(", items, ")", depth)
    if isinstance(node, ast.Attribute):
        return f"{expression(node.value, depth, column, room + len(node.attr) + 1)}.{node.attr}"
    if isinstance(node, ast.ListComp):
        return _comprehension(node, depth)
    brackets = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}.get(type(node))
    if brackets and isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _each(brackets[0], [("", one) for one in node.elts], brackets[1], depth)
    if isinstance(node, ast.Dict):
        keys = [f"{source(key)}: " if key else "**" for key in node.keys]
        return _each("{", list(zip(keys, node.values, strict=True)), "}", depth)
    return text


def _broken(opening: str, items: Sequence[tuple[str, ast.expr]], closing: str, depth: int) -> str:
    """Return a call with its arguments on a line of their own, or on one each."""
    if not items:
        return opening + closing
    if len(items) == 1 and not items[0][0] and isinstance(items[0][1], ast.GeneratorExp):
        return opening + source(items[0][1]).strip("()") + closing
    together = ", ".join(head + source(value) for head, value in items)
    margin = INDENT * (depth + 1)
    if len(margin) + len(together) <= WIDTH:
        return f"{opening}\n{margin}{together}\n{INDENT * depth}{closing}"
    return _each(opening, items, closing, depth)


def _comprehension(node: ast.ListComp, depth: int) -> str:
    margin = INDENT * (depth + 1)
    made = expression(node.elt, depth + 1, len(margin))
    loops = source(node).removeprefix(f"[{source(node.elt)} ").removesuffix("]")
    together = f"{made} {loops}"
    fits = len(margin) + len(together) <= WIDTH and "\n" not in made
    inside = together if fits else f"{made}\n{margin}{loops}"
    return f"[\n{margin}{inside}\n{INDENT * depth}]"


def _each(opening: str, items: Sequence[tuple[str, ast.expr]], closing: str, depth: int) -> str:
    margin = INDENT * (depth + 1)
    lines = [
        f"{margin}{head}{expression(value, depth + 1, len(margin) + len(head), room=1)},"
        for head, value in items
    ]
    return "\n".join([opening, *lines, f"{INDENT * depth}{closing}"])


def imports(lines: Iterable[Import], own: str) -> str:
    """Return import statements in the groups and order of isort; `own` is the library's top package."""
    groups: dict[int, set[Import]] = {0: set(), 1: set(), 2: set(), 3: set()}
    for line in lines:
        groups[_group(line.module, own)].add(line)
    return "\n\n".join(_block(group) for _, group in sorted(groups.items()) if group)


def _group(module: str, own: str) -> int:
    top = module.partition(".")[0]
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    return 3 if top == own else 2


def _block(group: set[Import]) -> str:
    whole = sorted(line for line in group if not line.name)
    text = [f"import {line.module}" + (f" as {line.alias}" if line.alias else "") for line in whole]
    for module in sorted({line.module for line in group if line.name}):
        names = sorted((line for line in group if line.module == module and line.name), key=_order)
        parts = [line.name + (f" as {line.alias}" if line.alias else "") for line in names]
        one_line = f"from {module} import {', '.join(parts)}"
        broken = "".join(f"{INDENT}{part},\n" for part in parts)
        text.append(one_line if len(one_line) <= WIDTH else f"from {module} import (\n{broken})")
    return "\n".join(text)


def _order(line: Import) -> tuple[int, str]:
    """Return where isort puts a name: constants, then classes, then the rest."""
    name = line.name
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name


def docstring(first: str, rest: str, depth: int = 0) -> str:
    """Return a docstring whose first line is a sentence of its own."""
    margin = INDENT * depth
    body = textwrap.fill(rest, WIDTH - len(margin), break_long_words=False, break_on_hyphens=False)
    return textwrap.indent(f'"""{first}\n\n{body}\n"""', margin)


def quoted(text: str) -> str:
    """Return a string literal."""
    return double_quoted(repr(text))


def binding(name: str, value: ast.expr, depth: int) -> str:
    """Return an assignment to a plain or dotted name."""
    target = ast.parse(name, mode="eval").body
    assert isinstance(target, ast.Name | ast.Attribute)
    return statement(ast.Assign(targets=[target], value=value, lineno=1), depth)


def loop(timed: ast.stmt, turns: int, depth: int) -> str:
    """Return a statement that is executed a number of times."""
    if turns == 1:
        return statement(timed, depth)
    return f"{INDENT * depth}for _ in range({turns}):\n{statement(timed, depth + 1)}"


def loop_over(timed: ast.stmt, name: str, pool: str, depth: int) -> str:
    """Return a statement that is executed for each of a pool."""
    return f"{INDENT * depth}for {name} in {pool}:\n{statement(timed, depth + 1)}"


def fresh(value: ast.expr, times: str) -> ast.ListComp:
    """Return a list with the value made anew for each turn of a loop."""
    made = ast.parse(f"[{ast.unparse(value)} for _ in {times}]", mode="eval").body
    assert isinstance(made, ast.ListComp)
    return made
