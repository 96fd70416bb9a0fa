"""Why a cell or a method has its verdict, as data; `model/sentences.py` alone makes text of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """Why a cell or a method has its verdict (docs/formats.md lists them for readers of the documents)."""

    NOTICED = "noticed"
    """Detected: two runs said yes; of a method: at some benchmark."""

    SHARE_TOO_SMALL = "share-too-small"
    """Missed: too little of the benchmark's time is the method's."""
    DIFFERENCE_TOO_SMALL = "difference-too-small"
    """Missed: the benchmark became slower by less than half of δ."""
    NOT_SIGNIFICANT = "not-significant"
    """Missed: the difference does not stand out from the noise."""

    NOT_SLOWER = "not-slower"
    """Missed: all of the delay was injected and the benchmark took no longer: it works for a fixed time."""

    NOT_CALLED = "not-called"
    """Unreached: the benchmark does not call the method."""
    CANNOT_CALL = "cannot-call"
    """Unreached: by its class files nothing that the benchmark executes leads to the method."""
    SETUP_ONLY = "setup-only"
    """Unreached: called, but outside the timed region."""
    LOADING_ONLY = "loading-only"
    """Unreached: called by no benchmark, but while all are loaded: an import, a static initialiser."""
    AT_FIRST = "at-first"
    """Unreached: called by the first invocation only, say because a cache answers the others."""
    SKIPPED_BY_SUITE = "skipped-by-suite"
    """Unreached: the suite itself skips the benchmark."""

    UNVIABLE = "unviable"
    """No verdict: the method cannot carry a probe."""
    NO_TALLY = "no-tally"
    """No verdict: nothing proves that the probe was there and entered."""
    UNDER_INJECTED = "under-injected"
    """No verdict: the mutant was slowed by much less than requested."""
    OVER_INJECTED = "over-injected"
    """No verdict: the mutant was slowed by much more than requested."""
    UNCERTAIN_SHARE = "uncertain-share"
    """No verdict: another share within the interval of the method's would get another one."""
    CHANGED_BY_PROBE = "changed-by-probe"
    """No verdict: with probes in it the benchmark is another program, or does not run."""
    OTHER_PROCESSES = "other-processes"
    """No verdict: the benchmark's work is done in processes that the probe does not see."""
    OTHER_THREADS = "other-threads"
    """No verdict: several threads call the method at once, so that its share of the time says little."""
    AT_ONCE = "at-once"
    """No verdict: one call of the method does the work of all invocations; no delay of it suits them."""
    FIRST_TIMED = "first-timed"
    """No verdict: the suite times the benchmark's first invocation, of which little is known."""
    TIMED_OUT = "timed-out"
    """No verdict: the benchmark was killed at its time limit."""
    FAILED = "failed"
    """No verdict: the benchmark failed."""
    NOISY = "noisy"
    """No verdict: the machine or the benchmark varies too much."""
    NOT_RUN = "not-run"
    """No verdict: nothing was executed for it."""
    TOO_FEW_REPETITIONS = "too-few-repetitions"
    """No verdict: so few values cannot answer."""
    ANOTHER_BENCHMARK_NOTICES = "another-benchmark-notices"
    """No verdict, and none needed: with `--goal score` one benchmark that notices is enough."""
    BUDGET = "budget"
    """No verdict: the time budget ended before it was its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEnded:
    """How a trial ended that left no values."""

    said: str
    """One line of the benchmark's own process, or of ours about it."""
    arm: str = ""
    """The arm that it executed; empty where only one is in question."""


class TallyGap(StrEnum):
    """What a tally does not prove."""

    LOST = "lost"
    """There was none: the probe was not loaded."""
    OTHER_BUILD = "other-build"
    NEVER_ENTERED = "never-entered"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTally:
    """Where the proof of a probe is missing."""

    gap: TallyGap
    probed: str
    """The method in question."""
    tally_of: str = ""
    """The arm that should have left it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """How much of a delay was really there, in seconds."""

    injected_s: float
    requested_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Felt:
    """What benchmarks felt of a requested slowdown."""

    doses: tuple[float, ...]
    """Realised ÷ requested slowdown, one a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRange:
    """The interval that holds a share, 0..1."""

    lowest: float
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeEffect:
    """What inert probes do to a benchmark."""

    slower: float
    """Time with inert probes ÷ time without."""
    lowest: float
    """The method's share without probes, at least, 0..1."""
    highest: float
    """The method's share without probes, at most, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What the run with the smaller difference shows."""

    difference: float
    """Relative difference of the means."""
    threshold: float
    """What was asked for: half of δ."""
    largest_p: float
    """Of all runs made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooFew:
    """A run that cannot answer."""

    run: int
    """Counted from 1."""
    repetitions: int
    smallest_p: float | None = None
    """The smallest p that so few values can reach, where that is what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsMissing:
    """Runs that were not made, though those that were made said yes."""

    made: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InSetUp:
    """Benchmarks that call a method outside what is timed only."""

    benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The benchmark that spends most of its time in a method, and what is missing there."""

    benchmark: str
    share: float
    most: float | None = None
    """What the share may be, if that is known: the shortest calls are told to take nothing."""
    slowdown: float | None
    """The slowdown that was injected."""
    shortfall: "Explanation"
    """Why this cell is missed."""

    @property
    def at_most(self) -> float | None:
        """Return the most that the share is, where no more is known of it; None: it is told itself."""
        return None if self.share else self.most or None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCells:
    """Benchmarks without a verdict on a method that no other benchmark notices."""

    causes: Mapping[Cause, int]
    """Cause → number of such benchmarks."""
    judged: int
    """Benchmarks that were asked, with and without a verdict."""
    example: str
    """One of the commonest cause."""
    example_of: "Explanation"


@dataclass(frozen=True, slots=True, kw_only=True)
class BelowFloor:
    """A delay a call that is smaller than what a probe can wait for exactly, in nanoseconds."""

    delay_ns: float
    floor_ns: float


Shortcoming = NoTally | Injected | Felt | ShareRange | ProbeEffect | TooFew | RunsMissing
"""What keeps measured values from being evidence."""
Details = Shortcoming | TrialEnded | Difference | InSetUp | Nearest | OpenCells


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A cause with what is known of it."""

    cause: Cause
    details: Details | None = None
