"""Groups of options that many commands share, declared once."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from abs_audit.cli.declaring import Writes, argument, option, setting, switch
from abs_audit.quantities import (
    AUTO_SLOWDOWN,
    COUNTS,
    CPUS,
    DURATION,
    MEMORY,
    PATH,
    PATTERN,
    PERCENTAGE,
    SEED,
    choice,
)

SESSION = Path(".abs-audit/session.db")
SANDBOX = choice("auto", "off", "strict")
STOPPING_RULES = ("superflow1", "superflow2", "superflow3", "pt4cloud", "metior", "cov", "rciw")
STOPPING_RULE = choice(*STOPPING_RULES)


session_file = partial(option, "Where everything measured is recorded.", PATH, str(SESSION), asks=True)
"""The option that names the session."""
config_file = partial(option, "Configuration instead of the checkout's own.", PATH, asks=True)
"""The option that names the configuration."""
json_switch = partial(switch, "One JSON document on standard output, nothing else.")
"""The switch for machines."""
subject = partial(argument, "Directory of the checkout to audit.", PATH, ".", metavar="SUBJECT", asks=True)
"""The argument that names the checkout."""
source = partial(
    argument, "Session or result file; without it, the session.", PATH, metavar="SOURCE", asks=True
)
"""The argument that names what holds recorded values."""


def patterns(help_text: str) -> Any:
    """Return the repeatable option of globs and expressions that overrules a key of the configuration."""
    return setting(f"{help_text} Glob or /regex/.", PATTERN, repeated=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every command knows."""

    session: Path = session_file()
    config: Path | None = config_file()
    json: bool = json_switch()
    seed: int | None = setting("Seed of every random order.", SEED)
    quiet: bool = switch("No progress; where there is none, only the answer's first line.", short="-q")
    verbose: bool = switch("Say more about what is being done.", short="-v")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """Which checkout, and which of its suites."""

    subject: Path = subject()
    suite: str | None = setting("Framework, where the checkout holds several.", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Checkout):
    """Where a suite executes, which tells recorded results apart."""

    interpreter: str | None = setting("The language's own executable.", metavar="PATH")
    runner: str | None = setting("Where the suite executes.", choice("local", "container"))
    image: str | None = setting("Container image with the language's toolchain.", metavar="NAME")
    memory: str | None = setting("Memory of a container, such as 2g; else ¾ of all.", MEMORY)
    cpus: str | None = setting("CPUs to pin measurements to, such as 1 or 0,2.", CPUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Building(Reading):
    """What builds a suite and lists its benchmarks."""

    sandbox: str | None = setting("How tightly a suite is confined on this machine.", SANDBOX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring(Building):
    """What measures a suite."""

    cluster: str | None = setting("Scheduler whose hosts execute, or local:N.", metavar="ADDRESS")
    timeout_s: float | None = setting("Longest time for one benchmark's block: 600 or 10m.", DURATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """Which benchmarks are worked on."""

    benchmarks: tuple[str, ...] | None = patterns("Only these benchmarks.")
    exclude_benchmarks: tuple[str, ...] | None = patterns("Not these benchmarks.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """Which methods are worked on."""

    methods: Path | None = option("Trace document or one method id a line.", PATH, asks=True)
    method: tuple[str, ...] | None = patterns(
        "Only these methods: of the file, the recorded trace or sources; private ones where no other matches."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMethods:
    """Which of the recorded score's methods are worked on."""

    method: tuple[str, ...] | None = patterns("Only these methods of the score.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long a command may take."""

    budget_time: float | None = option(
        "End in time with what is known by then, such as 10m; the same command goes on.", DURATION
    )


page_file = partial(option, "Page to write, with pictures.", PATH, writes=Writes.FILE)
"""The option that names a page to write."""
slowdown = partial(setting, "Extra time ÷ own time; auto: twice the noise.", AUTO_SLOWDOWN, unset="auto")
"""The option that says how much slower methods are made."""
fail_under = partial(option, "Exit 1 below this score, 0..100.", PERCENTAGE)
"""The option that makes a gate of the score."""
stopping_rule = partial(
    option, "Stopping rule that ends the unslowed runs, instead of a fixed number.", STOPPING_RULE, asks=True
)
"""The option that ends the unslowed runs."""
downstream = partial(
    setting,
    "Projects whose tests are traced: directory, archive, git URL or (Go) module@version.",
    metavar="DIR_OR_GIT_URL",
    repeated=True,
)
"""The option that names projects whose tests are traced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysing:
    """What an analysis of recorded values can draw, beside its answer."""

    html: Path | None = page_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(Analysing):
    """Which values an analysis of instances and trials takes."""

    source: Path | None = source()
    remove_outliers: bool = switch("Leave out values of at least 10 × the median.", asks=True)
    instances: tuple[int, ...] | None = option(
        "Instances for each version, such as 1,5,20.", COUNTS, asks=True
    )
    trials: tuple[int, ...] | None = option("Trials on each instance, such as 1,5.", COUNTS, asks=True)
