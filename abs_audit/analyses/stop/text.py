"""A replay of a stopping rule for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.stop.model import CREDIBILITY_PERCENTILES, Replay
from abs_audit.report import answers
from abs_audit.report.text.page import facts, headline, more, name, page, table, warnings
from abs_audit.report.wording import percent

SERIES = 60


def stop(result: Replay) -> Group:
    """Return where the rule stops on each series, and how good the stopped samples are."""
    rows = (
        (
            Text("never" if one.stop_at is None else str(one.stop_at)),
            Text(percent(one.judgement.accuracy) if one.judgement else ""),
            name(one.series),
            Text(one.reason, style="dim"),
        )
        for one in result.series[:SERIES]
    )
    return page(
        headline(answers.stopping(result)),
        table(("stops at", "right"), ("accuracy", "right"), ("series", "fold"), ("why", "fold"), rows=rows),
        more(len(result.series) - SERIES, "further"),
        facts(
            [
                ("values", f"{result.runs_mean:.4g} used in the mean"),
                ("accuracy", "likeness of the distributions of the stopped sample and the ground truth"),
                ("credible", _credibility(result)),
            ]
        ),
        warnings(result.warnings),
    )


def _credibility(result: Replay) -> str:
    """Return the shares of series whose percentiles lie inside the ground truth's intervals."""
    if result.credibility is None:
        return ""
    return ", ".join(
        f"p{round(100 * at)} {'?' if share is None else percent(share)}"
        for at, share in zip(CREDIBILITY_PERCENTILES, result.credibility, strict=True)
    )
