"""Groups of options that many commands share, declared once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abs_audit import quantities
from abs_audit.cli.declaring import Writes, declared, switch
from abs_audit.quantities import PATH, TEXT, Kind

SESSION = Path(".abs-audit/session.db")
RUNNER = quantities.choice("local", "container")
SANDBOX = quantities.choice("auto", "off", "strict")
STOPPING_RULES = ("superflow1", "superflow2", "superflow3", "pt4cloud", "metior", "cov", "rciw")
STOPPING_RULE = quantities.choice(*STOPPING_RULES)


def session_file() -> Any:
    """Return the option that names the session."""
    return declared("--session", "Where everything measured is recorded.", SESSION, kind=PATH)


def json_switch() -> Any:
    """Return the switch for machines."""
    return switch("--json", "One JSON document on standard output, nothing else.")


def overruling(key: str, help_text: str, kind: Kind = TEXT, metavar: str | None = None, **more: Any) -> Any:
    """Return the option that overrules a key of the configuration, and bears its name."""
    flag = f"--{key.removesuffix('_s').replace('_', '-')}"
    return declared(flag, help_text, key=key, kind=kind, metavar=metavar, **more)


def patterns(key: str, help_text: str) -> Any:
    """Return the repeatable option of globs and expressions that overrules a key of the configuration."""
    return overruling(key, f"{help_text} Glob or /regex/; repeat it.", quantities.PATTERN, repeated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every command knows."""

    session: Path = session_file()
    config: Path | None = declared("--config", "Configuration instead of the checkout's own.", kind=PATH)
    as_json: bool = json_switch()
    seed: int | None = overruling("seed", "Seed of every random order.", quantities.SEED)
    quiet: bool = switch("--quiet -q", "No progress; where there is none, only the answer's first line.")
    verbose: bool = switch("--verbose -v", "Say more about what is being done.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """Which checkout, and which of its suites."""

    subject: Path = declared(
        "", "Directory of the checkout to audit.", Path(), kind=PATH, metavar="SUBJECT", shown="."
    )
    suite: str | None = overruling("suite", "Framework, where the checkout holds several.", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Checkout):
    """Where a suite executes, which tells recorded results apart."""

    interpreter: str | None = overruling("interpreter", "The language's own executable.", metavar="PATH")
    runner: str | None = overruling("runner", "Where the suite executes.", RUNNER)
    image: str | None = overruling("image", "Container image with the language's toolchain.", metavar="NAME")
    memory: str | None = overruling(
        "memory", "Memory of a container, such as 2g; else ¾ of all.", quantities.MEMORY
    )
    cpus: str | None = overruling("cpus", "CPUs to pin measurements to, such as 1 or 0,2.", quantities.CPUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Building(Reading):
    """What builds a suite and lists its benchmarks."""

    sandbox: str | None = overruling("sandbox", "How tightly a suite is confined on this machine.", SANDBOX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring(Building):
    """What measures a suite."""

    cluster: str | None = overruling(
        "cluster", "Scheduler whose hosts execute, or local:N.", metavar="ADDRESS"
    )
    timeout: float | None = overruling(
        "timeout_s", "Longest time for one benchmark's block: 600 or 10m.", quantities.DURATION
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """Which benchmarks are worked on."""

    benchmarks: tuple[str, ...] | None = patterns("benchmarks", "Only these benchmarks.")
    exclude_benchmarks: tuple[str, ...] | None = patterns("exclude_benchmarks", "Not these benchmarks.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """Which methods are worked on."""

    methods: Path | None = declared("--methods", "Trace document or one method id a line.", kind=PATH)
    method: tuple[str, ...] | None = patterns(
        "method", "Only these methods: of the file, the recorded trace, or the sources."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMethods:
    """Which of the recorded score's methods are worked on."""

    method: tuple[str, ...] | None = patterns("method", "Only these methods of the score.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long a command may take."""

    budget_time: float | None = declared(
        "--budget-time",
        "End in time with what is known by then, such as 10m; the same command goes on.",
        kind=quantities.DURATION,
        metavar="TIME",
    )


def page_file() -> Any:
    """Return the option that names a page to write."""
    return declared("--html", "Page to write, with pictures.", kind=PATH, writes=Writes.FILE)


def slowdown() -> Any:
    """Return the option that says how much slower methods are made."""
    return overruling(
        "slowdown", "Extra time ÷ own time; auto: twice the noise.", quantities.AUTO_SLOWDOWN, shown="auto"
    )


def fail_under() -> Any:
    """Return the option that makes a gate of the score."""
    return declared("--fail-under", "Exit 1 below this score, 0..100.", kind=quantities.PERCENTAGE)


def stopping_rule() -> Any:
    """Return the option that ends the unslowed runs."""
    return declared(
        "--stop", "Stopping rule that ends the unslowed runs, instead of a fixed number.", kind=STOPPING_RULE
    )


def downstream() -> Any:
    """Return the option that names projects whose tests are traced."""
    help_text = "Directory, archive, git URL or (Go) module@version; repeat it."
    return overruling("downstream", help_text, metavar="DIR_OR_GIT_URL", repeated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysing:
    """What an analysis of recorded values can draw, beside its answer."""

    page: Path | None = page_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(Analysing):
    """Which values an analysis of instances and trials takes."""

    source: Path | None = declared(
        "", "Session or result file; without it, the session.", kind=PATH, metavar="SOURCE"
    )
    remove_outliers: bool = switch("--remove-outliers", "Leave out values of at least 10 × the median.")
    instances: tuple[int, ...] | None = declared(
        "--instances", "Instances for each version, such as 1,5,20.", kind=quantities.COUNTS
    )
    trials: tuple[int, ...] | None = declared(
        "--trials", "Trials on each instance, such as 1,5.", kind=quantities.COUNTS
    )
