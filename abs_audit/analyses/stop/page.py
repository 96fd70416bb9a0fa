"""The page of `stop`: the running median of each series, and where each rule would have stopped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.stop.model import Replay, SeriesReplay
from abs_audit.analyses.stop.text import answer
from abs_audit.grouping import grouped
from abs_audit.report.html import frame
from abs_audit.report.html.geometry import Axis, Tick, quantity_ticks, thinned

SERIES = 60
"""Series that are drawn, so that a page stays within 2 MB."""
POINTS = 240
WIDTH, LEFT, TOP, BOTTOM = 800, 70, 10, 150
LABEL_STEP = 13
"""Height of a rule's name below the curve."""


def render(
    result: Replay, series: Mapping[str, np.ndarray], rules: Mapping[str, Sequence[SeriesReplay]]
) -> str:
    """Return the page of `stop`; `rules` holds what all rules did on the same series."""
    return frame.measurement(
        "stop/page.html.j2",
        kind="Stopping rules",
        sources=result.rule,
        answer=answer(result),
        notes=result.warnings,
        replay=result,
        pictures=replays(series, rules),
        table=result.series[: frame.TABLE_ROWS],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StopMark:
    """Where one rule stops."""

    rule: str
    x: float
    label_y: float
    stop_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPicture:
    """The running median of one series with its stops."""

    series: str
    curve: str
    """Path of the running median."""
    ticks: tuple[Tick, ...]
    count: int
    marks: tuple[StopMark, ...]
    height: int
    never: tuple[str, ...]
    """Rules that the series was too short for."""


def replays(
    series: Mapping[str, np.ndarray], rules: Mapping[str, Sequence[SeriesReplay]]
) -> tuple[ReplayPicture, ...]:
    """Return a picture for each of the first series; `rules`: rule → what it did on each."""
    stops = grouped((made.series, (rule, made.stop_at)) for rule, every in rules.items() for made in every)
    return tuple(_picture(name, values, stops[name]) for name, values in list(series.items())[:SERIES])


def _picture(name: str, values: np.ndarray, stops: Sequence[tuple[str, int | None]]) -> ReplayPicture:
    numbers = [index + 1 for index in thinned(values.size, POINTS)]
    medians = [float(np.median(values[:number])) for number in numbers]
    across = Axis(low=1, high=max(2, values.size), start=LEFT, end=WIDTH - 10)
    low, high = min(medians), max(medians)
    room = (high - low) * 0.05 or abs(high) * 0.05
    upwards = Axis(low=low - room, high=high + room, start=BOTTOM, end=TOP)
    points = " ".join(f"{across.at(n)} {upwards.at(m)}" for n, m in zip(numbers, medians, strict=True))
    stopped = sorted((at, rule) for rule, at in stops if at is not None)
    return ReplayPicture(
        series=name,
        curve=f"M{points}",
        ticks=quantity_ticks(upwards, 4),
        count=values.size,
        marks=tuple(
            StopMark(rule=rule, x=across.at(at), label_y=BOTTOM + LABEL_STEP * (place + 1), stop_at=at)
            for place, (at, rule) in enumerate(stopped)
        ),
        height=BOTTOM + LABEL_STEP * (len(stopped) + 2),
        never=tuple(rule for rule, at in stops if at is None),
    )
