"""The rules by the names that users give them, with the parameters of the papers."""

from collections.abc import Callable, Mapping
from functools import partial

from abs_audit.analyses.stop.rules.metior import Metior
from abs_audit.analyses.stop.rules.pt4cloud import PT4Cloud
from abs_audit.analyses.stop.rules.rule import StoppingRule
from abs_audit.analyses.stop.rules.settling import IntervalWidth, Variation
from abs_audit.analyses.stop.rules.superflow import SuperFlow
from abs_audit.errors import UsageError

RULES: Mapping[str, Callable[..., StoppingRule]] = {
    "superflow1": partial(SuperFlow, variant=1),
    "superflow2": partial(SuperFlow, variant=2),
    "superflow3": partial(SuperFlow, variant=3),
    "pt4cloud": PT4Cloud,
    "metior": Metior,
    "cov": Variation,
    "rciw": IntervalWidth,
}


def stopping_rule(name: str, *, seed: int = 0, paper_quirks: bool = False) -> StoppingRule:
    """Return the rule of that name with the parameters of its paper; UsageError where there is none."""
    if name not in RULES:
        raise UsageError(f"expected a stopping rule ({', '.join(RULES)}), found '{name}': name one of these")
    return RULES[name](seed=seed, paper_quirks=paper_quirks)
