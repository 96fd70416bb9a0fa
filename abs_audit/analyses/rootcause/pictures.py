"""The pictures of a root cause: levels over the history, and the path of the search."""

from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.model import MeasuredCommit, RootCause
from abs_audit.report.html.bars import Bar
from abs_audit.report.html.geometry import Axis, Tick, quantity_ticks
from abs_audit.wording import count, time_per_invocation

LEFT, RIGHT, TOP, BOTTOM = 80.0, 790.0, 14.0, 232.0
TICKS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One measured commit; what could not be measured lies below the axis."""

    x: float
    y: float
    kind: str
    """good, bad, cause, end or skipped: each has a shape of its own."""
    label: str
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A category: all levels from here up to the next band."""

    top: float
    height: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Levels of the measured commits over the history, parents left."""

    line: str
    """Path through the measured commits."""
    step: str
    """Path from the commit before the main cause to it; empty where there is none."""
    dots: tuple[Dot, ...]
    bands: tuple[Band, ...]
    ticks: tuple[Tick, ...]
    last: int
    """Position of the last commit."""


def course(result: RootCause) -> Course:
    """Return the regression graph: a dot a measured commit, the categories as bands."""
    levels = [commit.level_s for commit in result.measured if commit.level_s is not None]
    low, high = min(levels, default=0.0), max([*levels, 1.02 * result.categories.medium_s])
    margin = 0.08 * (high - low)
    across = Axis(
        low=0,
        high=max(result.candidates, *(commit.place for commit in result.measured)),
        start=LEFT,
        end=RIGHT,
    )
    up = Axis(low=max(0.0, low - margin), high=high + margin, start=BOTTOM, end=TOP)
    dots = tuple(_dot(commit, result, across, up) for commit in result.measured)
    return Course(
        line=_path([(dot.x, dot.y) for dot in dots if dot.kind != "skipped"]),
        step=_step(result, dots),
        dots=dots,
        bands=_bands(result, up),
        ticks=quantity_ticks(up, TICKS, time_per_invocation),
        last=int(across.high),
    )


def _dot(commit: MeasuredCommit, result: RootCause, across: Axis, up: Axis) -> Dot:
    y = BOTTOM + 12 if commit.level_s is None else up.at(commit.level_s)
    level = commit.reason if commit.level_s is None else time_per_invocation(commit.level_s)
    return Dot(
        x=across.at(commit.place),
        y=y,
        kind=_kind(commit, result),
        label=commit.commit[: blame.SHORT],
        tip=f"{commit.commit[: blame.SHORT]} {commit.title}: {level}, {blame.judged(commit, result)}",
    )


def _kind(commit: MeasuredCommit, result: RootCause) -> str:
    if commit.level_s is None:
        return "skipped"
    if commit.commit == result.cause:
        return "cause"
    if commit.commit in {result.good, result.bad}:
        return "end"
    return commit.judgement.value if commit.judgement else "good"


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if points else ""


def _step(result: RootCause, dots: Sequence[Dot]) -> str:
    if result.cause is None:
        return ""
    places = {commit.commit: dot for commit, dot in zip(result.measured, dots, strict=True)}
    ends = [places.get(result.regressions[0].start), places.get(result.cause)]
    return _path([(dot.x, dot.y) for dot in ends if dot is not None])


def _bands(result: RootCause, up: Axis) -> tuple[Band, ...]:
    limits = [up.low, result.categories.medium_s, result.categories.slow_s, float("inf")]
    bands = []
    for label, low, high in zip(("fast", "medium", "slow"), limits, limits[1:], strict=False):
        top, bottom = up.at(high), up.at(max(low, up.low))
        if bottom > top:
            bands.append(Band(top=top, height=round(bottom - top, 1), label=label))
    return tuple(bands)


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
