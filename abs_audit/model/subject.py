"""The project under audit, its API methods and its benchmarks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

SourceTree = Mapping[str, str]
"""Sources of a subject: POSIX path relative to the root of its checkout → text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A project at a commit."""

    name: str
    root: Annotated[Path, Field(exclude=True)]
    """A place on this machine, which no document tells."""
    language: str
    framework: str
    commit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiMethod:
    """One public method that can be slowed down."""

    id: str
    """As contract.md writes it, for instance `pkg.mod.Class.method`."""
    path: str
    """File that holds it, relative to the root of the checkout."""
    line: int
    inherited: bool = False
    """Whether it is written for another type, and may have an id there, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A method that cannot carry a probe, and why."""

    method: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiListing:
    """The public API of a subject as far as its sources show it."""

    methods: tuple[ApiMethod, ...]
    skipped: tuple[Skipped, ...]

    @classmethod
    def of(cls, defined: Iterable[tuple[ApiMethod, str]], unreadable: Iterable[Skipped] = ()) -> Self:
        """List definitions, each with why it cannot carry a probe, if so, and the files that cannot be read.

        Of several that share an id the first counts, and first of all one that can carry a probe.
        """
        methods: dict[str, ApiMethod] = {}
        skipped: dict[str, Skipped] = {}
        for method, reason in defined:
            if reason:
                skipped.setdefault(method.id, Skipped(method=method.id, reason=reason))
            else:
                methods.setdefault(method.id, method)
        left = (entry for name, entry in skipped.items() if name not in methods)
        return cls(methods=tuple(methods.values()), skipped=(*unreadable, *left))


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """New texts for a copy of the sources, so that every instrumented method carries a probe."""

    files: Mapping[str, str]
    """POSIX path relative to the root → new text; holds the probe's runtime too."""
    instrumented: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    build_id: str
    """Digest of `files`; the probe's tally repeats it as proof of what was loaded."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Method → the one whose body carries its probe, where that is another: what a type inherits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark method with one combination of parameters."""

    id: str
    """What the framework itself accepts as a filter."""
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenBenchmark:
    """A benchmark that the framework names but that cannot be measured, and why."""

    id: str
    reason: str
    executed: bool = False
    """Whether it was compiled, and broke down when it was executed..."""
    overran: bool = False
    """...for it came to no end in the time that it may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What a suite contains."""

    benchmarks: tuple[Benchmark, ...]
    broken: tuple[BrokenBenchmark, ...]
    left_out: tuple[BrokenBenchmark, ...] = ()
    """What the build leaves out until it is told otherwise, such as Go's benchmarks behind build tags."""
    durations_s: Mapping[str, float] = field(default_factory=dict)
    """Benchmark id → what executing it once takes, in seconds; before that is recorded, an invocation that
    listing has seen."""
    imports_s: Mapping[str, float] = field(default_factory=dict)
    """Benchmark id → what importing its module takes, in seconds, before a process can execute it."""

    @property
    def duration_s(self) -> float | None:
        """What executing each once takes; None where that is known of none."""
        return sum(self.durations_s.values()) if self.durations_s else None

    @property
    def from_start_s(self) -> dict[str, float]:
        """Benchmark id → what executing it once in a new process takes, in seconds, as far as is known."""
        executing_s, importing_s = self.durations_s, self.imports_s
        names = (*executing_s, *importing_s)
        return {name: executing_s.get(name, 0.0) + importing_s.get(name, 0.0) for name in names}


class SourceBuild(BaseModel):
    """All keys of `[tool.abs-audit.java]`, or of `[java]` in abs-audit.toml: a suite without a build tool.

    Paths are relative to the root of the checkout.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[str, ...] = Field(min_length=1, description="folders of library and benchmarks")
    class_path: tuple[str, ...] = Field(default=(), description="jars, globs, or group:artifact:version")
    options: tuple[str, ...] = Field(default=(), description="further options of javac")
