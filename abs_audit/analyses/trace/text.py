"""The API methods that downstream tests call, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.advising import advised
from abs_audit.model.trace import TraceResult
from abs_audit.report.text import facts, headline, name, page, table, warnings
from abs_audit.wording import count


def answer(result: TraceResult) -> str:
    """Return how many API methods the downstream projects call, and which most."""
    called = [ranked for ranked in result.methods if ranked.calls > 0]
    projects = count(result.downstreams, "downstream project")
    if not called:
        return f"The tests of {projects} call none of the API methods."
    shown, whole = (sum(of.calls for of in counted) for counted in (called, result.downstreams))
    others = " most, and others less" if shown < whole else ""
    return f"The tests of {projects} call {count(called, 'API method')}{others}."


def summary(result: TraceResult) -> Group:
    """Return the API methods that downstream tests call, most important first."""
    ranks = (
        (str(rank), str(ranked.calls), str(ranked.projects), name(ranked.method))
        for rank, ranked in enumerate(result.methods, start=1)
    )
    downstreams = (
        (
            name(downstream.name),
            name(downstream.commit or "–"),
            str(downstream.tests_passed),
            Text(str(downstream.tests_failed), style="red" if downstream.tests_failed else ""),
            str(downstream.calls),
        )
        for downstream in result.downstreams
    )
    return page(
        headline(answer(result)),
        table(("right", "rank", "calls", "projects"), ("fold", "method"), rows=ranks),
        table(("fold", "downstream", "commit"), ("right", "passed", "failed", "calls"), rows=downstreams),
        facts(("calls", f"counted from {result.caller} callers"), ("next", advised("stability"))),
        warnings(result.warnings),
    )
