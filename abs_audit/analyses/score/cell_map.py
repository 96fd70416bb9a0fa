"""The picture of a score: benchmarks × methods, a mark a cell."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from abs_audit.analyses.score.model import Score
from abs_audit.model.cells import Amount, size
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.report.html.geometry import label_width
from abs_audit.report.names import bare_method, shortened, without_common_prefix
from abs_audit.wording import count, percent, within

ROWS = 500
MARKS = 2000
"""So many marks keep a page within 2 MB; rows beyond them are summed up."""
COLUMNS = 40
LABEL_LENGTH = 48

# What a group of cells amounts to: the first of these that occurs in it.
_STRONGEST = (Verdict.DETECTED, Verdict.NO_VERDICT, Verdict.MISSED, Verdict.UNREACHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One cell that calls its method: its size shows the share, its shape the verdict."""

    radius: float
    verdict: str
    column: int
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One benchmark, or all that found no room."""

    label: str
    name: str
    marks: tuple[Mark, ...]
    unreached: tuple[int, ...]
    """Columns of the cells that never call their method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One method, or all that found no room."""

    label: str
    name: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMap:
    """A drawing of at most 501 rows and 41 columns; what found no room is summed up in the last of each."""

    labels: float
    """Width of the column of labels, which lies left of x = 0."""
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    merged_rows: int
    merged_columns: int


def cell_map(score: Score) -> CellMap | None:
    """Return the drawing, or None where no cell was recorded."""
    if not score.cells:
        return None
    methods = _groups([method.method for method in score.methods], COLUMNS)
    of_benchmarks = score.cells.of_benchmarks()
    ranked = sorted(of_benchmarks, key=lambda name: -_weight(of_benchmarks[name]))
    limit = _room(of_benchmarks, ranked)
    benchmarks = _groups(ranked, limit)
    column_of = {name: column for column, group in enumerate(methods) for name in group}
    row_of = {name: row for row, group in enumerate(benchmarks) for name in group}
    tiles = score.cells.tiled(column_of.get, row_of.get)
    drawn = [
        (group, [tiles.get((column, row), []) for column in range(len(methods))])
        for row, group in enumerate(benchmarks)
    ]
    drawn = [*sorted(drawn[:limit], key=lambda row: _along_diagonal(row[1])), *drawn[limit:]]
    labels = _labels([group for group, _ in drawn])
    return CellMap(
        labels=label_width(labels),
        rows=tuple(_row(parts, group, label) for (group, parts), label in zip(drawn, labels, strict=True)),
        columns=tuple(_column(score, group) for group in methods),
        merged_rows=max(0, len(ranked) - limit),
        merged_columns=max(0, len(score.methods) - COLUMNS),
    )


def strongest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return what a group of cells amounts to; `unreached` for none."""
    return min(verdicts, key=_STRONGEST.index, default=Verdict.UNREACHED)


def _room(of_benchmarks: Mapping[str, Sequence[Amount]], ranked: Sequence[str]) -> int:
    """Return how many benchmarks can be drawn one by one."""
    marks = {
        name: size(part for part in parts if part.cell.verdict is not Verdict.UNREACHED)
        for name, parts in of_benchmarks.items()
    }
    drawn = accumulate(min(COLUMNS + 1, marks[name]) for name in ranked[:ROWS])
    return max(1, sum(total <= MARKS for total in drawn))


def _groups(names: Sequence[str], limit: int) -> tuple[tuple[str, ...], ...]:
    single = tuple((name,) for name in names[:limit])
    return (*single, tuple(names[limit:])) if len(names) > limit else single


def _labels(groups: Sequence[Sequence[str]]) -> list[str]:
    single = without_common_prefix([group[0] for group in groups if len(group) == 1])
    labels = [shortened(label, LABEL_LENGTH) for label in single]
    return labels + [count(group, "other benchmark") for group in groups if len(group) > 1]


def _weight(parts: Iterable[Amount]) -> float:
    return sum((part.cell.verdict is Verdict.DETECTED) + (_share([part]) or 0.0) for part in parts)


def _along_diagonal(columns: Sequence[Sequence[Amount]]) -> tuple[int, float]:
    shares = [_share(parts) or 0.0 for parts in columns]
    best = max(shares, default=0.0)
    return (shares.index(best) if best else len(shares), -best)


def _column(score: Score, group: Sequence[str]) -> Column:
    verdicts = {method.method: method.verdict for method in score.methods}
    label = bare_method(group[0]) if len(group) == 1 else count(group, "other method")
    return Column(
        label=shortened(label, 26),
        name=group[0] if len(group) == 1 else label,
        verdict=strongest(verdicts[name] for name in group).value,
    )


def _row(columns: Sequence[Sequence[Amount]], group: Sequence[str], label: str) -> Row:
    recorded = [(column, members) for column, members in enumerate(columns) if members]
    reached = {
        column: members
        for column, members in recorded
        if strongest(part.cell.verdict for part in members) is not Verdict.UNREACHED
    }
    return Row(
        label=label,
        name=group[0] if len(group) == 1 else label,
        marks=tuple(_mark(members, column) for column, members in reached.items()),
        unreached=tuple(column for column, _ in recorded if column not in reached),
    )


def _mark(members: Sequence[Amount], column: int) -> Mark:
    verdict = strongest(part.cell.verdict for part in members)
    share = _share(members)
    return Mark(
        # The area grows with the share; even the smallest can be seen.
        radius=round(2.4 + 7.0 * math.sqrt(min(share or 0.0, 1.0)), 1),
        verdict=verdict.value,
        column=column,
        tip=_single(members[0].cell) if size(members) == 1 else _several(members, verdict, share),
    )


def _share(members: Iterable[Amount]) -> float | None:
    shares = (part.cell.share for part in members if part.cell.share is not None)
    return max(filter(math.isfinite, shares), default=None)


def _single(cell: CellVerdict) -> str:
    parts = [cell.verdict.value]
    if cell.share is not None:
        parts.append(f"share {within(cell.share, cell.share_interval)}")
    if cell.difference_mean is not None:
        parts.append(f"{percent(cell.difference_mean)} slower")
    if cell.reason:
        parts.append(shortened(cell.reason, 90))
    return " · ".join(parts)


def _several(members: Sequence[Amount], verdict: Verdict, share: float | None) -> str:
    alike = size(part for part in members if part.cell.verdict is verdict)
    return f"{verdict.value} in {alike} of {size(members)} · largest share {percent(share)}"
