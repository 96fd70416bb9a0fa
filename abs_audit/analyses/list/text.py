"""The benchmarks of a suite, for terminals."""

from rich.console import Group, RenderableType

from abs_audit.model.subject import Discovery
from abs_audit.report.text import headline, names, page, verbatim
from abs_audit.wording import count, duration


def answer(discovery: Discovery) -> str:
    """Return how many benchmarks there are and how long one execution of all takes."""
    text = count(discovery.benchmarks, "benchmark")
    if discovery.duration_s is not None:
        recorded = len(discovery.durations_s)
        which = "each" if recorded >= len(discovery.benchmarks) else f"{recorded} of them"
        text += f"; executing {which} once takes {duration(discovery.duration_s)}"
    if discovery.broken:
        text += f"; {len(discovery.broken)} more cannot be measured"
    if discovery.left_out:
        text += f"; {len(discovery.left_out)} more are not built"
    return f"{text}."


def summary(discovery: Discovery) -> Group:
    """Return the benchmarks, one a line from the third on, as other commands take them."""
    benchmarks = [benchmark.id for benchmark in discovery.benchmarks]
    return page(headline(answer(discovery)), Group(*map(verbatim, benchmarks)) if benchmarks else None)


def unmeasurable(discovery: Discovery) -> RenderableType | None:
    """Return the benchmarks that cannot be measured or are not built, with the reasons; None without any."""
    groups = (("cannot be measured:", discovery.broken), ("not built:", discovery.left_out))
    listed = [
        (title, [f"{benchmark.id}: {benchmark.reason}" for benchmark in group]) for title, group in groups
    ]
    parts = [names(title, lines, limit=len(lines)) for title, lines in listed]
    return page(*parts) if any(parts) else None
