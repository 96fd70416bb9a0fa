"""The doors between the rooms. Modules or small classes satisfy them; nothing inherits from them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from abs_audit.model.experiment import Block, Command, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import (
    ApiListing,
    ApiMethod,
    Benchmark,
    Discovery,
    Patch,
    SourceBuild,
    SourceTree,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSettings:
    """What a user may say about building and starting the subject."""

    interpreter: str | None
    """The language's own executable; None: find one."""
    requirements: tuple[str, ...]
    """Further packages that the suite needs."""
    paths: tuple[str, ...]
    """Where the benchmarks lie, relative to the root; empty: found by the suite."""
    environment: Mapping[str, str]
    image: str | None = None
    """Container image that commands run in, with a toolchain of its own; None: they run on this machine."""
    java: SourceBuild | None = None
    """What the user says of a Java suite whose build tool we do not know; None: found by the suite."""
    longest_s: float = field(default=math.inf, repr=False)
    """Seconds that one benchmark may take at most; what is built is the same for all."""


class Injector(Protocol):
    """Puts probes into sources: text in, text out."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List the public API methods, and those that cannot carry a probe."""
        ...

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        """List every function that can carry a probe where it is written, private ones too."""
        ...

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion."""
        ...


class Suite(Protocol):
    """Composes commands for one benchmark framework and reads their outputs; starts nothing."""

    @property
    def name(self) -> str:
        """The framework's name as users write it."""
        ...

    def detect(self, root: Path) -> bool:
        """Tell whether the checkout holds a suite of this framework."""
        ...

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose what fetches dependencies and builds the copy, in order."""
        ...

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        """Compose what lists the benchmarks."""
        ...

    def discovery(self, execution: Execution) -> Discovery:
        """Read what `discover` printed; raise ControlFailedError where it is unusable."""
        ...

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks, in order; a command may execute several.

        A failing, hanging or crashing step costs no other step its result.
        """
        ...

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        """Read complete records from an output, or from any run of whole lines of a result file."""
        ...

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return what to paste into a command line to run just these benchmarks."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DownstreamCounts:
    """What the unit tests of one downstream project called."""

    direct: Mapping[str, int]
    """Method id → calls from the downstream's own code."""
    internal: Mapping[str, int]
    """Method id → calls that the audited library makes itself."""
    other: Mapping[str, int]
    """Method id → calls from third libraries."""
    tests_passed: int
    tests_failed: int
    arguments: Mapping[str, tuple[str, ...]]
    """Method id → calls seen, as source text of replayable argument lists, most frequent first."""
    ended_after_s: float | None = None
    """When tests that did not come to their end were interrupted."""


class Tracer(Protocol):
    """Counts which API methods the unit tests of a downstream project call."""

    side_by_side: bool
    """Whether several downstreams may be prepared and tested at once: nothing that they write is shared."""

    def release(self, workspace: Workspace, given: str, settings: BuildSettings) -> Sequence[Command]:
        """Compose what downloads a release that is named as usual in the language; the last prints where to.

        Nothing where `given` is no such name.
        """
        ...

    def prepare(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Sequence[Command]:
        """Compose what builds the downstream, whose copy the workspace holds, against the library."""
        ...

    def command(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Command:
        """Compose what runs the downstream's unit tests with the recorder switched on."""
        ...

    def counts(self, workspace: Workspace, methods: Sequence[str], execution: Execution) -> DownstreamCounts:
        """Read what the recorder left, whatever the tests' exit code."""
        ...


class Executor(Protocol):
    """Starts commands and kills them with all their children; the only way to run a subject's code."""

    @property
    def width(self) -> int:
        """Commands that may be under way at once, each with a host of its own; above 1: from threads."""
        ...

    @property
    def place(self) -> str:
        """What makes its trials not comparable with those of this machine; empty where nothing does."""
        ...

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute to the end; hand each complete line of `command.results` to `on_line` as it comes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StubRequest:
    """An API method that no benchmark watches, with what is known about calling it."""

    method: str
    arguments: tuple[str, ...]
    """Replayable argument lists seen by the tracer, most frequent first."""
    existing: tuple[Benchmark, ...]
    """The suite's benchmarks, whose style is to be followed."""
    failed: frozenset[str] = frozenset()
    """Texts that were proposed before, and did not run or had no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A proposed benchmark."""

    method: str
    path: str
    """New file, relative to the root."""
    text: str
    benchmark: str | None
    """Id under which the suite will know it; None where no benchmark could be written."""
    reason: str
    """Empty, or what a person has to fill in."""


class StubWriter(Protocol):
    """Writes missing benchmarks in the style of a suite."""

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write one benchmark for one method."""
        ...
