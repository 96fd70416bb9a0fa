"""All that one audit knows, gathered for rendering. Every part is optional: partial sessions render too."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.sensitivity.model import Sensitivity
from abs_audit.analyses.stability.model import Density, Stability
from abs_audit.model.cost import CommandCost
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import ApiMethod, Discovery, Subject
from abs_audit.model.trace import TraceResult
from abs_audit.model.verdict import CellRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(ApiMethod):
    """Where a method stands in the sources."""

    injected: str = ""
    """What its probe changes there, as a diff; empty where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What is known after an audit, or after a part of one; None and empty mean: not recorded."""

    version: str
    """Of abs-audit itself."""
    subject: Subject | None = None
    discovery: Discovery | None = None
    trace: TraceResult | None = None
    stability: Stability | None = None
    violins: tuple[Density, ...] = ()
    """One a benchmark: its values as relative differences from their mean."""
    score: Score | None = None
    before: Score | None = None
    """An earlier score, where it is to be compared with one."""
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    """Of the methods of the score: id → definition."""
    runs: CellRuns = field(default_factory=dict)
    sensitivity: Sensitivity | None = None
    redundancy: Redundancy | None = None
    selection: Selection | None = None
    selection_filter: str = ""
    """What to paste into the framework's command line to execute the selection."""
    stubs: tuple[StubOutcome, ...] | None = None
    cost: CommandCost | None = None
    """What the newest audit took, up to its page."""
    seed: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    """Fingerprint of the machine and toolchain: name → value."""
