"""How much of the API does the suite watch? The API benchmarking score (ABS)."""

from dataclasses import dataclass

from abs_audit.model.subject import Skipped
from abs_audit.model.verdict import CellVerdict, MethodVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """A/A cells: control against a second control, judged by the rule of the score."""

    cells: int
    alarms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the score took."""

    wall_s: float
    benchmark_s: float
    build_s: float
    paper_protocol_s: float | None
    """What the 2018 protocol would take on this suite: estimated, in benchmark-seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Answer to: which methods could become slower unnoticed?"""

    protocol: str
    slowdown: float
    runs: int
    total: float
    """Detected ÷ methods, 0..1; methods without a verdict stay in the denominator."""
    relative: float
    """Without the 5 % of benchmarks with the largest maxSpread."""
    absolute: float
    """Without the benchmarks with a maxSpread above .5."""
    interval: tuple[float, float]
    """Detected ÷ N to (detected + no verdict) ÷ N."""
    methods: tuple[MethodVerdict, ...]
    cells: tuple[CellVerdict, ...]
    skipped: tuple[Skipped, ...]
    false_alarms: FalseAlarms
    cost: Cost
    warnings: tuple[str, ...]
