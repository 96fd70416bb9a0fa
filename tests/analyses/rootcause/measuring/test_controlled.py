"""PRCA's four controlled experiments on real repositories with merges: commit and method are found."""

import math
from pathlib import Path

import pytest

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.calls.call_tree import Change
from abs_audit.analyses.rootcause.commits.categories import Kind
from abs_audit.analyses.rootcause.commits.rules import MidpointRule, PaperRule, Rule
from tests.support.controlled import CULPRITS, LEVELS, causes, repository
from tests.support.pretended import PretendedSuite
from tests.support.search_context import CommandContext


@pytest.mark.parametrize("rule", [MidpointRule(), PaperRule()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("experiment", LEVELS)
def test_the_commit_and_the_method_are_found_in_about_log2_of_the_commits(
    tmp_path: Path, context: CommandContext, experiment: str, rule: Rule
) -> None:
    ids = repository(tmp_path / "books", experiment, "pretended")
    # The paper's rule takes every shift from run to run for a change.
    context.suite = PretendedSuite(shift=0.0) if rule.name == "paper" else PretendedSuite()

    result = context.measure(tmp_path / "books", ids[0], ids[-1], rule)

    assert result.cause in causes(ids, experiment)
    # The steps of the search; both ends and a parent come on top.
    assert len(result.path) <= math.ceil(math.log2(result.candidates)) + 1
    assert 23 == result.candidates
    main = result.regressions[0]
    assert (True, (main.cause,)) == (main.confirmed, main.suspects)
    assert main.start in {ids[ids.index(main.cause) - 1], ids[ids.index(main.cause) - 2]}
    assert result.where is not None
    assert [CULPRITS["python"]] == [node.method for node in result.where.tree if node.cause]
    first, *rest = result.where.suspects
    assert (CULPRITS["python"], 1.0) == (first.changed.method, pytest.approx(first.suspicion, abs=0.1))
    assert [("books.title", 0.0)] == [(one.changed.method, one.suspicion) for one in rest]


def test_leaving_the_category_is_major_and_times_are_told_in_the_order_of_the_history(
    tmp_path: Path, context: CommandContext
) -> None:
    ids = repository(tmp_path / "books", "single regression", "pretended")

    result = context.measure(tmp_path / "books", ids[0], ids[-1])

    assert Kind.MAJOR is result.regressions[0].kind
    assert (ids[0], ids[-1]) == (result.measured[0].commit, result.measured[-1].commit)
    assert [one.place for one in result.measured] == sorted(one.place for one in result.measured)
    for one in result.measured:
        slow = ids.index(one.commit) >= 16
        assert (2.1 if slow else 1.1) == pytest.approx(one.mean_s, rel=0.05)
        assert ("medium" if slow else "fast") == one.category


def test_what_made_it_faster_is_found_the_same_way(tmp_path: Path, context: CommandContext) -> None:
    """From r4 (level 3) to r6 (level 2): r5 is the improvement."""
    ids = repository(tmp_path / "books", "regression, then improvement", "pretended")

    result = context.measure(tmp_path / "books", ids[15], ids[-1], MidpointRule(improvement=True))

    assert ids[16] == result.cause
    assert result.regressions[0].level_s[0] > result.regressions[0].level_s[1]
    assert result.where is not None
    assert [("books._weigh", Change.FASTER)] == [
        (node.method, node.change) for node in result.where.tree if node.cause
    ]
    first = result.where.suspects[0]
    assert ("books._weigh", "changed and faster") == (first.changed.method, first.reason)
    assert blame.answer(result) == f"Commit {ids[16][:12]} made it take 32% less time: r5: set the pace."


def test_nothing_is_left_in_the_cache_but_the_answer_in_the_session(
    tmp_path: Path, context: CommandContext
) -> None:
    ids = repository(tmp_path / "books", "single regression", "pretended")
    first = context.measure(tmp_path / "books", ids[0], ids[-1])
    asked = len(context.executor.asked)

    assert first == context.measure(tmp_path / "books", ids[0], ids[-1])
    assert asked == len(context.executor.asked)
    assert [] == list((tmp_path / "cache" / "workspaces").iterdir())
    assert [] == list((tmp_path / "cache" / "commits").iterdir())
