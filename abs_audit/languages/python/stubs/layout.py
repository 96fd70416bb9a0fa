"""Lays Python source out as formatters do: double quotes, lines of at most 88 characters, sorted imports."""

import ast
import io
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Sequence

from abs_audit.languages.python.stubs.snippet import Import

WIDTH = 88
INDENT = "    "
SIMPLE_STRING = re.compile(r"([fFrbuRBU]*)'((?:[^'\\]|\\.)*)'", re.DOTALL)
# In the head of a function: what stands between a parameter's annotation and its default.
DEFAULT_OF_ANNOTATED = re.compile(r"(?<=\w)(: [^=:\n]+?)=(?!=)")


def source(node: ast.AST) -> str:
    """Return the source of a node, in double quotes."""
    return double_quoted(ast.unparse(node))


def double_quoted(text: str) -> str:
    """Return source with double quotes around every string that holds none."""
    lines = text.splitlines(keepends=True)
    for start, end in reversed(list(_strings(text))):
        if start[0] != end[0]:
            continue
        line = lines[start[0] - 1]
        match = SIMPLE_STRING.fullmatch(line[start[1] : end[1]])
        if match is not None and '"' not in match[2] and not ("f" in match[1].lower() and "'" in match[2]):
            content = match[2].replace("\\'", "'")
            lines[start[0] - 1] = f'{line[: start[1]]}{match[1]}"{content}"{line[end[1] :]}'
    return "".join(lines)


def _strings(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where each string begins and ends; newer tokenizers take strings with expressions apart."""
    opened: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            opened.append(token.start)
        elif name == "FSTRING_END":
            start = opened.pop()
            if not opened:
                yield start, token.end
        elif name == "STRING" and not opened:
            yield token.start, token.end


def statement(node: ast.stmt, depth: int) -> str:
    """Return a statement at a depth of indentation, broken inside its brackets where it is too long."""
    margin = INDENT * depth
    text = textwrap.indent(source(node), margin)
    value = node.exc if isinstance(node, ast.Raise) else getattr(node, "value", None)
    if not isinstance(value, ast.expr) or all(len(line) <= WIDTH for line in text.splitlines()):
        return text
    head = source(node).removesuffix(source(value))
    if isinstance(node, ast.Assign) and isinstance(value, ast.Constant | ast.IfExp | ast.BoolOp | ast.BinOp):
        alone = f"{margin}{INDENT}{source(value)}"
        if len(alone) <= WIDTH:
            return f"{margin}{head}(\n{alone}\n{margin})"
    return margin + head + expression(value, depth, len(margin) + len(head))


def expression(node: ast.expr, depth: int, column: int, room: int = 0) -> str:
    """Return an expression that begins at a column; `room` is kept free after it."""
    text = source(node)
    if column + len(text) + room <= WIDTH:
        return text
    if isinstance(node, ast.Attribute):
        return f"{expression(node.value, depth, column, room + len(node.attr) + 1)}.{node.attr}"
    if isinstance(node, ast.ListComp):
        return _comprehension(node, depth)
    return _call(node, depth) if isinstance(node, ast.Call) else _display(node, depth)


def _call(node: ast.Call, depth: int) -> str:
    named = [f"{keyword.arg}=" if keyword.arg else "**" for keyword in node.keywords]
    items = [("", argument) for argument in node.args]
    items += list(zip(named, (keyword.value for keyword in node.keywords), strict=True))
    chained = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
    if chained and not items:
        return f"{expression(node.func, depth, WIDTH)}()"
    return _broken(f"{source(node.func)}(", items, ")", depth)


def _display(node: ast.expr, depth: int) -> str:
    """Return a list, tuple, set or dictionary with one element a line; anything else as it is."""
    if isinstance(node, ast.Dict):
        keys = [f"{source(key)}: " if key else "**" for key in node.keys]
        return _each("{", list(zip(keys, node.values, strict=True)), "}", depth)
    brackets = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}.get(type(node), "")
    elements: list[ast.expr] = getattr(node, "elts", [])
    return (
        _each(brackets[0], [("", element) for element in elements], brackets[1], depth)
        if brackets
        else source(node)
    )


def _broken(opening: str, items: Sequence[tuple[str, ast.expr]], ending: str, depth: int) -> str:
    """Return a call with its arguments on a line of their own, or on one each."""
    if not items:
        return opening + ending
    if len(items) == 1 and not items[0][0] and isinstance(items[0][1], ast.GeneratorExp):
        return opening + source(items[0][1]).strip("()") + ending
    together = ", ".join(head + source(value) for head, value in items)
    margin = INDENT * (depth + 1)
    if len(margin) + len(together) <= WIDTH:
        return f"{opening}\n{margin}{together}\n{INDENT * depth}{ending}"
    return _each(opening, items, ending, depth)


def _comprehension(node: ast.ListComp, depth: int) -> str:
    margin = INDENT * (depth + 1)
    made = expression(node.elt, depth + 1, len(margin))
    loops = [source(generator).strip() for generator in node.generators]
    together = " ".join([made, *loops])
    fits = len(margin) + len(together) <= WIDTH and "\n" not in made
    inside = together if fits else f"\n{margin}".join([made, *loops])
    return f"[\n{margin}{inside}\n{INDENT * depth}]"


def _each(opening: str, items: Sequence[tuple[str, ast.expr]], ending: str, depth: int) -> str:
    margin = INDENT * (depth + 1)
    lines = [
        f"{margin}{head}{expression(value, depth + 1, len(margin) + len(head), room=1)},"
        for head, value in items
    ]
    return "\n".join([opening, *lines, f"{INDENT * depth}{ending}"])


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


def definition(node: ast.stmt, depth: int = 0) -> str:
    """Return a class or function with the blank lines that formatters set inside classes."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return DEFAULT_OF_ANNOTATED.sub(r"\1 = ", statement(node, depth), count=9)
    if not isinstance(node, ast.ClassDef):
        return statement(node, depth)
    empty = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(empty, ast.ClassDef)
    empty.body = [ast.Pass()]
    head = textwrap.indent(source(empty), INDENT * depth).removesuffix("pass").rstrip()
    lines = [head]
    for before, current in zip([None, *node.body], node.body, strict=False):
        apart = any(
            isinstance(two, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            for two in (before, current)
        )
        lines += [""] if apart and before is not None else []
        lines.append(definition(current, depth + 1))
    return "\n".join(lines)


def skeleton(task: str, reason: str, depth: int) -> str:
    """Return what stands for a benchmark that a person has to write: it fails, and says why."""
    call = f"raise NotImplementedError({reason!r})"
    return f"{INDENT * depth}# TODO: {task}\n{statement(ast.parse(call).body[0], depth)}"
