"""Tells from what async-profiler saw how often a benchmark was found inside methods."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

from abs_audit.languages.java.toolchain.ids import Ids
from abs_audit.model.measurement import MethodTally, Tally

HARNESS = "org/openjdk/jmh/"
_FRAME = re.compile(r"(?P<owner>.+)\.(?P<name>[^.(]+)(?P<descriptor>\(.*)_\[(?P<kind>.)\]")
_INLINED = "i"
"""Kind of a frame that is a part of another one's code, of which compilers tell little whose it is."""


class _Region(Enum):
    """What JMH's loop was at."""

    TIMED = auto()
    UNTIMED = auto()
    """Preparing an invocation, which the loop does between two readings of the clock."""
    UNCLEAR = auto()
    """What is no Java, without what called it, or garbage was collected."""


def sampled(tally: Tally, benchmark: str, methods: Sequence[str], looks: str, processor_s: float) -> Tally:
    """Return a tally with how often each method was on the stack while a benchmark was timed.

    `looks`: in each line a number and the frames, joined by semicolons. `processor_s`: what the benchmark
    had of a processor meanwhile, in seconds. A method that is inlined is found where it is not: such looks,
    and those at what is not timed, are outside.
    """
    ids, name = Ids(methods), benchmark.partition(":")[0].rpartition(".")[2]
    regions, inside, inlined = Counter[_Region](), Counter[str](), Counter[str]()
    for look in looks.splitlines():
        number, _, joined = look.partition(" ")
        frames = [_FRAME.fullmatch(frame) for frame in joined.split(";")] if joined else []
        region = _region(frames, name)
        regions[region] += int(number)
        if region is _Region.TIMED:
            for method, is_inlined in _methods(frames, ids).items():
                (inlined if is_inlined else inside)[method] += int(number)
    untimed = regions[_Region.UNTIMED]
    return replace(
        tally,
        methods={
            method: MethodTally(samples=inside[method], samples_outside=inlined[method] + untimed)
            for method in methods
        },
        samples=regions[_Region.TIMED],
        samples_collecting=regions[_Region.UNCLEAR],
        sample_s=processor_s / max(1, regions[_Region.TIMED]),
    )


def _region(frames: Sequence[re.Match[str] | None], benchmark: str) -> _Region:
    """Return what the loop was at while it executed a benchmark, given without its class.

    `frames`: those inside JMH's loop, from the outside in; None: no Java.
    """
    if not frames:
        return _Region.TIMED
    called = frames[0]
    if called is None:
        return _Region.UNCLEAR
    is_timed = called["name"] == benchmark or called["owner"].startswith(HARNESS)
    return _Region.TIMED if is_timed else _Region.UNTIMED


def _methods(frames: Sequence[re.Match[str] | None], ids: Ids) -> Mapping[str, bool]:
    """Return the methods asked about that a stack holds → whether they are inlined wherever it does."""
    held: dict[str, bool] = {}
    for frame in filter(None, frames):
        owner, descriptor = frame["owner"].replace("/", "."), frame["descriptor"].replace("|", ";")
        method = ids.find(owner, frame["name"], descriptor)
        if method is not None:
            held[method] = held.get(method, True) and frame["kind"] == _INLINED
    return held
