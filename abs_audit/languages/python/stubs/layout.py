"""Puts the parts of a benchmark file together; black lays them out."""

import ast
import sys
import textwrap
from collections.abc import Iterable, Sequence

import black

from abs_audit.grouping import grouped
from abs_audit.languages.python.stubs.draft import Binding
from abs_audit.languages.python.stubs.proposal import Proposal
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits

WIDTH = 88
INDENT = "    "


def file(proposal: Proposal, style: Habits, needed: Iterable[Import], blocks: Sequence[str]) -> str:
    """Return a file: what it watches, what it imports, what its values need, and the benchmark's own code."""
    draft = proposal.draft
    lines = {*needed, *(draft.imports if draft else ())}
    if style.future:
        lines.add(Import(module="__future__", name="annotations"))
    own = proposal.method.partition(".")[0]
    definitions = [ast.unparse(definition) for definition in draft.definitions] if draft else []
    why = "Proposed by abs-audit, because no other benchmark noticed when this method became slower."
    story = textwrap.fill(
        f"{why} {proposal.origin}".rstrip(), WIDTH, break_long_words=False, break_on_hyphens=False
    )
    docstring = f'"""Watches `{proposal.method}`.\n\n{story}\n"""'
    parts = [docstring, _imports(lines, own), *definitions, *blocks]
    return black.format_str("\n\n".join(filter(None, parts)), mode=black.Mode(line_length=WIDTH))


def _imports(lines: Iterable[Import], own: str) -> str:
    """Return import statements in the groups and order of isort; `own` is the library's top package."""
    groups = grouped((_group(line.module, own), line) for line in lines)
    return "\n\n".join(_block(group) for _, group in sorted(groups.items()))


def _group(module: str, own: str) -> int:
    top = module.partition(".")[0]
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    return 3 if top == own else 2


def _block(group: Sequence[Import]) -> str:
    text = [f"import {line.module}{_alias(line)}" for line in sorted(group) if not line.name]
    named = grouped((line.module, line) for line in sorted(group, key=_order) if line.name)
    for module, lines in sorted(named.items()):
        text.append(f"from {module} import {', '.join(line.name + _alias(line) for line in lines)}")
    return "\n".join(text)


def _alias(line: Import) -> str:
    return f" as {line.alias}" if line.alias else ""


def _order(line: Import) -> tuple[int, str]:
    """Return where isort puts a name: constants, then classes, then the rest."""
    name = line.name
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name


def block(head: str, *lines: str) -> str:
    """Return a compound statement: its head, and its body indented."""
    return f"{head}:\n" + textwrap.indent("\n".join(lines), INDENT)


def bindings(values: Iterable[Binding]) -> list[str]:
    """Return assignments of what is made ready."""
    return [f"{binding.name} = {ast.unparse(binding.value)}" for binding in values]


def loop(timed: ast.stmt, turns: int) -> str:
    """Return a statement that is executed a number of times."""
    return ast.unparse(timed) if turns == 1 else loop_over(timed, "_", f"range({turns})")


def loop_over(timed: ast.stmt, name: str, pool: str) -> str:
    """Return a statement that is executed for each of a pool."""
    return block(f"for {name} in {pool}", ast.unparse(timed))


def pool(fresh: Binding, times: str) -> str:
    """Return a list with a value made anew for each turn of a loop."""
    return f"{fresh.name}_pool = [{ast.unparse(fresh.value)} for _ in {times}]"


def skeleton(task: str, reason: str) -> str:
    """Return what stands for a benchmark that a person has to write: it fails, and says why."""
    return f"# TODO: {task}\nraise NotImplementedError({reason!r})"
