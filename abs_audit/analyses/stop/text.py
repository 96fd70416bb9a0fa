"""A replay of a stopping rule for terminals."""

from statistics import fmean, median

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.stop.model import CREDIBILITY_PERCENTILES, Replay
from abs_audit.report.text import facts, headline, more, name, page, table, warnings
from abs_audit.wording import percent

LIKENESS = "likeness of the distributions of the stopped sample and the ground truth"
SERIES = 60
READINGS = {
    False: "the papers say; --paper-quirks: as their authors' programs compute",
    True: "the authors' programs compute, where they differ from their papers",
}


def answer(result: Replay) -> str:
    """Return after how many values the rule stops in the mean, and how good they are."""
    stopped = {series.series: series.stop_at for series in result.series if series.stop_at is not None}
    whole = f"{len(result.series)} series"
    if not stopped:
        return f"{result.rule} would not have stopped on any of {whole}."
    after = f"after {median(stopped.values()):g} values"
    text = f"{result.rule} would have stopped on {len(stopped)} of {whole}, {after}"
    if len(stopped) > 1:
        text += " in the median"
    # A series that ended before is its own ground truth: its accuracy tells nothing of the rule.
    judged = [series.judgement for series in result.series if series.series in stopped and series.judgement]
    if judged:
        text += f"; accuracy {percent(fmean(judgement.accuracy for judgement in judged))}"
    return f"{text}."


def summary(result: Replay) -> Group:
    """Return where the rule stops on each series, and how good the stopped samples are."""
    rows = (
        (
            "never" if series.stop_at is None else str(series.stop_at),
            percent(series.judgement.accuracy) if series.judgement else "",
            name(series.series),
            Text(series.reason, style="dim"),
        )
        for series in result.series[:SERIES]
    )
    return page(
        headline(answer(result)),
        table(("right", "stops at", "accuracy"), ("fold", "series", "why"), rows=rows),
        more(len(result.series) - SERIES, "further"),
        facts(
            ("read as", READINGS[result.paper_quirks]),
            ("values", f"{result.runs_mean:.4g} used in the mean"),
            ("accuracy", f"{LIKENESS}; over all series {percent(result.accuracy_mean)}"),
            ("credible", _credibility(result)),
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
