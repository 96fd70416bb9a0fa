"""A mistake in the source of a benchmark."""

from dataclasses import dataclass
from enum import StrEnum

from abs_audit.tables import table


class Rule(StrEnum):
    """Known mistakes of benchmarks, under the names by which they can be accepted."""

    NOTHING_TIMED = "nothing-timed"
    CALLED_BEFORE_TIMING = "called-before-timing"
    ASSERTION_TIMED = "assertion-timed"
    CLOCK_INSIDE = "clock-inside"
    SLEEP_TIMED = "sleep-timed"
    UNSEEDED_RANDOM = "unseeded-random"
    ITERATIONS_IGNORED = "iterations-ignored"
    ITERATIONS_AS_INPUT = "iterations-as-input"
    TIMER_IN_LOOP = "timer-in-loop"
    SETUP_TIMED = "setup-timed"
    RESULT_UNUSED = "result-unused"
    CONSTANT_INPUT = "constant-input"
    NO_FORK = "no-fork"
    NO_WARMUP = "no-warm-up"
    SETUP_EACH_INVOCATION = "setup-each-invocation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Why a mistake matters, and what mends it."""

    why: str
    fix: str


ADVICE = {Rule(name): Advice(**words) for name, words in table("model/lint.toml").items()}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Lint:
    """One mistake at one place, in whose order they are told."""

    path: str
    """Relative to the root of the checkout."""
    line: int
    rule: Rule
    benchmark: str
    """Name of the function that holds it."""

    @property
    def advice(self) -> Advice:
        """Why it is one, and what mends it."""
        return ADVICE[self.rule]

    @property
    def id(self) -> str:
        """What an accept-list names: rule, file and function, whatever line it moves to."""
        return f"{self.rule}:{self.path}:{self.benchmark}"
