"""A mistake in the source of a benchmark."""

from dataclasses import dataclass
from enum import StrEnum


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


ADVICE: dict[Rule, Advice] = {
    Rule.NOTHING_TIMED: Advice(
        why="the benchmark never hands anything to its framework, so nothing is timed",
        fix="call the fixture with the function to time: benchmark(function, arguments)",
    ),
    Rule.CALLED_BEFORE_TIMING: Advice(
        why="the function is called once before timing, and what it returns is handed to the framework",
        fix="hand over the function and its arguments apart: benchmark(function, arguments)",
    ),
    Rule.ASSERTION_TIMED: Advice(
        why="an assertion is part of what is timed",
        fix="return the result from the timed function and check it outside",
    ),
    Rule.CLOCK_INSIDE: Advice(
        why="the benchmark reads a clock of its own inside what is timed",
        fix="leave timing to the framework",
    ),
    Rule.SLEEP_TIMED: Advice(
        why="a sleep is part of what is timed: it hides every slowdown that is shorter",
        fix="remove the sleep, or wait in set-up",
    ),
    Rule.UNSEEDED_RANDOM: Advice(
        why="each run measures other input, for its random numbers have no seed",
        fix="draw from a generator with a fixed seed",
    ),
    Rule.ITERATIONS_IGNORED: Advice(
        why="the benchmark never looks at b.N: it does the same work however often it is to be repeated",
        fix="repeat the work in `for b.Loop()` or `for i := 0; i < b.N; i++`",
    ),
    Rule.ITERATIONS_AS_INPUT: Advice(
        why="b.N is the size of the input: each run measures another problem",
        fix="use a fixed size, and b.N only for how often it is repeated",
    ),
    Rule.TIMER_IN_LOOP: Advice(
        why="the timer is stopped and started in every iteration, which may cost more than what is timed",
        fix="prepare all inputs before the loop, or time several of them together",
    ),
    Rule.SETUP_TIMED: Advice(
        why="work in a loop comes before the timed one without b.ResetTimer: it counts as benchmark time",
        fix="call b.ResetTimer() before the loop over b.N",
    ),
    Rule.RESULT_UNUSED: Advice(
        why="the result goes nowhere: a compiler may leave the computation out",
        fix="return the result, hand it to a Blackhole, or store it in a package variable",
    ),
    Rule.CONSTANT_INPUT: Advice(
        why="the input is a final field with a constant: a compiler may compute the result once",
        fix="read the input from a field of a @State class that is not final",
    ),
    Rule.NO_FORK: Advice(
        why="@Fork(0) runs the benchmark inside JMH's own process, with what other benchmarks left there",
        fix="use at least one fork",
    ),
    Rule.NO_WARMUP: Advice(
        why="without warm-up the first values are those of interpreted code",
        fix="give @Warmup at least one iteration",
    ),
    Rule.SETUP_EACH_INVOCATION: Advice(
        why="Level.Invocation reads the clock around each call: calls below a millisecond drown in it",
        fix="use Level.Iteration and let the benchmark work on prepared copies",
    ),
}


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
