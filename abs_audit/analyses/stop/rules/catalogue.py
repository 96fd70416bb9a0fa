"""The rules by the names that users give them, with the parameters of the papers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from abs_audit.analyses.stop.rules.interval_width import IntervalWidth
from abs_audit.analyses.stop.rules.metior import Metior
from abs_audit.analyses.stop.rules.pt4cloud import PT4Cloud
from abs_audit.analyses.stop.rules.rule import Looks, StoppingRule
from abs_audit.analyses.stop.rules.superflow import SuperFlow
from abs_audit.analyses.stop.rules.variation import Variation
from abs_audit.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """What all rules have in common."""

    looks: Looks = field(default_factory=Looks)
    seed: int = 0
    paper_quirks: bool = False


RULES: Mapping[str, Callable[[RuleSettings], StoppingRule]] = {
    "superflow1": lambda s: SuperFlow(variant=1, looks=s.looks, seed=s.seed, paper_quirks=s.paper_quirks),
    "superflow2": lambda s: SuperFlow(variant=2, looks=s.looks, seed=s.seed, paper_quirks=s.paper_quirks),
    "superflow3": lambda s: SuperFlow(variant=3, looks=s.looks, seed=s.seed, paper_quirks=s.paper_quirks),
    "pt4cloud": lambda s: PT4Cloud(looks=s.looks, paper_quirks=s.paper_quirks),
    "metior": lambda s: Metior(looks=s.looks, seed=s.seed, paper_quirks=s.paper_quirks),
    "cov": lambda s: Variation(looks=s.looks),
    "rciw": lambda s: IntervalWidth(looks=s.looks, seed=s.seed),
}


def stopping_rule(name: str, settings: RuleSettings | None = None) -> StoppingRule:
    """Return the rule of that name with the parameters of its paper; UsageError where there is none."""
    if name not in RULES:
        raise UsageError(f"expected a stopping rule ({', '.join(RULES)}), found '{name}': name one of these")
    return RULES[name](settings or RuleSettings())
