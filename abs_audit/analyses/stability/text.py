"""How steady the benchmarks are, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.advising import advised
from abs_audit.analyses.stability.model import Stability
from abs_audit.report.text import facts, headline, largest_first, name, page, table, warnings
from abs_audit.wording import count, percent, slower

BUCKETS = ("up to 5%", "up to 10%", "up to 25%", "up to 50%", "above 50%")
_STEADY = 0.05


def answer(result: Stability) -> str:
    """Return how many benchmarks are steady, how far the worst strays, and which slowdown stands out."""
    spreads = [spread.max_spread for spread in result.benchmarks if spread.max_spread is not None]
    if not spreads:
        return f"None of {count(result.benchmarks, 'benchmark')} has a result in every run."
    text = (
        f"{result.buckets[0]} of {count(spreads, 'benchmark')} vary by at most 5% between "
        f"{count(result.runs, 'run')}; the noisiest by {percent(max(spreads))}."
    )
    if len(spreads) < len(result.benchmarks):
        text += f" {len(result.benchmarks) - len(spreads)} more without a result in some run."
    if result.slowdown is not None:
        text += f" Methods that become {slower(result.slowdown)} stand out from this noise."
    return text


def summary(result: Stability) -> Group:
    """Return the noisy benchmarks, worst first, and how many are how steady."""
    buckets = (
        (label, str(size), Text("█" * round(40 * size / max(1, *result.buckets)), style="blue"))
        for label, size in zip(BUCKETS, result.buckets, strict=True)
    )
    rows = (
        (percent(spread.max_spread), percent(spread.rsd), name(spread.benchmark))
        for spread in sorted(result.benchmarks, key=lambda spread: largest_first(spread.max_spread))
        if spread.max_spread is None or spread.max_spread > _STEADY
    )
    return page(
        headline(answer(result)),
        table(("left", "maxSpread"), ("right", "benchmarks"), ("left", ""), rows=buckets),
        table(("right", "maxSpread", "RSD"), ("fold", "above 5%, worst first"), rows=rows),
        facts(*_next(result)),
        warnings(result.warnings),
    )


def _next(result: Stability) -> list[tuple[str, str]]:
    if result.slowdown is None:
        return [("next", advised("doctor"))]
    return [
        ("slowdown", f"{slower(result.slowdown)}: twice the 95th percentile of the maxSpreads"),
        ("next", advised("score", "--slowdown", f"{result.slowdown:.3g}")),
    ]
