"""The page of `detectable`: the regressions that samplings show."""

from collections.abc import Sequence

from abs_audit.analyses.detectable.model import Detectable, SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.detectable.sampling import Sampling
from abs_audit.analyses.detectable.text import answer, label
from abs_audit.report.html import frame

MATRIX_CELLS = 6000
CLASSES = ((0.01, "1%"), (0.05, "2 to 5%"), (0.1, "10%"), (0.25, "15 to 25%"), (1.0, "50 to 100%"))
"""Upper edges of the regressions that share a colour, and what to call them; beyond them: none."""


def render(result: SmallestRegression, advice: Recommendation, source: str) -> str:
    """Return the page of `detectable`."""
    return frame.measurement(
        "detectable/page.html.j2",
        sources=source,
        answer=answer(advice),
        notes=result.warnings,
        result=result,
        advice=advice,
        classes=legend(),
        classes_of=classes_of,
        label=label,
        size_class=size_class,
        matrix=matrix(result),
        matrix_rows=MATRIX_CELLS // max(1, len(result.samplings)),
    )


def classes_of(result: SmallestRegression, sampling: Sampling) -> dict[str, int]:
    """Return in which classes the benchmarks' smallest regressions are under one sampling, and how many."""
    seen = [size_class(row.smallest) for row in result.under(sampling)]
    return {kind: seen.count(kind) for kind, _ in legend() if kind in seen}


def legend() -> tuple[tuple[str, str], ...]:
    """Return each class with its name."""
    named = [(f"s{index}", text) for index, (_, text) in enumerate(CLASSES)]
    return (*named, ("none", "no regression up to 100%"))


def size_class(smallest: float | None) -> str:
    """Return the class of a smallest regression: s0 (1 %) to s4, and `none`."""
    if smallest is None:
        return "none"
    return f"s{next(index for index, (edge, _) in enumerate(CLASSES) if smallest <= edge)}"


def matrix(result: SmallestRegression) -> list[tuple[str, list[Detectable | None]]]:
    """Return the benchmarks × samplings of the paper's Tables 6 and 7, the blindest benchmark first.

    A benchmark's row has its smallest regression under each sampling, None where there is no answer.
    """
    cells = {(row.benchmark, row.sampling): row for row in result.benchmarks}
    rows = [
        (name, [cells.get((name, sampling)) for sampling in result.samplings])
        for name in sorted({row.benchmark for row in result.benchmarks})
    ]
    return sorted(rows, key=lambda row: _blindness(row[1]), reverse=True)


def _blindness(cells: Sequence[Detectable | None]) -> float:
    return sum(2.0 if cell.smallest is None else cell.smallest for cell in cells if cell is not None)
