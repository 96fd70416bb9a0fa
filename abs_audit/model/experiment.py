"""What is to be measured: arms, steps and blocks; and the commands that measure it."""

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import gettempdir


class Mode(StrEnum):
    """What the probes of a process do."""

    OFF = "off"
    COUNT = "count"
    CALLERS = "callers"
    """Counts as well who calls; known to the probes of some languages only."""
    PROFILE = "profile"
    """Counts by the interpreter's own hook, in a copy without probes; known to Python's driver only."""
    TIME = "time"
    SAMPLE = "sample"
    """Interrupts the benchmark now and then, and looks at its stack; known to Go's driver only."""
    CONTROL = "control"
    DELAY = "delay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to execute a benchmark: which probes are active, and how."""

    mode: Mode
    methods: tuple[str, ...]
    """The methods whose probe is active; empty in mode `off`."""
    slowed: str | None = None
    """Mode `delay`: the one method of `methods` that is slowed; the others tick without delay."""
    delay_ns: float = 0.0
    """Delay of each call of `slowed`, in nanoseconds; 0 but in mode `delay`."""
    batch: int = 1
    """Calls that are delayed at once; at least 1.
    Equal in a control arm and its mutants, so that they differ by the delay alone."""
    label: str
    """Tells arms apart that are otherwise alike (a second control arm for A/A)."""
    control_s: float | None = None
    """Seconds that an invocation of the control took when the delay was computed. Where the control takes
    turns with its mutants in one process, the delay is in proportion to what it takes there; else fixed."""


UNPROBED = Arm(mode=Mode.OFF, methods=(), label="off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One trial to make: a benchmark under an arm."""

    arm: Arm
    invocations: int | None
    """Calls of the benchmark in one iteration; None: the suite finds a number worth `target_s`."""
    target_s: float
    """Wanted duration of an iteration, in seconds, where `invocations` is None."""
    iterations: int
    """Measured values to record."""
    warmup: int
    """Iterations to throw away first."""
    undivided: bool = False
    """Whether an iteration must not be divided into turns of fewer invocations."""


class BlockKind(StrEnum):
    """What a block is executed for."""

    CALIBRATION = "calibration"
    UNSLOWED = "unslowed"
    """Separate runs of the suite as it is: what `stability` and the analyses of samples read."""
    FIRST_LOOK = "first-look"
    """Whether a benchmark calls anything; its process may have executed others that did not."""
    REACH = "reach"
    SHARES = "shares"
    CELLS = "cells"
    """Control and mutants, of the self-check as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Steps of one benchmark that are executed next to each other, in this order, in one fork."""

    id: str
    """Unique in a session; the key under which a resumed command finds it done."""
    benchmark: str
    steps: tuple[Step, ...]
    limit_s: float
    """Time after which the block is killed and its missing steps are `timed-out`."""
    instance: int | None = None
    """The host that executes it, counted round their number; None: whichever is free."""
    kind: BlockKind = BlockKind.CELLS
    process: str = ""
    """Those with another name here share no process with it, so that what one keeps is seen to differ."""
    expected_s: float = 0.0
    """Seconds that it should take in all, set-ups of iterations included; 0: as long as its iterations."""


LONGEST_TEMPORARY = 75
"""Bytes in the path of a folder for temporary files: sockets are made there, whose whole path the system
limits to 107, and what multiprocessing adds is 32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder of ours with a copy of the subject; the only place where its code executes.

    Where building takes long it has two, and neither is built anew for the other one's sake.
    """

    root: Path
    unprobed: bool = False
    """Whether the second copy is meant, which never has probes."""

    @property
    def tree(self) -> Path:
        """The copy of the checkout, patched or not."""
        return self.beside("tree")

    def beside(self, name: str) -> Path:
        """Return where a file or folder lies that belongs to the copy, and is not in it."""
        return self.root / (f"unprobed-{name}" if self.unprobed else name)

    @property
    def home(self) -> Path:
        """What the subject's processes see as the home directory."""
        return self.root / "home"

    @property
    def results(self) -> Path:
        """Where commands leave their result files."""
        return self.root / "results"

    @property
    def temporary(self) -> Path:
        """Where what executes here keeps temporary files: in the workspace, unless its path is too long.

        Then its name stands for the whole path: caches of two users have workspaces of the same name.
        """
        inside = self.root / "tmp"
        path = os.fsencode(inside)
        if len(path) <= LONGEST_TEMPORARY:
            return inside
        return Path(gettempdir()) / f"abs-audit-{hashlib.sha256(path).hexdigest()[:16]}"


class Sandbox(StrEnum):
    """How tightly commands on this machine have to be confined."""

    AUTO = "auto"
    """As tightly as the system can."""
    OFF = "off"
    STRICT = "strict"
    """Cut off from files and network, or nothing executes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Which commands one process may execute, each in a fork of what it is once it has made ready."""

    kind: str
    """They are of one kind, differ in their last argument alone..."""
    needs: frozenset[str]
    """...and need nothing that the first of them does not need."""

    def served_by(self, first: "Shared") -> bool:
        """Tell whether a process that was started for another command serves this one, too."""
        return self.kind == first.kind and self.needs <= first.needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A process to start; composed by suites, toolchains and tracers, started by executors only."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """Added to the executor's own minimal environment."""
    limit_s: float
    """Time after which the whole process tree is killed."""
    results: Path | None = None
    """A file that the process appends complete lines to; read while it grows."""
    silence_s: float = math.inf
    """Time after which it is killed, too, if it has appended a line and appends no other."""
    network: bool = False
    """True only for fetching dependencies; nothing of the audited suite runs then."""
    purpose: str
    """For progress and messages: what is being done, in a few words."""
    if_needed: bool = False
    """Whether what comes after it is tried without it first: it takes long, and mostly changes nothing."""
    advice: str = ""
    """What to do where it fails and its own words do not help."""
    instance: int | None = None
    """The host that executes it, counted round their number; None: whichever is free."""
    shared: Shared | None = None
    """What it may share a process with, where the executor keeps one; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What became of a command."""

    exit_code: int
    """Negative: killed by that signal."""
    timed_out: bool
    out_of_memory: bool
    output: str
    """The result file where the command names one, else standard output; truncated at a limit."""
    log: str
    """The last part of standard output and error, for messages."""
    wall_s: float
    truncated: bool
    host: str = ""
    """Which of several hosts it was; empty for this machine."""
