"""Curves for the reports, computed once from recorded values."""

from statistics import fmean

from abs_audit.analyses.stability.model import Density, Stability, violin
from abs_audit.experiment.unslowed_runs import SuiteRuns
from abs_audit.stats.density import density


def violins(runs: SuiteRuns) -> tuple[Density, ...]:
    """Return for each measured benchmark how its values lie around their mean, as relative differences."""
    curves = []
    for name, values in sorted(runs.values.items()):
        flat = [value for run in values for value in run]
        if flat:
            grid, heights = density([value / fmean(flat) - 1 for value in flat])
            curves.append(Density(name=name, positions=tuple(grid.tolist()), heights=tuple(heights.tolist())))
    return tuple(curves)


def spread_density(result: Stability) -> Density | None:
    """Return how the maxSpreads of the suite are distributed."""
    curve = violin(result)
    if curve is None:
        return None
    return Density(name="maxSpread", positions=curve.grid, heights=curve.density)
