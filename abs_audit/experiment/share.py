"""What is a method to a benchmark: its share of the time, and how sure that is."""

from dataclasses import dataclass
from statistics import median

from abs_audit.experiment.protocol import NEEDED, NEGLIGIBLE

NEAR = 1.3
"""A share this many times what is needed may show as less: a slowdown is never quite the requested one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one method is to one benchmark."""

    method: str
    benchmark: str
    share: float
    """Inclusive time of the method ÷ time of the benchmark, 0..1."""
    lowest: float
    """The smallest share of a round."""
    highest: float
    """The largest share of a round."""
    calls: float
    """Calls (resumes) per invocation of the benchmark."""
    control_s: float
    """Seconds per invocation with the method's probe active and no delay."""
    threads: float = 1.0
    """Threads that execute the benchmark at once, on the average: each delays its own calls."""
    off_s: tuple[float, ...] = ()
    """Seconds per invocation with inert probes, one a round; less what the probe took where forks differ."""
    companions: frozenset[str] = frozenset()
    """Methods of which the probes were active, too, when `control_s` was measured."""
    unread: float = 0.0
    """Part of the benchmark's time that a clock read neither in calls nor between them."""
    first_part: float = 0.0
    """Part of what the suite times that only its first invocation takes, which nothing here measures."""
    low: float | None = None
    """The least that the share may be, by all that is known of it; None: nothing but the rounds."""
    high: float | None = None
    """The most that it may be."""

    @property
    def interval(self) -> tuple[float, float]:
        """Return the least and the most that the share may be; where nothing more is known, itself."""
        low, high = (self.share if bound is None else bound for bound in (self.low, self.high))
        return low, high

    @property
    def is_of_first(self) -> bool:
        """Tell whether the share depends on that part, so that measuring other invocations tells nothing."""
        low, high = self.interval
        return self.first_part >= NEGLIGIBLE and low < NEEDED <= high

    @property
    def plain_s(self) -> float | None:
        """Return the seconds per invocation with inert probes in a typical round; None: not known."""
        return median(self.off_s) if self.off_s else None

    @property
    def open(self) -> bool:
        """Tell whether the share that is needed lies within what it may be, or what is noticed of it near."""
        return (self.low or 0.0) < NEEDED * NEAR and (self.high or 0.0) * NEAR >= NEEDED

    def delay_ns(self, slowdown: float) -> float:
        """Return the delay a call that makes the benchmark slower by slowdown · share.

        It refers to the control arm, so that the probe's own cost cancels in the relative difference.
        """
        return 1e9 * slowdown * self.share * self.threads * self.control_s / self.calls
