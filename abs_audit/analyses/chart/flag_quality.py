"""How well do flags agree with labels? Precision, recall and F."""

from collections.abc import Iterable
from dataclasses import dataclass

from abs_audit.model.bounds import MaybeRate, Rate
from abs_audit.stats.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagQuality:
    """Answer to: are the flagged ones bad, and are the bad ones flagged?"""

    precision: MaybeRate
    """|flagged ∩ bad| ÷ |flagged|, 0..1; None where nothing is flagged."""
    precision_interval: tuple[Rate, Rate]
    recall: MaybeRate
    """|flagged ∩ bad| ÷ |bad|; None where nothing is bad."""
    recall_interval: tuple[Rate, Rate]
    f_measure: MaybeRate
    """2PR/(P + R); 0 where nothing bad is flagged, None where P or R is."""


def flag_quality(flagged: Iterable[str], bad: Iterable[str]) -> FlagQuality:
    """Return precision, recall, F (Nguyen et al. 2012, §5.1, Eqs. 3 and 4) with 95 % Wilson intervals."""
    marked, wanted = set(flagged), set(bad)
    hits = len(marked & wanted)
    precision = hits / len(marked) if marked else None
    recall = hits / len(wanted) if wanted else None
    f_measure = None
    if precision is not None and recall is not None:
        f_measure = 2 * precision * recall / (precision + recall) if hits else 0.0
    return FlagQuality(
        precision=precision,
        precision_interval=wilson(hits, len(marked)),
        recall=recall,
        recall_interval=wilson(hits, len(wanted)),
        f_measure=f_measure,
    )
