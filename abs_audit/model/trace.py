"""Which API methods the tests of downstream projects call, and how often."""

from collections.abc import Mapping
from dataclasses import dataclass

from abs_audit.model.bounds import Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Which API methods a trace keeps."""

    top: int
    """How many, the most called first."""
    caller: str
    """Whose calls count: `direct` (the downstream's own code) or `any` (every execution, as in the paper)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMethod:
    """One API method with the calls that made it important."""

    method: str
    calls: Count
    """Over all downstream projects."""
    projects: Count
    """Downstream projects that call it at all."""
    by_project: Mapping[str, Count]
    """Name of the downstream project → calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownstreamSummary:
    """What became of the unit tests of one downstream project."""

    name: str
    commit: str | None
    """None where the project is not under version control."""
    tests_passed: Count
    tests_failed: Count
    calls: Count
    """Counted calls of API methods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """Answer to: which API methods matter to the users of the library?"""

    methods: tuple[RankedMethod, ...]
    """Most important first."""
    downstreams: tuple[DownstreamSummary, ...]
    caller: str
    """Whose calls count: `direct` (the downstream's own code) or `any`."""
    warnings: tuple[str, ...]
