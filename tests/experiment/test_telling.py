"""What is said of the cells that nothing was measured for, however many there are."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment.asking import Axes
from abs_audit.experiment.cell_profiles import ProfilePlan
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.share import Share
from abs_audit.experiment.telling import told
from abs_audit.model.cells import size
from abs_audit.model.explanation import Cause, Explanation, Felt
from abs_audit.model.verdict import Verdict
from tests.support.builders import cell
from tests.support.fake_executor import FakeSuite, harness, trial
from tests.support.known_shares import injection

METHODS = tuple("mnopq")


def test_benchmarks_that_may_call_the_same_are_told_of_together(tmp_path: Path) -> None:
    """commons-rng has 7,236 of 299 functions: a million cells, each by itself, took a minute to count."""
    plan = ProfilePlan(benchmarks=("counted",), methods=METHODS, target_s=1.0, seed=1)
    counted = Profiler(harness(tmp_path, FakeSuite(trial)), plan).profiles
    may_call = {f"{function}:{number}": frozenset(function) for function in "mn" for number in range(50)}
    profiles = replace(counted, may_call=may_call, ended=True)
    axes = Axes(methods=METHODS, benchmarks=["counted", *may_call])
    cells = told(profiles, axes, injection("switched", settle_all=True), {}, ended=True)

    assert (len(METHODS) * 101, len(METHODS)) == (len(cells), len(cells.listed))
    assert len(cells.alike) < 8
    causes = {(cell.method, cell.benchmark): cell.cause for cell in cells}
    assert len(cells) == len(causes)
    assert Cause.BUDGET is causes["m", "m:7"] is causes["n", "n:0"]
    assert Cause.CANNOT_CALL is causes["n", "m:7"] is causes["q", "n:0"]
    assert {"m", "n"} == cells.because(Cause.BUDGET)
    assert 101 == size(cells.of_methods()["m"])


@pytest.mark.parametrize(
    ("doses", "cause"), [((3.5, 8.2), Cause.UNCERTAIN_SHARE), ((1.2, 8.2), Cause.SHARE_TOO_SMALL)]
)
def test_a_benchmark_that_feels_too_much_in_each_run_may_feel_the_most_of_them(
    tmp_path: Path, doses: tuple[float, float], cause: Cause
) -> None:
    """What takes .12 of a benchmark with an expiring cache makes it 50 % slower, as it is filled oftener."""
    plan = ProfilePlan(benchmarks=("expiring",), methods=("get", "beside"), target_s=1.0, seed=1)
    profiles = Profiler(harness(tmp_path, FakeSuite(trial)), plan).profiles
    beside = Share(
        method="beside", benchmark="expiring", share=0.12, lowest=0.1, highest=0.14, calls=1.0, control_s=1.0
    )
    over = Explanation(cause=Cause.OVER_INJECTED, details=Felt(doses=doses))
    settled = {("get", "expiring"): cell("get", "expiring", Verdict.NO_VERDICT, explanation=over)}
    cells = told(
        replace(profiles, shares={("beside", "expiring"): beside}),
        Axes(methods=("get", "beside"), benchmarks=("expiring",)),
        injection("switched", settle_all=True),
        settled,
        ended=False,
    )
    assert {"beside"} == cells.because(cause)
