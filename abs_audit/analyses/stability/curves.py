"""Curves for the reports, computed once from recorded values."""

import itertools

import numpy as np

from abs_audit.analyses.stability.model import Density
from abs_audit.experiment.unslowed_runs import SuiteRuns
from abs_audit.stats.arrays import Floats

CURVE_VALUES = 500
"""Values of a curve: more of them change its picture by less than a line is wide."""


def violins(runs: SuiteRuns) -> tuple[Density, ...]:
    """Return for each measured benchmark how its values lie around their mean, as relative differences."""
    curves = []
    for name in sorted(runs.values):
        flat = np.fromiter(itertools.chain.from_iterable(runs.values[name]), dtype=float)
        if flat.size:
            curves.append(Density.of(name, _thinned(flat / flat.mean() - 1)))
    return tuple(curves)


def _thinned(values: Floats) -> Floats:
    """Return the values, or as many evenly spaced ones in their order as a curve can show."""
    if values.size <= CURVE_VALUES:
        return values
    places = np.linspace(0, values.size - 1, CURVE_VALUES).round().astype(int)
    evenly: Floats = np.sort(values)[places]
    return evenly
