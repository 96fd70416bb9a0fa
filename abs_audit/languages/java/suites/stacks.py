"""Tells from what async-profiler saw how often a benchmark was found inside methods."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from abs_audit.languages.java.toolchain.ids import Ids
from abs_audit.model.measurement import MethodTally, Tally

HARNESS = "org.openjdk.jmh."
_FRAME = re.compile(r"(.+)\.([^.(]+)(\(.*)_\[(.)\]")
_INLINED = "i"


class _Region(Enum):
    """What JMH's loop was at."""

    TIMED = auto()
    UNTIMED = auto()
    """Preparing an invocation, which the loop does between two readings of the clock."""
    UNCLEAR = auto()
    """What is no Java, without what called it, or garbage was collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """A frame of Java."""

    owner: str
    """Its class, with dots between packages."""
    name: str
    descriptor: str
    is_inlined: bool
    """Whether it is a part of another one's code, of which compilers tell little whose it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stack:
    """What was found inside JMH's loop."""

    number: int
    """How often."""
    frames: tuple[_Frame | None, ...]
    """From the outside in; None: no Java."""

    def region(self, benchmark: str) -> _Region:
        """Return what the loop was at while it executed a benchmark, given without its class."""
        if not self.frames:
            return _Region.TIMED
        called = self.frames[0]
        if called is None:
            return _Region.UNCLEAR
        is_timed = called.name == benchmark or called.owner.startswith(HARNESS)
        return _Region.TIMED if is_timed else _Region.UNTIMED

    def methods(self, ids: Ids) -> Mapping[str, bool]:
        """Return the methods asked about that it holds → whether they are inlined wherever it does."""
        held: dict[str, bool] = {}
        for frame in filter(None, self.frames):
            method = ids.find(frame.owner, frame.name, frame.descriptor)
            if method is not None:
                held[method] = held.get(method, True) and frame.is_inlined
        return held


def sampled(tally: Tally, benchmark: str, methods: Sequence[str], looks: str, processor_s: float) -> Tally:
    """Return a tally with how often each method was on the stack while a benchmark was timed.

    `looks`: in each line a number and the frames, joined by semicolons. `processor_s`: what the benchmark
    had of a processor meanwhile, in seconds. A method that is inlined is found where it is not: such looks,
    and those at what is not timed, are outside.
    """
    ids, name = Ids(methods), benchmark.partition(":")[0].rpartition(".")[2]
    regions, inside, inlined = Counter[_Region](), Counter[str](), Counter[str]()
    for stack in _stacks(looks):
        region = stack.region(name)
        regions[region] += stack.number
        if region is _Region.TIMED:
            for method, is_inlined in stack.methods(ids).items():
                (inlined if is_inlined else inside)[method] += stack.number
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


def _stacks(looks: str) -> Iterator[_Stack]:
    for line in looks.splitlines():
        number, _, frames = line.partition(" ")
        yield _Stack(number=int(number), frames=tuple(map(_frame, frames.split(";") if frames else ())))


def _frame(text: str) -> _Frame | None:
    told = _FRAME.fullmatch(text)
    if told is None:
        return None
    owner, name, descriptor, kind = told.groups()
    return _Frame(
        owner=owner.replace("/", "."),
        name=name,
        descriptor=descriptor.replace("|", ";"),
        is_inlined=kind == _INLINED,
    )
