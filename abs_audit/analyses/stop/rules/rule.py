"""The door of the stopping rules: samples in the order measured in, continue or stop out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether more values are needed, and why."""

    enough: bool
    """False: continue."""
    reason: str
    figures: Mapping[str, float]
    """What the rule looked at, by name; empty where it could not look yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule(ABC):
    """Decides from the values alone: the same values give the same answer, also where it resamples.

    It looks at `first` values, then after each further `interval`. Wen et al. 2023, §3.3: interval 5. The
    papers do not say where the checks begin; 10 leaves the earlier sample S_pre with 5 values. PT4Cloud
    depends on it, SuperFlow 1 does not.
    """

    first: int = 10
    interval: int = 5
    seed: int = 0
    """Of rules that resample."""
    paper_quirks: bool = False
    """As the authors' programs, where they differ from the text; each rule says how."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that users give."""

    def looks(self, available: int) -> range:
        """Return the numbers of values at which to look, up to `available`."""
        return range(self.first, available + 1, self.interval)

    def decide(self, samples: ArrayLike) -> Decision:
        """Decide after these values, in the order measured in.

        Raises ValueError for none, and for what is not finite and above 0: rules divide by what they measure,
        and no run takes no time.
        """
        values = checked(samples)
        if values.min() <= 0.0:
            raise ValueError(
                f"expected positive measurements, found {values.min():g}: readers must reject them"
            )
        if values.size < self.first:
            reason = f"{values.size} values, the first look is at {self.first}"
            return Decision(enough=False, reason=reason, figures={})
        return self.look(values)

    @abstractmethod
    def look(self, values: Floats) -> Decision:
        """Decide from values that are enough to look at."""
