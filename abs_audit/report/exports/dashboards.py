"""Medians for tools that draw a line over commits: Bencher's metric format and github-action-benchmark."""

import json
from collections.abc import Iterable

import numpy as np

from abs_audit.formats.sample import SECONDS, Sample, pooled

NS = 1e9


def bmf(samples: Iterable[Sample]) -> bytes:
    """Return Bencher's metric format: median and quartiles of each benchmark, in nanoseconds."""
    document = {}
    for (name, unit), values in pooled(samples).items():
        low, median, high = _quartiles(values, unit)
        measure = "latency" if unit == SECONDS else unit or "value"
        document[name] = {measure: {"value": median, "lower_value": low, "upper_value": high}}
    return _written(document)


def github_action(samples: Iterable[Sample]) -> bytes:
    """Return the list of github-action-benchmark's `customSmallerIsBetter`."""
    document = []
    for (name, unit), values in pooled(samples).items():
        low, median, high = _quartiles(values, unit)
        document.append(
            {
                "name": name,
                "unit": "ns" if unit == SECONDS else unit,
                "value": median,
                "range": f"{(high - low) / 2:.6g}",
                "extra": f"median of {len(values)} values; half the interquartile range",
            }
        )
    return _written(document)


def _quartiles(values: list[float], unit: str) -> tuple[float, float, float]:
    factor = NS if unit == SECONDS else 1.0
    low, median, high = (float(f"{value * factor:.6g}") for value in np.quantile(values, (0.25, 0.5, 0.75)))
    return low, median, high


def _written(document: object) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()
