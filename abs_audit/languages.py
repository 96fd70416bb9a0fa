"""The one table of languages; the only importer of injectors and tracers.

A language is an injector, a tracer, suites and a writer of stubs, and one row here. Nothing else names it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.interfaces import Injector, StubWriter, Suite, Tracer
from abs_audit.model.subject import ApiListing, SourceTree
from abs_audit.stubs.asv import AsvStubs
from abs_audit.stubs.go_bench import GoBenchStubs
from abs_audit.stubs.jmh import JmhStubs
from abs_audit.stubs.pyperf import PyperfStubs
from abs_audit.stubs.pytest_benchmark import PytestBenchmarkStubs
from abs_audit.suites.asv import AsvSuite
from abs_audit.suites.go_bench import GoBenchSuite
from abs_audit.suites.jmh import JmhSuite
from abs_audit.suites.pyperf import PyperfSuite
from abs_audit.suites.pytest_benchmark import PytestBenchmarkSuite
from injectors.go.injector import GoInjector
from injectors.java.injector import JavaInjector
from injectors.python.injector import PythonInjector
from tracers.go.tracer import GoTracer
from tracers.java.tracer import JavaTracer
from tracers.python.tracer import PythonTracer
from tracers.ranking import rank

__all__ = ["LANGUAGES", "Framework", "Language", "detect", "rank"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """A benchmark framework: its suite and the writer of missing benchmarks."""

    suite: Suite
    stubs: StubWriter | None
    """None: benchmarks of this framework are not written yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything that the program knows of a language."""

    name: str
    suffixes: tuple[str, ...]
    """Ends of the names of files that the injector and the writers of stubs read."""
    injector: Injector
    tracer: Tracer | None
    """None: the tests of downstream projects cannot be traced yet; methods come from a file."""
    frameworks: tuple[Framework, ...]
    forks_a_block: bool
    """True: the steps of a block share a fork, so that one warm-up serves them all; else each has its own."""
    forks_alike: bool
    """False: compilers make something else of each fork, so only what one fork measured is comparable."""
    warmup: int
    """Iterations to throw away in a fresh fork."""
    payment_ns: float
    """Smallest delay that is worth paying at once: large against the cost of a payment. To that belongs that
    what comes next finds a processor that has learnt something else."""
    floor_ns: float
    """Delay per call below which a slowdown is not realised faithfully."""
    iteration_part: float = 1.0
    """Part of an iteration's usual duration that is enough for a cell: less where control and mutant take
    turns within milliseconds, as that takes most of the noise away."""
    functions: Callable[[SourceTree], ApiListing] | None = None
    """Lists every function that can carry a probe, private ones too; None: the public API stands in."""
    records_callers: bool = False
    """Whether its probe knows the mode `callers`; else callers are inferred from the text."""


LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        suffixes=(".py", ".pyi", ".toml", ".cfg"),
        injector=PythonInjector(),
        tracer=PythonTracer(),
        frameworks=(
            Framework(suite=AsvSuite(), stubs=AsvStubs()),
            Framework(suite=PytestBenchmarkSuite(), stubs=PytestBenchmarkStubs()),
            Framework(suite=PyperfSuite(), stubs=PyperfStubs()),
        ),
        forks_a_block=True,
        forks_alike=True,
        warmup=1,
        payment_ns=20_000.0,
        floor_ns=20.0,
        functions=PythonInjector().all_functions,
        records_callers=True,
    ),
    Language(
        name="go",
        suffixes=(".go", "go.mod", "go.work", "Godeps.json", "vendor.json", "glide.yaml"),
        injector=GoInjector(),
        tracer=GoTracer(),
        frameworks=(Framework(suite=GoBenchSuite(), stubs=GoBenchStubs()),),
        forks_a_block=True,
        forks_alike=True,
        # The testing package itself makes a first run of one invocation in every process.
        warmup=0,
        payment_ns=50_000.0,
        floor_ns=2.0,
        iteration_part=0.5,
        functions=GoInjector().all_functions,
    ),
    Language(
        name="java",
        suffixes=(".java", "pom.xml", "build.gradle", "build.gradle.kts"),
        injector=JavaInjector(),
        tracer=JavaTracer(),
        frameworks=(Framework(suite=JmhSuite(), stubs=JmhStubs()),),
        forks_a_block=False,
        forks_alike=False,
        warmup=1,
        payment_ns=20_000.0,
        floor_ns=3.0,
        functions=JavaInjector().all_functions,
    ),
)


def detect(root: Path, wanted: str | None) -> list[tuple[Language, Framework]]:
    """Return the suites that a checkout holds, or the one that is wanted by its framework's name."""
    known = [(language, framework) for language in LANGUAGES for framework in language.frameworks]
    names = ", ".join(framework.suite.name for _, framework in known)
    if wanted is not None:
        found = [(language, framework) for language, framework in known if framework.suite.name == wanted]
        if not found:
            raise UsageError(f"--suite {wanted}: no such framework; expected one of {names}")
        return found
    found = [(language, framework) for language, framework in known if framework.suite.detect(root)]
    if not found:
        raise UsageError(
            f"{root}: no benchmark suite found; looked for {names}. "
            "Name one with --suite, or begin one with: abs-audit stubs"
        )
    return found
