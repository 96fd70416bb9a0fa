"""What the measurements say about a cell, a method and a whole suite."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.model.bounds import Count
from abs_audit.model.explanation import BelowFloor, Cause, Explanation
from abs_audit.model.sentences import of_cell, of_method


class Verdict(StrEnum):
    """Whether a slowdown would be noticed. No verdict is never a pass."""

    DETECTED = "detected"
    MISSED = "missed"
    UNREACHED = "unreached"
    NO_VERDICT = "no-verdict"


UNWATCHED = (Verdict.MISSED, Verdict.UNREACHED)
"""What is found where no benchmark would notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellVerdict:
    """One benchmark × one method."""

    method: str
    benchmark: str
    verdict: Verdict
    explanation: Explanation
    share: float | None
    """Inclusive time of the method ÷ time of the benchmark, 0..1."""
    requested: float | None
    """The slowdown δ that was asked for."""
    share_interval: tuple[float, float] | None = None
    """The least and the most that the share may be; None: it is not known."""
    realised: float | None = None
    """The slowdown that the benchmark felt: typical relative difference ÷ share."""
    difference_mean: float | None = None
    """Of the run where it is smaller."""
    difference_median: float | None = None
    p_values: tuple[float, ...] = ()
    """One a run."""
    repetitions: tuple[int, ...] = ()
    """Pairs of values, one number a run."""
    below_floor: BelowFloor | None = None
    """Set where so small a delay is not realised faithfully."""

    @property
    def cause(self) -> Cause:
        """Why it has its verdict."""
        return self.explanation.cause

    @property
    def reason(self) -> str:
        """The same in a sentence."""
        return of_cell(self.explanation, self.below_floor)


def noticed(cells: Iterable[CellVerdict]) -> set[str]:
    """Return the methods that some benchmark notices."""
    return {cell.method for cell in cells if cell.verdict is Verdict.DETECTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """The values of one run of a cell, each as a relative difference from the mean of the control."""

    control: tuple[float, ...]
    mutant: tuple[float, ...]
    mean: float
    """Relative difference of the means."""
    median: float
    interval: tuple[float, float] | None
    """95 % interval of the relative difference; None for too few values."""


CellRuns = Mapping[tuple[str, str], tuple[ComparedRun, ...]]
"""Method and benchmark → the runs of its cell, as far as a session has their values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodVerdict:
    """Whether any benchmark notices one method."""

    method: str
    verdict: Verdict
    explanation: Explanation
    detected_by: tuple[str, ...]
    best_share: float | None

    @property
    def cause(self) -> Cause:
        """Why it has its verdict."""
        return self.explanation.cause

    @property
    def reason(self) -> str:
        """The same in a sentence; empty where it is detected."""
        return of_method(self.explanation)


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """A/A cells: control against a second control, judged by the rule of the score."""

    cells: Count
    alarms: Count
