"""Summaries of what is known before any slowdown: the benchmarks, the methods in use, the noise."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.stability.model import BenchmarkSpread, Stability
from abs_audit.model.subject import Discovery
from abs_audit.model.trace import TraceResult
from abs_audit.report import headlines
from abs_audit.report.text.page import facts, headline, name, names, page, table, warnings
from abs_audit.report.wording import percent, slower

BUCKETS = ("up to 5%", "up to 10%", "up to 25%", "up to 50%", "above 50%")
_STEADY = 0.05


def listing(discovery: Discovery, duration_s: float | None) -> Group:
    """Return the benchmarks, one a line, and those that cannot be measured."""
    broken = [f"{broken.id}: {broken.reason}" for broken in discovery.broken]
    benchmarks = [benchmark.id for benchmark in discovery.benchmarks]
    return page(
        headline(headlines.listing(discovery, duration_s)),
        Group(*map(name, benchmarks)) if benchmarks else None,
        names("cannot be measured:", broken, limit=len(broken)),
    )


def trace(result: TraceResult) -> Group:
    """Return the API methods that downstream tests call, most important first."""
    ranks = (
        (Text(str(rank)), Text(str(ranked.calls)), Text(str(ranked.projects)), name(ranked.method))
        for rank, ranked in enumerate(result.methods, start=1)
    )
    downstreams = (
        (
            name(downstream.name),
            name(downstream.commit or "–"),
            Text(str(downstream.tests_passed)),
            Text(str(downstream.tests_failed), style="red" if downstream.tests_failed else ""),
            Text(str(downstream.calls)),
        )
        for downstream in result.downstreams
    )
    return page(
        headline(headlines.trace(result)),
        table(("rank", "right"), ("calls", "right"), ("projects", "right"), ("method", "fold"), rows=ranks),
        table(
            ("downstream", "fold"),
            ("commit", "fold"),
            ("passed", "right"),
            ("failed", "right"),
            ("calls", "right"),
            rows=downstreams,
        ),
        facts([("calls", f"counted from {result.caller} callers"), ("next", "abs-audit stability")]),
        warnings(result.warnings),
    )


def stability(result: Stability) -> Group:
    """Return the noisy benchmarks, worst first, and how many are how steady."""
    buckets = (
        (Text(label), Text(str(size)), Text("█" * round(40 * size / max(1, *result.buckets)), style="blue"))
        for label, size in zip(BUCKETS, result.buckets, strict=True)
    )
    noisy = sorted(filter(_needs_a_look, result.benchmarks), key=_worst_first)
    rows = ((Text(percent(one.max_spread)), Text(percent(one.rsd)), name(one.benchmark)) for one in noisy)
    return page(
        headline(headlines.stability(result)),
        table(("maxSpread", "left"), ("benchmarks", "right"), ("", "left"), rows=buckets),
        table(("maxSpread", "right"), ("RSD", "right"), ("above 5%, worst first", "fold"), rows=rows)
        if noisy
        else None,
        facts(_next(result)),
        warnings(result.warnings),
    )


def _needs_a_look(spread: BenchmarkSpread) -> bool:
    return spread.max_spread is None or spread.max_spread > _STEADY


def _worst_first(spread: BenchmarkSpread) -> float:
    # Without a result in every run nothing is known about a benchmark: it comes first.
    return float("-inf") if spread.max_spread is None else -spread.max_spread


def _next(result: Stability) -> list[tuple[str, str]]:
    if result.slowdown is None:
        return [("next", "abs-audit doctor")]
    return [
        ("slowdown", f"{slower(result.slowdown)}: twice the 95th percentile of the maxSpreads"),
        ("next", f"abs-audit score --slowdown {result.slowdown:.3g}"),
    ]
