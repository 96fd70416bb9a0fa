"""Horizontal bars with a label before and a note behind each; their template gives them their places."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What one bar shows; the longest is that of the largest value, and `kind` is its colour."""

    label: str
    value: float
    kind: str
    note: str
