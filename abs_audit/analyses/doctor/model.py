"""How noisy is this machine? An A/A test, and what its outcome means for an audit."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, Self

QUIET, NOISY = 0.02, 0.10
"""Median difference of equal work beside each other: below, δ = .05 stands out; above, hardly .2."""
UNSTEADY, DISTURBED = 0.2, 1.0
"""The same for one pair of twenty: above, work is interrupted for longer than it takes."""
ADVICE = {
    "good": "slowdowns from 5 % on can be told from it",
    "fair": "measure with a slowdown of 0.2 or more, or with less going on beside it",
    "bad": "something else uses this machine; end it, pin with --cpus, or expect cells without a verdict",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How much the times of equal work differ here, and what that means."""

    typical: float
    """Median relative difference of two equal pieces of work, one after the other."""
    largest: float
    """Difference that one pair of twenty exceeds."""

    @classmethod
    def of(cls, differences: Sequence[float]) -> Self:
        """Return the noise that shows in relative differences, smallest first."""
        return cls(typical=median(differences), largest=differences[int(0.95 * len(differences))])

    @property
    def verdict(self) -> Literal["good", "fair", "bad"]:
        """One word for it."""
        if self.typical < QUIET and self.largest < UNSTEADY:
            return "good"
        return "fair" if self.typical < NOISY and self.largest < DISTURBED else "bad"

    @property
    def answer(self) -> str:
        """What it means for an audit, and why."""
        return (
            f"Noise is {self.verdict}: {ADVICE[self.verdict]}. Equal work differs by "
            f"{100 * self.typical:.1f} %, one pair in twenty by more than {100 * self.largest:.1f} %."
        )
