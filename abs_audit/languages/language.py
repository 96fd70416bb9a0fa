"""What the program knows of a language; each wing says it in its `__init__`."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from abs_audit.interfaces import BuildSettings, Injector, StubWriter, Suite, Tracer
from abs_audit.model.experiment import Command, Workspace
from abs_audit.model.lint import Lint
from abs_audit.model.subject import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """A benchmark framework: its suite and the writer of missing benchmarks."""

    suite: Suite
    stubs: StubWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatter:
    """What gives sources the repository's own format."""

    name: str
    fetching: tuple[Command, ...]
    """What makes it available, in order."""
    printing: Command
    """Prints a file anew. Two paths are to follow: the one that its text will have, and where the text is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything that the program knows of a language."""

    name: str
    suffixes: tuple[str, ...]
    """Ends of the names of files that the injector and the writers of stubs read."""
    injector: Injector
    tracer: Tracer
    frameworks: tuple[Framework, ...]
    forks_a_block: bool
    """True: the steps of a block share a fork, so that one warm-up serves them all; else each has its own."""
    forks_alike: bool
    """False: compilers make something else of each fork, so only what one fork measured is comparable."""
    warmup: int
    """Iterations to throw away in a fresh fork."""
    fork_s: float
    """Seconds that starting and warming a fork take beyond what counting shows, which needs no warm one."""
    delay_batch_ns: float
    """Smallest delay that is worth injecting at once: large against what it costs besides, as that what comes
    next finds a processor that has learnt something else."""
    floor_ns: float
    """Delay per call below which a slowdown is not realised faithfully."""
    lint: Callable[[str, str], Iterable[Lint]]
    """Finds known mistakes in the benchmarks of one source, given its path and its text."""
    clocked_call_s: float = 0.0
    """Seconds that reading clocks adds to a call, on average, where short ones take far less."""
    looks_s: tuple[float, ...] = ()
    """Seconds of a benchmark in each round of looks at its stack (mode `sample`); empty: there are none."""
    turns: int = 1
    """Iterations that each arm of a fork takes where forks differ, those of the baseline included."""
    spread: int = 1
    """Invocations of an iteration from which on collecting garbage, which begins anew with each, falls on all
    methods as it does in long runs: in fewer it comes once, always in the same place."""
    iteration_part: float = 1.0
    """Part of an iteration's usual duration that is enough for a cell: less where control and mutant take
    turns within milliseconds, as that takes most of the noise away."""
    as_built: Callable[[SourceTree, Mapping[str, str]], SourceTree] = lambda tree, environment: tree
    """Returns sources so that they tell what the suite's environment says of which of them are compiled."""
    enclosing: Callable[[Path], Path] = lambda folder: folder
    """Returns the folder that holds all that building a folder needs: what joins modules lies above them."""
    formatter: Callable[[Workspace, BuildSettings], Formatter | None] = lambda workspace, settings: None
    """Returns the formatter that a repository is configured for, None without one."""
    times_together: bool = False
    """Whether its probe takes what it costs off the calls that others are inside of: then one arm that times
    all methods tells which shares are small."""
    builds_long: bool = False
    """Whether building may take so long that copies with probes and without have a folder each."""
    records_callers: bool = False
    """Whether its probe knows the mode `callers`; else callers are inferred from the text."""
    single_s: float = math.inf
    """Seconds from which on an invocation is surely the only one that the language's own tool times, with
    what comes before the benchmark's loop."""
    may_call: Callable[[Workspace, BuildSettings], Command] | None = None
    """Composes what tells, without executing them, which probes benchmarks may come to; None: nothing can."""
    remark: Callable[[Path], str] = lambda tree: ""
    """Returns what to know of a built tree where no probe sees all that is executed, else nothing."""
    unseen: Callable[[Path, Iterable[str]], Mapping[str, str]] = lambda tree, methods: {}
    """Returns the methods whose probes a built tree does not execute → the file that is executed instead."""

    def mistakes(self, tree: SourceTree) -> tuple[Lint, ...]:
        """Return the known mistakes in the benchmarks of a checkout, by place."""
        return tuple(sorted(mistake for path, text in tree.items() for mistake in self.lint(path, text)))
