"""Medians as OpenMetrics text, for Prometheus and what reads its format."""

from collections.abc import Iterable

import numpy as np

from abs_audit.formats.sample import SECONDS, Sample, pooled

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
FAMILIES = {True: "benchmark_time_seconds", False: "benchmark_value"}


def openmetrics(samples: Iterable[Sample]) -> bytes:
    """Return quartiles of each benchmark; forks are pooled.

    Times are one family, everything else another with its unit as a label.
    """
    measured = pooled(samples)
    lines = []
    for timed, family in FAMILIES.items():
        lines.append(f"# TYPE {family} gauge")
        lines += [f"# UNIT {family} seconds"] if timed else []
        for (benchmark, unit), values in measured.items():
            if (unit == SECONDS) is timed:
                labels = f'benchmark="{benchmark.translate(_ESCAPES)}"'
                labels += "" if timed else f',unit="{unit.translate(_ESCAPES)}"'
                lines += [
                    f'{family}{{{labels},quantile="{share}"}} {float(np.quantile(values, share))!r}'
                    for share in (0.25, 0.5, 0.75)
                ]
    return "\n".join([*lines, "# EOF", ""]).encode()
