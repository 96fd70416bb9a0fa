"""How slow must each method become before any benchmark notices?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSensitivity:
    """The smallest noticed slowdown of one method."""

    method: str
    smallest_noticed: float | None
    """Extra time ÷ own time of the method; None: no benchmark can notice any slowdown."""
    benchmark: str | None
    """The benchmark that notices first: the one with the largest share."""
    confirmed: bool
    """Injected at it: noticed; injected clearly below it: not noticed."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Answer to: what is the smallest slowdown of each method that the suite notices?"""

    threshold: float
    """Relative difference of a benchmark that counts as noticed: half of δ."""
    methods: tuple[MethodSensitivity, ...]
    warnings: tuple[str, ...]
