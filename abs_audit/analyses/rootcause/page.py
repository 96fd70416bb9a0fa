"""The page of a root cause: levels over the history, the path of the search, and where the time went."""

from dataclasses import dataclass

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.model import MeasuredCommit, RootCause
from abs_audit.analyses.rootcause.text import nested
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar
from abs_audit.wording import count, time_per_invocation

TREE_ROWS = 400


def render(result: RootCause) -> str:
    """Return the page of `rootcause`; equal results give equal pages."""
    where = result.where
    return frame.measurement(
        "rootcause/page.html.j2",
        "rootcause/page.css",
        sources=result.benchmark,
        answer=blame.answer(result),
        notes=result.warnings,
        result=result,
        blame=blame,
        course=course(result),
        time=time_per_invocation,
        path=path(result),
        tree=list(nested(where.tree)) if where else [],
        tree_rows=TREE_ROWS,
        changed={suspect.changed.method for suspect in where.suspects} if where else set(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The history of the levels: how far its axes reach, and the shape of each measured commit."""

    last: int
    """Position of the last commit; the good end is 0."""
    low: float
    high: float
    """Levels between which all are seen, in seconds per invocation."""
    kinds: tuple[tuple[MeasuredCommit, str], ...]
    """With good, bad, compared, cause, end or skipped: each has a shape of its own."""


def course(result: RootCause) -> Course:
    """Return what the regression graph shows."""
    levels = [commit.level_s for commit in result.measured if commit.level_s is not None]
    low, high = min(levels, default=0.0), max([*levels, 1.02 * result.categories.medium_s])
    margin = 0.08 * (high - low)
    return Course(
        last=max(result.candidates, *(commit.place for commit in result.measured)),
        low=max(0.0, low - margin),
        high=high + margin,
        kinds=tuple((commit, _kind(commit, result)) for commit in result.measured),
    )


def _kind(commit: MeasuredCommit, result: RootCause) -> str:
    if commit.level_s is None:
        return "skipped"
    if commit.commit == result.cause:
        return "cause"
    if commit.commit in {result.good, result.bad}:
        return "end"
    return commit.judgement.value if commit.judgement else "compared"


def path(result: RootCause) -> tuple[Bar, ...]:
    """Return one bar a step of the search: the candidates that were left before it."""
    kinds = {"good": "some", "bad": "none"}
    return tuple(
        Bar(
            label=step.commit[: blame.SHORT],
            value=step.candidates,
            kind=kinds.get(step.judgement.value, "paper"),
            note=f"{step.judgement.value}, {count(step.candidates, 'candidate')} before",
        )
        for step in result.path
    )
