"""Heger, Happe, Farahbod 2013: Automated Root Cause Isolation of Performance Regressions (PRCA)."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from abs_audit.analyses.rootcause.commits.bisection import Bisection, Judge, Judgement, Walk
from abs_audit.analyses.rootcause.commits.history import History, restricted, weights
from tests.support.histories import of_edges

# The text gives no list of edges; these agree with every weight and every step it names.
FIGURE_4 = ["AB", "BD", "DE", "EF", "AC", "CF", "FG", "GH"]


def graph(edges: Sequence[str]) -> History:
    return of_edges((edge[0], edge[1]) for edge in edges)


def known(bad: str) -> Judge:
    return lambda _good, commit: Judgement.BAD if commit in bad else Judgement.GOOD


def measured(walk: Walk) -> str:
    return "".join(step.commit for step in walk.steps)


def test_figure_4_weights_of_the_candidates_between_a_and_h() -> None:
    found = graph(FIGURE_4)
    search = Bisection(found, "A", "H")

    weighed = weights(restricted(found, search.candidates))

    assert {"B": 1, "C": 1, "D": 2, "E": 3, "F": 2, "G": 1, "H": 0} == weighed


def test_figure_4_measures_e_then_f_then_c_and_answers_f() -> None:
    found = graph(FIGURE_4)

    walk = Bisection(found, "A", "H").walk(known("FGH"))

    assert ("EFC", "F", 3) == (measured(walk), walk.bad, walk.steps[0].weight)
    assert (walk.bad,) == walk.suspects


def test_a_commit_found_good_earlier_is_no_candidate_again() -> None:
    # Filtering anew from the pair (C, F) alone, as the text could be read, would bring E back.
    found = graph(FIGURE_4)

    walk = Bisection(found, "A", "H").walk(known("FGH"))

    assert [7, 4, 2] == [step.candidates for step in walk.steps]


def linear(levels: Sequence[int]) -> tuple[History, Mapping[str, int]]:
    names = [f"r{number}" for number in range(1, len(levels) + 1)]
    return of_edges(pairwise(names)), dict(zip(names, levels, strict=True))


def moving_reference(level: Mapping[str, int]) -> Judge:
    return lambda good, commit: Judgement.BAD if level[commit] > level[good] else Judgement.GOOD


def midpoint(level: Mapping[str, int], good: str, bad: str) -> Judge:
    middle = (level[good] + level[bad]) / 2
    return lambda _good, commit: Judgement.BAD if level[commit] > middle else Judgement.GOOD


@pytest.mark.parametrize("rule", ["moving reference", "midpoint"])
@pytest.mark.parametrize(
    ("case", "levels", "path", "answer"),
    [
        ("a: single regression", (1, 1, 1, 1, 2, 2), "r3 r4 r5", "r5"),
        ("b: improvement, then regression", (2, 2, 1, 3, 3, 3), "r3 r4", "r4"),
        ("c: regression, then improvement", (1, 1, 1, 3, 2, 2), "r3 r4", "r4"),
        ("d: oscillation", (1, 1, 2, 1, 2, 2), "r3 r2", "r3"),
    ],
)
def test_figure_9_controlled_experiments(
    rule: str, case: str, levels: Sequence[int], path: str, answer: str
) -> None:
    found, level = linear(levels)
    judge = midpoint(level, "r1", "r6") if rule == "midpoint" else moving_reference(level)

    walk = Bisection(found, "r1", "r6").walk(judge)

    assert (path, answer) == (" ".join(step.commit for step in walk.steps), walk.bad), case


def test_the_commit_that_is_compared_with_moves_with_the_search() -> None:
    found = graph(FIGURE_4)
    last_good: list[str] = []

    def judge(good: str, commit: str) -> Judgement:
        last_good.append(good)
        return known("FGH")(good, commit)

    Bisection(found, "A", "H").walk(judge)

    assert ["A", "E", "E"] == last_good
