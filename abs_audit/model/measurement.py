"""What was measured: trials with their raw values and the probe's tally."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """How a trial ended. Only `ok` is evidence."""

    OK = "ok"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    SKIPPED = "skipped"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTally:
    """What the probe of one method did during the measured iterations of a trial."""

    calls: int = 0
    """Entries (for generators and coroutines: resumes) inside the timed region."""
    setup_calls: int = 0
    """Entries outside the timed region; counted in mode `count` only."""
    loading_calls: int = 0
    """Those of them that no benchmark makes: by imports, variables of packages, static initialisers."""
    longest_s: float | None = None
    """Mode `count`, Go: what the longest took of the first few calls of each run and of its set-up, in
    seconds; None: none was timed."""
    injected_s: float = 0.0
    """What the injected delays took, in seconds."""
    timed_s: float = 0.0
    """Mode `time`: estimated inclusive time of the outermost calls, in seconds, own cost taken off."""
    batches: int = 0
    """Delays injected, of so many calls each; in a control of nothing."""
    error_s: float = 0.0
    """Mode `time`: how wrong `timed_s` may be because of what timing itself takes, in seconds."""
    cut_s: float | None = None
    """Mode `time`: what was cut off calls that took far longer than others, and may have been interrupted;
    None: not known."""
    uncut_s: float | None = None
    """Mode `time`: what of `timed_s` nothing was cut off, so that it holds interruptions; None: not known."""
    apart_s: float | None = None
    """Mode `time`: what passed between these calls, own cost taken off, in seconds; None: not known."""
    waited_s: float = 0.0
    """Mode `time`: seconds that calls waited shortly, or beside other tasks or calls: whether theirs, nobody
    knows."""
    inside_s: float = 0.0
    """Mode `time`, Python: what the probes of others took inside these calls, in seconds, taken off them."""
    on_processor: float = 1.0
    """Mode `time`: part of the timed region that was not taken away by others; 1: all of it, or not known."""
    probe_s: float = 0.0
    """Mode `time`: what the probe itself took, in seconds; known where forks differ."""
    requested_s: float | None = None
    """What they were to take, in seconds, by a delay in proportion to the control in its process; None: it
    was fixed, what the arm says for each call."""
    callers: Mapping[str, int] = field(default_factory=dict)
    """Mode `callers`: nearest probed method above → calls; the empty name stands for none."""
    elsewhere: str = ""
    """Mode `count`: `processes` or `threads`, where others than the benchmark's own entered it, too."""
    samples: int = 0
    """Mode `sample`: stacks in the timed region that hold the method."""
    samples_outside: int = 0
    """Mode `sample`: stacks that say nothing of it. In Go they hold it in goroutines that set-up had started,
    or are of others that it may wait for; in Java they prepare invocations, or have it inlined."""


NEVER_ENTERED = MethodTally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Proof of which build was loaded and what its probes did."""

    build_id: str
    methods: Mapping[str, MethodTally]
    """Those whose probes were active; in mode `count` without some that were never entered."""
    is_whole: bool = True
    """False: it counts parts of the trial, too, that its values leave out as interrupted."""
    plain_s: float | None = None
    """Seconds that an invocation without active probes took in turns beside it; None: there were none."""
    samples: int = 0
    """Mode `sample`: stacks in the timed region."""
    samples_collecting: int = 0
    """Mode `sample`: stacks of what collects garbage, and in Java of what was called by nobody knows whom."""
    sample_s: float = 0.01
    """Mode `sample`: processor time between two stacks, in seconds."""
    from_first: int = 0
    """Mode `count`: invocations that the suite itself times from the very first on; 0: it warms up before."""
    set_up_s: float = 0.0
    """Seconds of set-up that are no part of the trial, since its process is a fork made after them."""
    threads: int = 1
    """Threads that each make the invocations of the trial, where the harness says so; calls are of all."""
    on_processor: float = 1.0
    """Mode `off`: part of the timed region that was not taken away by others; 1: all of it, or not known."""

    def of(self, method: str) -> MethodTally:
        """Return what the probe of a method did."""
        return self.methods.get(method, NEVER_ENTERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One executed step."""

    block: str
    position: int
    """Index of the step in its block."""
    status: Status
    reason: str
    """One line for the user; of `ok` empty."""
    invocations: int = 0
    """Calls of the benchmark in each iteration."""
    values: tuple[float, ...] = ()
    """Seconds per invocation, one value an iteration; empty unless `ok`."""
    tally: Tally | None = None
    """None in mode `off` where nobody tells what others took."""
    wall_s: float = 0.0
    """Time the step took in all, set-up and warm-up included."""
    outside_s: float = 0.0
    """Part of that which is known to be no invocation's, nor the set-up of one."""
    executed_whole: str = ""
    """The benchmark that was executed with all its parts where this one breaks down alone; else empty."""

    @property
    def inside_s(self) -> float:
        """Return what may be of the invocations, in seconds: what is not known to be outside of them."""
        return self.wall_s - self.outside_s
