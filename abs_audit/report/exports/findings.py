"""What code reviews and CI services are told: findings with their place, whatever analysis they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from abs_audit.model.subject import ApiMethod, Skipped
from abs_audit.report.names import visible


class Level(StrEnum):
    """How much a finding matters, in the words of SARIF."""

    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A kind of finding."""

    text: str
    level: Level
    is_open: bool = False
    """Nothing is known: neither a pass nor a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a person should look at."""

    rule: str
    """Key of `Findings.rules`."""
    about: str
    """The method; with the rule's family it identifies the finding from run to run."""
    figure: str
    """The number that explains it best, in words."""
    claim: str
    why: str
    next: str
    """Command that helps."""
    place: ApiMethod | None
    """The definition, where it is known."""

    @property
    def message(self) -> str:
        """What a reader needs who sees nothing else."""
        return f"{visible(self.claim)}: {visible(self.why)}. Next: {visible(self.next)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The answer of an analysis with what is to be looked at, the most important first."""

    version: str
    """Of abs-audit."""
    suite: str
    answer: str
    rules: Mapping[str, Rule]
    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    advice: tuple[tuple[str, str], ...]
    """Commands, each with what it is good for."""
    foundations: tuple[str, ...]
    """What the answer rests on, one sentence each."""
    change: str = ""
    """What of it is about the change under review, in a sentence; empty where there is none."""
    duration_s: float = 0.0
    warnings: tuple[str, ...] = field(default=())

    @property
    def told(self) -> str:
        """The answer, and what of it is about the change."""
        return f"{self.answer} {self.change}".rstrip()

    def level(self, finding: Finding) -> Level:
        """Return how much a finding matters."""
        return self.rules[finding.rule].level
