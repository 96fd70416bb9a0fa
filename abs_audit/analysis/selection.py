"""Which benchmarks should CI execute under a time budget?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Answer to: which subset keeps most of the score within the budget?"""

    budget_s: float
    chosen: tuple[str, ...]
    duration_s: float
    score_kept: float
    """ABS of the subset, 0..1."""
    score_full: float
    lost: tuple[str, ...]
    """Methods that the whole suite notices and the subset does not."""
    greedy_score: float
    """What the greedy choice alone would keep, 0..1."""
    gap: float
    """(upper bound − value) ÷ upper bound of the exact solver; 0 when proven optimal."""
    optimal: bool
    warnings: tuple[str, ...]
