"""Horizontal bars with a label before and a note behind each."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 500
STEP = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """What one bar shows; `kind` is its colour."""

    label: str
    value: float
    kind: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A length that has its place."""

    y: float
    label: str
    width: float
    kind: str
    note: str


def bars(lengths: Sequence[Length]) -> tuple[Bar, ...]:
    """Return a bar for each length; that of the largest value is the longest."""
    largest = max((length.value for length in lengths), default=0.0) or 1.0
    return tuple(
        Bar(
            y=STEP * index,
            label=length.label,
            width=round(max(1.5 if length.value else 0.0, LONGEST * length.value / largest), 1),
            kind=length.kind,
            note=length.note,
        )
        for index, length in enumerate(lengths)
    )
