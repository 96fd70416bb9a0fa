"""The page of `stop`: the running median of each series, and where each rule would have stopped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.stop.model import Replay, SeriesReplay
from abs_audit.analyses.stop.text import answer
from abs_audit.grouping import grouped
from abs_audit.report.html import frame
from abs_audit.report.html.geometry import thinned

SERIES = 60
"""Series that are drawn, so that a page stays within 2 MB."""
POINTS = 240


def render(
    result: Replay, series: Mapping[str, np.ndarray], rules: Mapping[str, Sequence[SeriesReplay]]
) -> str:
    """Return the page of `stop`; `rules` holds what all rules did on the same series."""
    return frame.measurement(
        "stop/page.html.j2",
        sources=result.rule,
        answer=answer(result),
        notes=result.warnings,
        replay=result,
        pictures=replays(series, rules),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPicture:
    """The running median of one series with its stops."""

    series: str
    medians: tuple[tuple[int, float], ...]
    """After how many values, and the median of them."""
    count: int
    stops: tuple[tuple[int, str], ...]
    """After how many values, and which rule; the earliest first."""
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
    return ReplayPicture(
        series=name,
        medians=tuple((number, float(np.median(values[:number]))) for number in numbers),
        count=values.size,
        stops=tuple(sorted((at, rule) for rule, at in stops if at is not None)),
        never=tuple(rule for rule, at in stops if at is None),
    )
