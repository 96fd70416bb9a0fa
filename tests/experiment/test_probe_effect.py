"""The probe effect: which shares of a probed benchmark say something of the plain one."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.analyses.stability.model import BenchmarkSpread
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.probe_effect import deciding, inert_again, plain_share, reopened, told_apart
from abs_audit.experiment.share import Share
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import UNPROBED, Arm, Block
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.builders import cell
from tests.support.fake_executor import FakeSuite, harness, trial

PLAIN = BenchmarkSpread(benchmark="b", means=(1.0, 1.02, 0.98), max_spread=0.04, rsd=0.02)


def share(part: float, *off_s: float) -> Share:
    """Return a share of a benchmark that takes so long with inert probes, in each round."""
    return Share(
        method="m",
        benchmark="b",
        share=part,
        lowest=part,
        highest=part,
        calls=1.0,
        control_s=max(off_s),
        off_s=off_s,
    )


def test_where_probes_change_little_a_share_is_what_it_is() -> None:
    found = plain_share(share(0.6, 1.2, 1.25), PLAIN)
    assert (0.6, 0.6) == (found.lowest, found.highest)


def test_additional_time_is_the_methods_or_it_is_not() -> None:
    """xxhash's New is inlined and allocates nothing until a probe lies in it: 6.3 ns become 36 ns."""
    found = plain_share(share(0.85, 5.7, 5.8, 5.6), PLAIN)
    assert (0.0, 1.0) == (found.lowest, found.highest)
    assert found.slower == pytest.approx(5.7)


def test_where_time_is_short_those_come_first_without_which_a_method_would_be_open() -> None:
    """Of fastjson one that is all of three benchmarks was open: 60 others had come before them."""
    call_s = {("m", "b"): 2e-9, ("m", "c"): 2e-9, ("n", "d"): 2e-9, ("n", "e"): 1e-6, ("o", "b"): 3e-9}
    shares = {at: replace(share(0.9, 500 * once_s), calls=450.0) for at, once_s in call_s.items()}
    missed = cell("p", "f", Verdict.MISSED)
    assert deciding(Cells.of([*(cell(*at) for at in call_s), missed]), shares) == ("b",)


@pytest.mark.parametrize(
    ("call_s", "spreads", "told"),
    [
        (2e-9, [], [Cause.BUDGET, Cause.BUDGET, Cause.NOT_CALLED]),
        (2e-9, [PLAIN], [Cause.NOTICED, Cause.ANOTHER_BENCHMARK_NOTICES, Cause.NOT_CALLED]),
        (1e-6, [], [Cause.NOTICED, Cause.ANOTHER_BENCHMARK_NOTICES, Cause.NOT_CALLED]),
    ],
)
def test_that_short_calls_are_noticed_is_open_until_the_plain_benchmark_is_known(
    call_s: float, spreads: list[BenchmarkSpread], told: list[Cause]
) -> None:
    """Calls that a loop inlines were .89 of it with probes, 2.7 times as slow, and .4 without any."""
    many = replace(share(0.9, 500 * call_s), calls=450.0)
    causes = {"b": Cause.NOTICED, "c": Cause.ANOTHER_BENCHMARK_NOTICES, "d": Cause.NOT_CALLED}
    cells = [
        CellVerdict(
            method="m",
            benchmark=name,
            verdict=Verdict.DETECTED if cause is Cause.NOTICED else Verdict.NO_VERDICT,
            explanation=Explanation(cause=cause),
            share=None,
            requested=0.5,
        )
        for name, cause in causes.items()
    ]
    opened = [*reopened(Cells.of(cells), {("m", "b"): many}, spreads, ended=True)]
    assert told == [cell.cause for cell in opened]
    assert (opened[0].verdict is Verdict.DETECTED) == (told[0] is Cause.NOTICED)


@pytest.mark.parametrize(
    ("part", "call_s", "scatter", "cause"),
    [
        (0.55, 5e-8, 0.74, Cause.NOISY),
        (0.55, 5e-8, 0.2, Cause.NOTICED),
        (0.9, 5e-8, 0.74, Cause.NOTICED),
        (0.55, 1e-6, 0.74, Cause.NOTICED),
    ],
)
def test_short_calls_are_not_noticed_where_what_a_probe_does_to_them_cannot_be_seen(
    part: float, call_s: float, scatter: float, cause: Cause
) -> None:
    """A call that costs nothing where it is inlined: on a busy machine its probe's 20 % were no effect."""
    plain = BenchmarkSpread(benchmark="b", means=(1.0, 1.0 + scatter), max_spread=scatter, rsd=scatter / 2)
    noticing = CellVerdict(
        method="m",
        benchmark="b",
        verdict=Verdict.DETECTED,
        explanation=Explanation(cause=Cause.NOTICED),
        share=part,
        requested=0.5,
    )
    known = replace(share(part, 1.0), calls=part / call_s)
    (told,) = reopened(Cells.of([noticing]), {("m", "b"): known}, [plain], ended=False)
    assert (cause, cause is Cause.NOTICED) == (told.cause, told.verdict is Verdict.DETECTED)


def test_a_share_is_known_to_a_fifth() -> None:
    found = plain_share(share(0.9, 2.0, 2.0, 2.0), PLAIN)
    assert (pytest.approx(0.8 * 0.9 * 2 - 1), 1.0) == (found.lowest, found.highest)
    assert pytest.approx(1.2 * 0.2 * 2) == plain_share(share(0.2, 2.0, 2.0, 2.0), PLAIN).highest


def test_of_a_benchmark_that_takes_many_times_as_long_not_even_the_whole_says_anything() -> None:
    doubted = [told_apart({("m", "b"): share(1.0, slower)}, [PLAIN])[1] for slower in (2.0, 3.5)]
    assert [False, True] == list(map(bool, doubted))


@pytest.mark.parametrize(("part", "doubtful"), [(0.97, False), (0.7, True), (0.3, True), (0.2, False)])
def test_a_share_is_doubted_only_where_the_answer_depends_on_it(part: float, doubtful: bool) -> None:
    kept, doubted = told_apart({("m", "b"): share(part, 2.0, 2.0)}, [PLAIN])
    assert (not doubtful, doubtful) == (bool(kept), ("m", "b") in doubted)


@pytest.mark.parametrize("off_s", [(1.0, 2.5, 2.6), (2.0, 0.9, 0.9)])
def test_a_moment_of_the_machine_is_no_probe_effect(off_s: tuple[float, ...]) -> None:
    kept, doubted = told_apart({("m", "b"): share(0.5, *off_s)}, [PLAIN])
    assert (1, {}) == (len(kept), doubted)


def test_what_seems_to_be_changed_is_executed_some_more_times(tmp_path: Path) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        assert arm == UNPROBED
        return trial(block, position, arm, 1.0 if block.id.endswith("/3/b") else 2.5)

    cell, iteration_plan = (
        ("m", "b"),
        IterationPlan(benchmark="b", invocations=1000, iteration_s=0.02, wall_s=0.03),
    )
    suite = FakeSuite(invented)
    again = inert_again(harness(tmp_path, suite), {"b": iteration_plan}, {cell: share(0.5, 2.4, 2.6)}, 1)
    assert len({block.process for block in suite.asked} - {""}) == 10
    assert (12, 1.0) == (len(again[cell].off_s), min(again[cell].off_s))
    assert {} == told_apart(again, [PLAIN])[1]


def test_what_differs_from_itself_as_much_is_not_judged() -> None:
    loose = BenchmarkSpread(benchmark="b", means=(0.6, 1.0, 1.4), max_spread=0.8, rsd=0.3)
    assert [1, 0] == [len(part) for part in told_apart({("m", "b"): share(0.5, 2.0, 2.0)}, [loose])]


def test_a_benchmark_whose_plain_time_is_unknown_is_not_judged() -> None:
    other = BenchmarkSpread(benchmark="other", means=(1.0,), max_spread=0.0, rsd=0.0)
    broken = BenchmarkSpread(benchmark="b", means=(), max_spread=None, rsd=None)
    assert [1, 0] == [len(part) for part in told_apart({("m", "b"): share(0.5, 2.0, 2.0)}, [other, broken])]
