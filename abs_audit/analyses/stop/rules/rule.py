"""The door of the stopping rules: samples in the order measured in, continue or stop out."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

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
class Looks:
    """When a rule looks: at `first` values, then after each further `interval`.

    Wen et al. 2023, §3.3: interval 5. The papers do not say where the checks begin; 10 leaves the earlier
    sample S_pre with 5 values. PT4Cloud depends on it, SuperFlow 1 does not.
    """

    first: int = 10
    interval: int = 5

    def sizes(self, available: int) -> Iterator[int]:
        """Yield the numbers of values at which to look, up to `available`."""
        yield from range(self.first, available + 1, self.interval)


class StoppingRule(Protocol):
    """Decides from the values alone: the same values give the same answer, also where it resamples."""

    @property
    def name(self) -> str:
        """The name that users give."""
        ...

    @property
    def looks(self) -> Looks:
        """When to ask."""
        ...

    def decide(self, samples: ArrayLike) -> Decision:
        """Decide after these values, which are finite, positive and in the order measured in."""
        ...


def measured(samples: ArrayLike) -> Floats:
    """Return the samples as an array; ValueError where one is not a finite number above 0, or none is there.

    Rules divide by what they measure, and no run takes no time.
    """
    values = checked(samples)
    if values.min() <= 0.0:
        raise ValueError(f"expected positive measurements, found {values.min():g}: readers must reject them")
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking(ABC):
    """What rules have in common: none looks before there are as many values as its first look wants."""

    looks: Looks = field(default_factory=Looks)
    seed: int = 0
    """Of rules that resample."""
    paper_quirks: bool = False
    """As the authors' programs, where they differ from the text; each rule says how."""

    def decide(self, samples: ArrayLike) -> Decision:
        """Decide after these values; ValueError where they are no measurements."""
        values = measured(samples)
        if values.size < self.looks.first:
            reason = f"{values.size} values, the first look is at {self.looks.first}"
            return Decision(enough=False, reason=reason, figures={})
        return self.look(values)

    @abstractmethod
    def look(self, values: Floats) -> Decision:
        """Decide from values that are enough to look at."""
