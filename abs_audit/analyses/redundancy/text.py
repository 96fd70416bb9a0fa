"""Which benchmarks could go, for terminals."""

from rich.console import Group

from abs_audit.advising import advised
from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.report.text import facts, headline, named, names, page, table, warnings
from abs_audit.wording import count, some


def answer(result: Redundancy) -> str:
    """Return how many benchmarks could go."""
    if not any(method.benchmarks for method in result.methods):
        return "No benchmark notices any of these methods, so nothing can be said of which could go."
    if not result.removable:
        return "No benchmark can be removed without losing a method that it alone notices."
    return (
        f"{count(result.removable, 'benchmark')} could be removed, all at once, "
        "and every method that is noticed now would still be."
    )


def summary(result: Redundancy) -> Group:
    """Return what could be removed, and how many benchmarks notice each method."""
    rows = (
        (str(len(method.benchmarks)), named(method.method, ("by", some(method.benchmarks, 1))))
        for method in sorted(result.methods, key=lambda method: len(method.benchmarks))
    )
    return page(
        headline(answer(result)),
        names("removable together:", result.removable, limit=50),
        table(("right", "noticed by"), ("fold", "method"), rows=rows),
        facts(("next", advised("select", "--budget", "60s"))),
        warnings(result.warnings),
    )
