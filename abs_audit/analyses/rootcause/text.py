"""The summary of a root cause: the commit, the path to it, the methods, and what to look at by hand."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.calls.call_tree import Node
from abs_audit.analyses.rootcause.model import RootCause, Where
from abs_audit.grouping import grouped
from abs_audit.report.text import facts, name, named, names, page, table, verbatim, warnings
from abs_audit.wording import change, percent, time_per_invocation

TREE_ROWS = 40


def summary(result: RootCause) -> Group:
    """Return the answer, the measured commits in the order of the history, and where it became slower."""
    return page(
        # It quotes the title of a commit, which may hold anything.
        name(blame.answer(result), style="bold"),
        facts(
            ("benchmark", result.benchmark),
            ("effort", blame.effort(result)),
            ("sure", blame.sure(result) if result.cause else ""),
        ),
        _commits(result),
        _regressions(result),
        _tree(result.where, blame.structure(result)) if result.where and result.where.tree else None,
        _changed(result.where) if result.where else None,
        names("changed outside of methods:", result.where.elsewhere if result.where else ()),
        _hints(result),
        warnings(result.warnings),
    )


def _commits(result: RootCause) -> RenderableType | None:
    rows = (
        (
            commit.commit[: blame.SHORT],
            "–" if commit.level_s is None else time_per_invocation(commit.level_s),
            commit.category.value if commit.category else "–",
            Text(blame.judged(commit, result), style="red" if commit.commit == result.cause else ""),
            Group(name(commit.title), facts(("why", commit.reason))),
        )
        for commit in result.measured
    )
    return table(
        ("left", "commit"), ("right", "time"), ("left", "category", "taken for"), ("fold", ""), rows=rows
    )


def _regressions(result: RootCause) -> RenderableType | None:
    rows = (
        (
            regression.start[: blame.SHORT],
            regression.cause[: blame.SHORT],
            regression.kind.value,
            change(blame.growth(regression)) + ("" if regression.confirmed else ", not confirmed"),
        )
        for regression in result.regressions
    )
    return table(("left", "from", "to", "kind"), ("right", "by"), rows=rows)


def _tree(where: Where, structure: str) -> RenderableType:
    lines = list(_lines(where))
    rest = [Text(f"  and {len(lines) - TREE_ROWS} more", style="dim")] if len(lines) > TREE_ROWS else []
    return Group(Text(f"call tree, {structure}:", style="dim"), *lines[:TREE_ROWS], *rest)


def _lines(where: Where) -> Iterator[RenderableType]:
    changed = {suspect.changed.method for suspect in where.suspects}
    for node, depth in nested(where.tree):
        marks = ("  ◄ cause" if node.cause else "") + ("  ● changed" if node.method in changed else "")
        line = name(f"{'  ' * depth}{node.method}  {blame.became(node)}")
        yield line.append(marks, style="red" if node.cause else "bold")


def nested(tree: tuple[Node, ...]) -> Iterator[tuple[Node, int]]:
    """Yield the nodes depth first, each with its depth from 1."""
    below = grouped((node.caller, node) for node in tree)
    waiting = [(node, 1) for node in reversed(below.get(None, []))]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(callee, depth + 1) for callee in reversed(below.get(node.method, []))]


def _changed(where: Where) -> RenderableType | None:
    rows = (
        (
            percent(suspect.suspicion),
            named(
                suspect.changed.method,
                ("where", f"{suspect.changed.path}:{suspect.changed.line}"),
                ("why", suspect.reason),
            ),
        )
        for suspect in where.suspects
    )
    return table(("right", "explains"), ("fold", "changed method"), rows=rows)


def _hints(result: RootCause) -> RenderableType | None:
    if not result.hints:
        return None
    lines = [
        line
        for hint in result.hints
        for line in (Text(f"{hint.purpose}:", style="dim"), verbatim(hint.command))
    ]
    return Group(Text("by hand:"), *lines)
