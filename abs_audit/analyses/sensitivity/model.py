"""How slow must each method become before any benchmark notices?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from abs_audit.model.bounds import bounded
from abs_audit.model.cost import CommandCost
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.wording import count, slower


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSensitivity:
    """The smallest noticed slowdown of one method."""

    method: str
    smallest_noticed: Annotated[
        float | None,
        bounded(0, description="extra time / own time; null: no slowdown is ever noticed, if known"),
    ]
    benchmark: str | None
    """The benchmark that notices first: the one with the largest share."""
    confirmed: bool
    """Injected at it: noticed; injected clearly below it: not noticed."""
    reason: str
    known: bool = True
    """False: for want of time, or of shares that can be believed, it is open whether any is noticed."""

    @property
    def never(self) -> bool:
        """Whether no slowdown at all is noticed."""
        return self.known and self.smallest_noticed is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Answer to: what is the smallest slowdown of each method that the suite notices?"""

    threshold: float
    """Relative difference of a benchmark that counts as noticed: half of δ."""
    methods: tuple[MethodSensitivity, ...]
    warnings: tuple[str, ...]
    cost: CommandCost | None = None
    """What the command that found it took."""


ABOVE = 1.2
"""Multiple of the predicted slowdown that should be noticed: at it exactly, noise would decide."""
BELOW = 0.6
"""Multiple of the predicted slowdown that should not be noticed."""
SUFFICIENT = 1 / ABOVE
"""Share from which on no other benchmark can notice a slowdown that is smaller by more than is told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What the shares say about one method, and what to inject to confirm it."""

    method: str
    benchmark: str
    """The one with the largest share."""
    share: float
    smallest: float
    """Slowdown at which the benchmark differs by the threshold."""
    at: float
    """Slowdown to inject that should be noticed."""
    below: float
    """Slowdown to inject that should not be noticed."""


def predict(method: str, shares: Mapping[str, float], threshold: float) -> Prediction | None:
    """Return the smallest slowdown that some benchmark notices: threshold ÷ largest share.

    A method with share s of a benchmark that becomes slower by d makes the benchmark slower by d · s;
    it is noticed from d · s = threshold on (half of δ; Laaber & Leitner 2018, §6.2, Eq. 2).
    `shares`: benchmark → share. No positive share: None, for no slowdown would be noticed.
    """
    positive = {name: share for name, share in shares.items() if share > 0}
    if not positive:
        return None
    benchmark = max(sorted(positive), key=lambda name: positive[name])
    smallest = threshold / positive[benchmark]
    return Prediction(
        method=method,
        benchmark=benchmark,
        share=positive[benchmark],
        smallest=smallest,
        at=ABOVE * smallest,
        below=BELOW * smallest,
    )


def suffices(share: float) -> bool:
    """Tell whether a benchmark with such a share of a method leaves nothing to be found by others."""
    return share >= SUFFICIENT


def conclude(
    prediction: Prediction, at: CellVerdict | None, below: CellVerdict | None, *, unknown: int = 0
) -> MethodSensitivity:
    """Return the prediction with what the two injections say about it; None: no time for it.

    Confirmed only if the larger one was detected and the smaller one missed; a cell without a verdict
    confirms nothing. Of `unknown` benchmarks that call the method nothing is known: unless the share is so
    large that none can notice it much sooner, one of them may.
    """
    open_ = 0 if suffices(prediction.share) else unknown
    others = [f"not known of {count(open_, 'benchmark')} more"] if open_ else []
    upper = _said(prediction.at, at, Verdict.DETECTED)
    lower = _said(prediction.below, below, Verdict.MISSED)
    verdicts = [cell and cell.verdict for cell in (at, below)]
    return MethodSensitivity(
        method=prediction.method,
        smallest_noticed=prediction.smallest,
        benchmark=prediction.benchmark,
        confirmed=not open_ and verdicts == [Verdict.DETECTED, Verdict.MISSED],
        reason="; ".join([upper, lower, *others]),
    )


def unnoticed(method: str, *, why_open: str) -> MethodSensitivity:
    """Return the answer for a method of which no share is known: none notices it, where nothing is open."""
    return MethodSensitivity(
        method=method,
        smallest_noticed=None,
        benchmark=None,
        confirmed=False,
        reason=why_open or "no benchmark calls it in its timed loop",
        known=not why_open,
    )


def sensitivity(threshold: float, methods: Sequence[MethodSensitivity]) -> Sensitivity:
    """Return the answers together, most sensitive first; warns of predictions that did not hold."""
    ordered = sorted(
        methods, key=lambda each: (each.smallest_noticed is None, each.smallest_noticed, each.method)
    )
    open_ = [each.method for each in ordered if each.smallest_noticed is not None and not each.confirmed]
    warnings = [f"not confirmed: {count(open_, 'prediction')}: {', '.join(open_)}"] if open_ else []
    return Sensitivity(threshold=threshold, methods=tuple(ordered), warnings=tuple(warnings))


def _said(slowdown: float, cell: CellVerdict | None, expected: Verdict) -> str:
    injected = f"made {slower(slowdown)}"
    if cell is None:
        return f"{injected}: not injected before the time budget ended"
    if cell.verdict is expected:
        return f"{injected}: {cell.verdict}, as predicted"
    if cell.verdict is Verdict.NO_VERDICT:
        return f"{injected}: no verdict ({cell.reason})"
    because = f" ({cell.reason})" if cell.reason else ""
    return f"{injected}: {cell.verdict} against the prediction{because}"
