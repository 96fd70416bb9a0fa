"""The search without noise and with it: one regression, several, none, and commits that do not build."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from abs_audit.analyses.rootcause.commits.history import History
from abs_audit.analyses.rootcause.commits.investigation import Investigation, Progress
from abs_audit.analyses.rootcause.commits.rules import MidpointRule, PaperRule, Rule
from abs_audit.analyses.rootcause.commits.samples import Run, measured
from tests.support.histories import of_edges

Values = tuple[float, ...]
Machine = Callable[[int], Values | str]
"""Commit → the values of one more run, or why there are none."""


def chain(size: int) -> dict[int, list[int]]:
    return {commit: [commit - 1] if commit else [] for commit in range(size)}


def exact(levels: Sequence[float]) -> Machine:
    return lambda commit: (levels[commit],) * 5


def noisy(levels: Sequence[float], seed: int, shift: float = 0.01) -> Machine:
    draw = np.random.default_rng(seed)

    def run(commit: int) -> Values:
        level = levels[commit] * (1 + shift * draw.normal())
        return tuple((level * (1 + 0.05 * draw.normal(size=50))).tolist())

    return run


def investigated(
    found: Mapping[int, Sequence[int]], machine: Machine, rule: Rule | None = None
) -> tuple[Progress, Mapping[int, list[Run]]]:
    """Measure what is asked for until nothing is; return the answer and all runs."""
    investigation = Investigation(found, 0, len(found) - 1)
    runs: dict[int, list[Run]] = {}
    skipped: dict[int, str] = {}
    for number in range(500):
        known = replace(measured(runs), skipped=skipped)
        progress = investigation.progress(known, rule or MidpointRule())
        if not progress.wanted:
            return progress, runs
        for commit in progress.wanted:
            outcome = machine(commit)
            if isinstance(outcome, str):
                skipped[commit] = outcome
            else:
                runs.setdefault(commit, []).append(Run(round=number, values=outcome))
    raise AssertionError("the search does not end")


def causes(progress: Progress) -> list[int]:
    return [one.cause for one in progress.regressions]


@pytest.mark.parametrize("rule", [MidpointRule(), PaperRule()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("cause", [1, 2, 37, 98, 99])
def test_without_noise_both_rules_find_every_place_with_about_log2_commits(rule: Rule, cause: int) -> None:
    levels = [1.0] * cause + [1.3] * (100 - cause)

    progress, runs = investigated(chain(100), exact(levels), rule)

    assert [cause] == causes(progress)
    # Two ends, log2(99) = 6.6 halvings rounded up, and perhaps the parent of the cause.
    assert len(runs) <= 2 + 7 + 1


def test_two_regressions_are_both_found_the_larger_first() -> None:
    levels = [1.0] * 20 + [1.1] * 40 + [1.4] * 40

    progress, _ = investigated(chain(100), noisy(levels, seed=1))

    assert [60, 20] == causes(progress)
    assert all(one.confirmed for one in progress.regressions)


def test_a_cause_is_blamed_only_once_it_was_measured_beside_its_parent() -> None:
    """gojq's parser was called 11 % slower by three runs, and three of its parent at another time;
    beside each other the two were alike in five searches of five.
    """
    machine = exact([1.0] * 60 + [1.1] * 40)
    runs = {place: [Run(round=place, values=machine(place))] * 4 for place in range(100)}  # type: ignore[arg-type]

    progress = Investigation(chain(100), 0, 99).progress(measured(runs), MidpointRule())

    assert ([], (59, 60)) == (causes(progress), progress.wanted)


def test_no_more_regressions_are_searched_than_asked_for() -> None:
    machine = exact([1.0] * 20 + [1.1] * 40 + [1.4] * 40)
    runs = {
        place: [Run(round=number, values=machine(place)) for number in range(4)]  # type: ignore[arg-type]
        for place in range(100)
    }

    progress = Investigation(chain(100), 0, 99, most=1).progress(measured(runs), MidpointRule())

    assert ([60], ()) == (causes(progress), progress.wanted)


def test_a_regression_after_an_improvement_is_found() -> None:
    assert [60] == causes(investigated(chain(100), noisy([2.0] * 30 + [1.0] * 30 + [3.0] * 40, seed=2))[0])


def test_equal_ends_hold_no_regression_to_search_for() -> None:
    progress, runs = investigated(chain(100), noisy([1.0] * 100, seed=3))

    assert ([], (), {0, 99}) == (causes(progress), progress.walks, set(runs))


def test_an_improvement_is_no_regression() -> None:
    assert [] == causes(investigated(chain(100), noisy([1.5] * 50 + [1.0] * 50, seed=4))[0])


def test_a_slow_decay_has_no_confirmed_cause() -> None:
    levels = [1.0 * 1.003**number for number in range(100)]

    progress, _ = investigated(chain(100), noisy(levels, seed=5, shift=0.005))

    assert progress.regressions
    assert not progress.regressions[0].confirmed


def test_commits_that_do_not_build_are_gone_around() -> None:
    broken = set(range(40, 58))
    machine = exact([1.0] * 70 + [1.3] * 30)
    found, _ = investigated(chain(100), lambda commit: "broken" if commit in broken else machine(commit))

    assert [70] == causes(found)
    assert (70,) == found.regressions[0].suspects
    assert len([step for step in found.walks[0].steps if step.commit in broken]) <= 5


def test_a_cause_behind_commits_that_do_not_build_is_one_of_them() -> None:
    machine = exact([1.0] * 70 + [1.3] * 30)
    found, _ = investigated(chain(100), lambda commit: "broken" if 65 <= commit < 70 else machine(commit))

    (one,) = found.regressions
    assert ((65, 66, 67, 68, 69, 70), 70, 64) == (one.suspects, one.cause, one.start)


def merged() -> History:
    """A main line m0…m9 and a branch b1…b5 off m2, merged by m8."""
    edges = [(f"m{number}", f"m{number + 1}") for number in range(9)]
    edges += [("m2", "b1"), ("b1", "b2"), ("b2", "b3"), ("b3", "b4"), ("b4", "b5"), ("b5", "m8")]
    return of_edges(edges)


@pytest.mark.parametrize("cause", ["b1", "b3", "b5", "m3", "m7", "m8", "m9"])
def test_causes_on_a_branch_on_the_main_line_and_in_the_merge_itself_are_told_apart(cause: str) -> None:
    named = merged()
    graph = nx.DiGraph([(parent, child) for child, own in named.items() for parent in own])
    slow = {cause} | nx.descendants(graph, cause)
    levels = [1.2 if commit in slow else 1.0 for commit in named]
    places = {commit: place for place, commit in enumerate(named)}
    found = {places[commit]: [places[parent] for parent in own] for commit, own in named.items()}

    progress, _ = investigated(found, noisy(levels, seed=7))

    assert [places[cause]] == causes(progress)
    (start,) = [one.start for one in progress.regressions]
    assert start in found[places[cause]]


def test_the_same_runs_in_another_order_give_the_same_answer() -> None:
    levels = [1.0] * 33 + [1.08] * 67
    progress, runs = investigated(chain(100), noisy(levels, seed=7))
    order = list(runs)
    random.Random(1).shuffle(order)
    again = measured({commit: runs[commit] for commit in order})

    assert progress == Investigation(chain(100), 0, 99).progress(again, MidpointRule())


def test_a_cut_off_search_wants_what_the_whole_one_wanted_there() -> None:
    """Dropping the last runs leads back to the request that they answered."""
    found, machine = chain(200), noisy([1.0] * 150 + [1.07] * 50, seed=8)
    investigation = Investigation(found, 0, 199)
    runs: dict[int, list[Run]] = {}
    requests = []
    while True:
        known = measured(runs)
        wanted = investigation.progress(known, MidpointRule()).wanted
        assert wanted == Investigation(found, 0, 199).progress(known, MidpointRule()).wanted
        if not wanted:
            break
        requests.append(wanted)
        for commit in wanted:
            values = machine(commit)
            assert isinstance(values, tuple)
            runs.setdefault(commit, []).append(Run(round=len(requests), values=values))
    assert 10 < len(requests)


@pytest.mark.parametrize(("effect", "least"), [(0.10, 20), (0.05, 19)])
def test_under_noise_the_default_finds_it_where_the_paper_often_fails(effect: float, least: int) -> None:
    found = chain(300)
    right = {"default": 0, "paper": 0}
    for seed in range(20):
        cause = random.Random(seed).randrange(1, 300)
        levels = [1.0] * cause + [1 + effect] * (300 - cause)
        for rule in (MidpointRule(), PaperRule()):
            progress, _ = investigated(found, noisy(levels, seed), rule)
            right[rule.name] += causes(progress)[:1] == [cause]

    assert right["default"] >= least
    assert right["default"] > right["paper"]


def test_a_step_beside_many_small_ones_is_found_though_the_midpoint_lies_between_them() -> None:
    """The time falls to the midpoint in steps too small to tell, stays there for long, and drops at once."""
    levels = [1.0 + 0.007 * number for number in range(30)] + [1.22] * 40 + [1.5] * 30

    progress, _ = investigated(chain(100), noisy(levels, seed=9, shift=0.005))

    assert 70 == causes(progress)[0]
    assert progress.regressions[0].confirmed


def test_the_largest_regression_comes_first_whichever_is_found_first() -> None:
    # The midpoint of 1 and 1.62 is 1.27: the search comes upon the middle one, of 12 %, first.
    levels = [1.0] * 20 + [1.25] * 30 + [1.4] * 20 + [1.62] * 30

    progress, _ = investigated(chain(100), noisy(levels, seed=10))

    assert [50, 20, 70] == [walk.bad for walk in progress.walks]
    assert [20, 70, 50] == causes(progress)


def test_the_paper_s_rule_gives_one_answer() -> None:
    levels = [1.0] * 20 + [1.25] * 30 + [1.4] * 20 + [1.62] * 30

    progress, _ = investigated(chain(100), exact(levels), PaperRule())

    assert [20] == causes(progress)
