"""What the measurements say about a cell, a method and a whole suite."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Whether a slowdown would be noticed. No verdict is never a pass."""

    DETECTED = "detected"
    MISSED = "missed"
    UNREACHED = "unreached"
    NO_VERDICT = "no-verdict"


class NoVerdictReason(StrEnum):
    """Why there is no verdict; the first word of a cell's reason."""

    UNVIABLE = "unviable"
    TIMED_OUT = "timed-out"
    FAILED = "failed"
    NOISY = "noisy"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellVerdict:
    """One benchmark × one method."""

    method: str
    benchmark: str
    verdict: Verdict
    reason: str
    share: float | None
    """Inclusive time of the method ÷ time of the benchmark, 0..1."""
    requested: float | None
    """The slowdown δ that was asked for."""
    realised: float | None
    """The slowdown that the benchmark felt: typical relative difference ÷ share."""
    difference_mean: float | None
    """Of the run where it is smaller."""
    difference_median: float | None
    p_values: tuple[float, ...]
    """One a run."""
    repetitions: tuple[int, ...]
    """Pairs of values, one number a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodVerdict:
    """Whether any benchmark notices one method."""

    method: str
    verdict: Verdict
    reason: str
    detected_by: tuple[str, ...]
    best_share: float | None
