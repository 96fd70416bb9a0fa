"""Tells from a profile of the processor how often a benchmark was found inside methods."""

import re
from collections.abc import Sequence

from abs_audit.formats import pprof
from abs_audit.model.measurement import MethodTally, Tally

LABEL, TIMED = "abs-audit", "timed"
"""What the probe's goroutines carry while the timer runs..."""
RESETS = "abs-audit-resets"
"""...and how often it was reset by then: what comes before the last time is set-up."""
TYPE_ARGUMENTS = re.compile(r"\[[^][]*\]")
POINTER = re.compile(r"\(\*(\w+)\)")
"""A receiver: a user may write a method of a value so, and no type has a method of either kind."""
COLLECTORS = ("runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge")
"""Goroutines that collect garbage. On the one processor that a benchmark has they interrupt calls, and what
lies between calls, alike."""
SET_UP = ("testing.(*B).runN", "runtime.main")
"""What calls set-up; goroutines that it started before the timer ran have neither on their stacks."""
OWN = (SET_UP[0], "testing.(*B).RunParallel.func1")
"""What calls a benchmark. A goroutine without it may work for a method that waits, which takes the time, too,
and is not on its stack."""


def sampled(build_id: str, methods: Sequence[str], profile: bytes, processor_s: float) -> Tally:
    """Return how often each method was on the stack while the timer ran, after its last reset.

    `processor_s` is the processor time of the whole process, in seconds: a kernel may tick slower than asked.
    Raises ValueError where the profile cannot be read.
    """
    stacks = list(pprof.stacks(profile))
    resets = max((_resets(stack) for stack in stacks), default=0)
    return Tally(
        build_id=build_id,
        methods={method: _of_method(method, stacks, resets) for method in methods},
        samples=sum(stack.number for stack in stacks if _is_measured(stack, resets)),
        samples_collecting=sum(
            stack.number for stack in stacks if not stack.functions.isdisjoint(COLLECTORS)
        ),
        sample_s=processor_s / max(1, sum(stack.number for stack in stacks)),
    )


def _resets(stack: pprof.Stack) -> int:
    return int(stack.labels.get(RESETS, 0))


def _is_timed(stack: pprof.Stack) -> bool:
    return stack.labels.get(LABEL) == TIMED


def _is_measured(stack: pprof.Stack, resets: int) -> bool:
    """Tell whether the timer ran, and was reset as often as it ever was."""
    return _is_timed(stack) and _resets(stack) == resets


def _of_method(method: str, stacks: Sequence[pprof.Stack], resets: int) -> MethodTally:
    name = _name(method)
    holding = [stack for stack in stacks if name in map(_name, stack.functions)]
    measured = [stack for stack in holding if _is_measured(stack, resets)]
    elsewhere = [
        stack for stack in holding if not _is_measured(stack, resets) and stack.functions.isdisjoint(SET_UP)
    ]
    beside = [stack for stack in stacks if _is_beside(stack) and name not in map(_name, stack.functions)]
    return MethodTally(
        samples=sum(stack.number for stack in measured),
        samples_outside=sum(stack.number for stack in (*elsewhere, *beside)),
    )


def _is_beside(stack: pprof.Stack) -> bool:
    """Tell whether a stack of the timed region is that of another goroutine than the benchmark's."""
    works = any(not function.startswith("runtime.") for function in stack.functions)
    return _is_timed(stack) and works and stack.functions.isdisjoint(OWN)


def _name(function: str) -> str:
    """Return what ids and symbols call a function alike: symbols escape dots at the end of an import path."""
    while function != (outer := TYPE_ARGUMENTS.sub("", function)):
        function = outer  # `F[[]byte]`: from the inside
    return POINTER.sub(r"\1", function).replace("%2e", ".")
