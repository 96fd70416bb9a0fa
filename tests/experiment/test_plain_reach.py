"""What becomes of the cells of benchmarks that run without probes only."""

import pytest

from abs_audit.experiment.plain_reach import broken_by_probes, without_calls
from abs_audit.experiment.reach import Reach
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.builders import because, cell


def broken(method: str, benchmark: str = "b") -> CellVerdict:
    said = because(Cause.CHANGED_BY_PROBE, "NameError")
    return cell(method, benchmark, Verdict.NO_VERDICT, explanation=said)


CELLS = (broken("called"), broken("set up"), broken("neither"), broken("first"), cell("called", "other"))
KNOWN = Reach(
    benchmark="b",
    calls={"called": 1.0},
    setup_only=frozenset({"set up"}),
    failure=None,
    elsewhere={"first": "first"},
)


def test_benchmarks_that_only_probes_break_are_told() -> None:
    assert broken_by_probes(Cells.of(CELLS)) == ("b",)


def test_only_methods_that_the_plain_benchmark_calls_stay_without_a_verdict() -> None:
    settled = without_calls(Cells.of(CELLS), {"b": KNOWN})
    assert [(known.verdict, known.cause) for known in settled] == [
        (Verdict.NO_VERDICT, Cause.CHANGED_BY_PROBE),
        (Verdict.UNREACHED, Cause.SETUP_ONLY),
        (Verdict.UNREACHED, Cause.NOT_CALLED),
        (Verdict.NO_VERDICT, Cause.CHANGED_BY_PROBE),
        (CELLS[-1].verdict, CELLS[-1].cause),
    ]


FAILED = Reach(
    benchmark="b",
    calls={},
    setup_only=frozenset(),
    failure=Trial(block="b", position=0, status=Status.FAILED, reason="it failed"),
)


@pytest.mark.parametrize("reached", [{}, {"b": FAILED}], ids=["unknown", "failed"])
def test_where_the_plain_benchmark_tells_nothing_nothing_changes(reached: dict[str, Reach]) -> None:
    assert without_calls(Cells.of(CELLS), reached) == Cells.of(CELLS)
