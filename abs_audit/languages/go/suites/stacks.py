"""Tells from a profile of the processor how often a benchmark was found inside methods."""

import re
from collections.abc import Sequence

from abs_audit.formats import pprof
from abs_audit.model.measurement import MethodTally, Tally

LABEL, TIMED = "abs-audit", "timed"
"""What the probe's goroutines carry while the timer runs."""
TYPE_ARGUMENTS = re.compile(r"\[[^]]*\]")
COLLECTORS = ("runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge")
"""Goroutines that collect garbage. On the one processor that a benchmark has they interrupt calls, and what
lies between calls, alike."""
SET_UP = ("testing.(*B).runN", "runtime.main")
"""What calls set-up; goroutines that it started before the timer ran have neither on their stacks."""


def sampled(build_id: str, methods: Sequence[str], profile: bytes) -> Tally:
    """Return how often each method was on the stack while the timer ran.

    Raises ValueError where the profile cannot be read.
    """
    stacks = list(pprof.stacks(profile))
    return Tally(
        build_id=build_id,
        methods={method: _of_method(method, stacks) for method in methods},
        samples=sum(stack.number for stack in stacks if _timed(stack)),
        samples_collecting=sum(
            stack.number for stack in stacks if not stack.functions.isdisjoint(COLLECTORS)
        ),
    )


def _timed(stack: pprof.Stack) -> bool:
    return stack.labels.get(LABEL) == TIMED


def _of_method(method: str, stacks: Sequence[pprof.Stack]) -> MethodTally:
    name = _name(method)
    holding = [stack for stack in stacks if name in map(_name, stack.functions)]
    return MethodTally(
        calls=0,
        setup_calls=0,
        batches=0,
        injected_s=0.0,
        timed_s=0.0,
        samples=sum(stack.number for stack in holding if _timed(stack)),
        samples_outside=sum(
            stack.number for stack in holding if not _timed(stack) and stack.functions.isdisjoint(SET_UP)
        ),
    )


def _name(function: str) -> str:
    """Return a function's name as ids have it: symbols escape dots in the last part of an import path."""
    return TYPE_ARGUMENTS.sub("", function).replace("%2e", ".")
