"""Results of the analyses that work on measurements alone: small ones, and ones whose every name attacks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from abs_audit.analyses.chart.flag_quality import FlagQuality, flag_quality
from abs_audit.analyses.chart.load import LoadFilter
from abs_audit.analyses.chart.model import STRICT_RULE, ChartedCounter, ControlChart, Limits
from abs_audit.analyses.compare.model import Change, ComparedBenchmark, Comparison, Effects
from abs_audit.analyses.compare.replication import Unit
from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation, recommend
from abs_audit.analyses.detectable.sampling import grid
from abs_audit.analyses.variability.model import BenchmarkVariability, Deviations, Variability
from tests.support import builders as b
from tests.support.sessions import BENCHMARKS, HOSTILE

RATIOS = (1.003, 1.31, 0.998, 0.85, 1.12, 1.001, 0.9995, 1.0)


def compared(benchmark: str, ratio: float = 1.0, **changes: object) -> ComparedBenchmark:
    """A benchmark that is slower or faster where it changed by more than 5 %."""
    change = Change.SLOWER if ratio > 1.05 else Change.FASTER if ratio < 0.95 else Change.UNCHANGED
    fields: dict[str, object] = {
        "benchmark": benchmark,
        "unit": Unit.FORK,
        "replicates": (10, 10),
        "measured_in": "s",
        "missing_forks": 0,
        "medians": (1e-3, 1e-3 * ratio),
        "ratio": ratio,
        "interval": (ratio - 0.02, ratio + 0.03),
        "p": 1e-5 if change is not Change.UNCHANGED else 0.4,
        "p_corrected": 7e-5 if change is not Change.UNCHANGED else 0.71,
        "effects": Effects(
            mean_difference=ratio - 1 + 0.001,
            median_difference=ratio - 1,
            cliffs_delta=max(-1.0, min(1.0, 8 * (ratio - 1))),
        ),
        "own_noise": 0.01,
        "change": change,
    }
    return ComparedBenchmark(**(fields | changes))  # type: ignore[arg-type]


def comparison(*benchmarks: ComparedBenchmark, **changes: object) -> Comparison:
    fields: dict[str, object] = {
        "benchmarks": benchmarks,
        "only_before": (),
        "only_after": (),
        "halves": 2 * len(benchmarks),
        "alarms": 0,
        "warnings": (),
    }
    return Comparison(**(fields | changes))  # type: ignore[arg-type]


def undecidable(benchmark: str) -> ComparedBenchmark:
    return compared(
        benchmark,
        2.0,
        change=Change.UNDECIDABLE,
        replicates=(3, 3),
        interval=None,
        missing_forks=1,
        p=0.1,
        p_corrected=1.0,
        own_noise=None,
    )


def small_comparison() -> Comparison:
    return comparison(
        *(compared(name, ratio) for name, ratio in zip(BENCHMARKS, RATIOS, strict=False)),
        undecidable(BENCHMARKS[8]),
        only_before=(BENCHMARKS[9],),
        only_after=BENCHMARKS[10:12],
        alarms=1,
        warnings=(
            "1 of 9 benchmarks have too few forks to reach p < 0.05 at all: measure at least 4 a side",
        ),
    )


def charted(
    name: str, ratio: float = 0.1, threshold: float | None = 0.12, **changes: object
) -> ChartedCounter:
    limit = STRICT_RULE.limit(threshold)
    inside = 20 - round(20 * ratio)
    fields: dict[str, object] = {
        "name": name,
        "limits": Limits(lcl=90.0, cl=100.0, ucl=110.0),
        "violation_ratio": ratio,
        "threshold": threshold,
        "above_threshold": threshold is not None and ratio > threshold,
        "limit": limit,
        "out_of_control": ratio > limit,
        "baseline": tuple(float(90 + index % 21) for index in range(100)),
        "samples": tuple([float(95 + index % 11) for index in range(inside)] + [125.0] * (20 - inside)),
        "filtered": None,
        "notes": (),
    }
    return ChartedCounter(**(fields | changes))  # type: ignore[arg-type]


def chart(*counters: ChartedCounter, **changes: object) -> ControlChart:
    fields: dict[str, object] = {
        "baselines": ("run 1", "run 2", "run 3"),
        "target": "run 4",
        "counters": tuple(sorted(counters, key=lambda counter: -counter.excess)),
        "average_violation": None,
        "warnings": (),
    }
    return ControlChart(**(fields | changes))  # type: ignore[arg-type]


def small_chart() -> ControlChart:
    return chart(
        charted("Tomcat IO data bytes/s", 0.95, 0.1),
        charted(
            "Tomcat pool paged bytes", 0.45, 0.2, notes=("not scaled: does not follow the load (p = 0.7)",)
        ),
        charted("MySQL IO read bytes/s", 0.15, 0.1),
        charted("threads", 0.05, 0.1),
        charted("page faults/s", 0.0, 0.0),
        average_violation=0.7,
        warnings=("run 4 lacks swap: not charted",),
    )


def filtered_chart() -> ControlChart:
    """A counter with two kinds of load, cut between them."""
    both = np.array([*(index % 5 for index in range(30)), *(95 + index % 11 for index in range(90))], float)
    kept = both >= 40.0
    filtered = LoadFilter(samples=both, kept=kept, cut=40.0, normality_before=1e-9, normality_after=0.3)
    one_load = replace(filtered, samples=both[30:], kept=kept[30:], cut=None, normality_before=0.3)
    return chart(charted("two loads", filtered=filtered), charted("one load", filtered=one_load))


def small_quality() -> FlagQuality:
    return flag_quality(
        ["Tomcat IO data bytes/s", "Tomcat pool paged bytes"], ["Tomcat IO data bytes/s", "threads"]
    )


def variable(benchmark: str, total: float | None = 0.04, **changes: object) -> BenchmarkVariability:
    fields: dict[str, object] = {
        "benchmark": benchmark,
        "rsd": Deviations(
            per_trial=None if total is None else total / 8,
            per_instance=None if total is None else total / 3,
            total=total,
        ),
        "instances": 10,
        "trials": 50,
        "values": 500,
        "outliers": 0,
    }
    return BenchmarkVariability(**(fields | changes))  # type: ignore[arg-type]


def variability(*benchmarks: BenchmarkVariability, **changes: object) -> Variability:
    fields: dict[str, object] = {"benchmarks": benchmarks, "outliers_removed": False, "warnings": ()}
    return Variability(**(fields | changes))  # type: ignore[arg-type]


def small_variability() -> Variability:
    return variability(
        *(variable(name, 0.003 * (index + 1) ** 1.5) for index, name in enumerate(BENCHMARKS[:12])),
        variable(
            BENCHMARKS[12], outliers=3, rsd=Deviations(per_trial=None, per_instance=0.31 / 3, total=0.31)
        ),
        variable(BENCHMARKS[13], None, instances=0, trials=0, values=0),
        warnings=(f"{BENCHMARKS[13]}: no values",),
    )


def small_detectable() -> SmallestRegression:
    return detectable(BENCHMARKS)


def detectable(benchmarks: Sequence[str], **changes: object) -> SmallestRegression:
    """Six samplings: the more trials, the smaller the regression; the last benchmark often shows none."""
    samplings = grid((1, 3), (1, 3, 5))
    steps = (0.5, 0.2, 0.15, 0.15, 0.1, 0.05, 0.2, 0.1, 0.1, 0.1, 0.05, 0.03)
    return b.detectable(
        *(
            b.seen(name, sampling, None if (name, step) == (benchmarks[-1], 0.5) else step)
            for sampling, step in zip(samplings, steps, strict=True)
            for name in benchmarks
        ),
        **({"samplings": samplings, "asked": len(benchmarks)} | changes),
    )


def small_advice() -> Recommendation:
    return recommend(small_detectable())


def hostile_comparison() -> Comparison:
    return comparison(
        *map(compared, HOSTILE, (1.2, 0.8, 1.0) * 4),
        undecidable(HOSTILE[0]),
        only_before=HOSTILE,
        only_after=HOSTILE,
        warnings=HOSTILE,
    )


def hostile_chart() -> ControlChart:
    return chart(
        *(
            charted(name, 0.5, None if index % 3 else 0.1, notes=(name,))
            for index, name in enumerate(HOSTILE)
        ),
        baselines=HOSTILE,
        target=HOSTILE[0],
        warnings=HOSTILE,
    )


def hostile_variability() -> Variability:
    return variability(*(variable(name, outliers=1) for name in HOSTILE), warnings=HOSTILE)


def hostile_detectable() -> SmallestRegression:
    return detectable(HOSTILE, warnings=HOSTILE)
