"""Machine-readable documents of the analyses that work on measurements alone, without a subject."""

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.model import ChartedCounter, ControlChart, Filtered
from abs_audit.analyses.compare.model import CONFIDENCE, ComparedBenchmark, Comparison, ComparisonSettings
from abs_audit.analyses.detectable.model import Detectable, SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation, Sight
from abs_audit.analyses.stop.model import CREDIBILITY_PERCENTILES, Replay, SeriesReplay
from abs_audit.analyses.variability.model import BenchmarkVariability, Variability
from abs_audit.report.json import Document, finite, finite_all


def comparison(result: Comparison, settings: ComparisonSettings, before: str, after: str) -> Document:
    """Return the document of `compare`; `before` and `after` name what was compared."""
    return {
        "schema": "abs-audit/compare/1",
        "before": before,
        "after": after,
        "settings": {
            "alpha": settings.alpha,
            "threshold": settings.threshold,
            "correction": settings.correction.value,
            "confidence": CONFIDENCE,
            "seed": settings.seed,
        },
        "benchmarks": [_compared(one) for one in result.benchmarks],
        "regressions": [one.benchmark for one in result.regressions],
        "geometric_mean": result.geometric_mean,
        "packages": [
            {
                "package": package.package,
                "benchmarks": package.benchmarks,
                "geometric_mean": package.geometric_mean,
            }
            for package in result.packages
        ],
        "only_before": list(result.only_before),
        "only_after": list(result.only_after),
        "a_a": {"checks": result.halves, "alarms": result.alarms},
        "warnings": list(result.warnings),
    }


def chart(result: ControlChart, quality: FlagQuality | None = None) -> Document:
    """Return the document of `chart`; `quality` holds the flags against labels, where there are any."""
    return {
        "schema": "abs-audit/chart/1",
        "baselines": list(result.baselines),
        "target": result.target,
        "counters": [_charted(one) for one in result.counters],
        "average_violation": result.average_violation,
        "quality": quality and _quality(quality),
        "warnings": list(result.warnings),
    }


def variability(result: Variability, alarms: SmallestRegression | None = None) -> Document:
    """Return the document of `variability`; `alarms` adds the A/A rates."""
    return {
        "schema": "abs-audit/variability/1",
        "benchmarks": [_variable(one) for one in result.benchmarks],
        "outliers_removed": result.outliers_removed,
        "a_a": [] if alarms is None else [_alarms(one) for one in alarms.benchmarks],
        "seed": None if alarms is None else alarms.seed,
        "warnings": [*result.warnings, *(() if alarms is None else alarms.warnings)],
    }


def detectable(result: SmallestRegression, advice: Recommendation, sentence: str) -> Document:
    """Return the document of `detectable`; `sentence` is the recommendation in words."""
    return {
        "schema": "abs-audit/detectable/1",
        "benchmarks": [_detectable(one) for one in result.benchmarks],
        "samplings": [_sight(one) for one in advice.sights],
        "recommendation": {
            "regression": advice.regression,
            "share": advice.share,
            "reached": advice.reached,
            "sampling": None if advice.chosen is None else _sight(advice.chosen),
            "sentence": sentence,
        },
        "draws": result.draws,
        "seed": result.seed,
        "warnings": list(result.warnings),
    }


def _compared(one: ComparedBenchmark) -> Document:
    return {
        "id": one.benchmark,
        "change": one.change.value,
        "ratio": one.ratio,
        "interval": one.interval and finite_all(one.interval),
        "missing_forks": one.missing_forks,
        "p": one.p,
        "p_corrected": one.p_corrected,
        "unit": one.unit.value,
        "replicates": list(one.replicates),
        "medians": list(one.medians),
        "measured_in": one.measured_in,
        "effects": {
            "mean_difference": one.mean_difference,
            "median_difference": one.median_difference,
            "cliffs_delta": one.cliffs_delta,
        },
        "own_noise": finite(one.own_noise),
    }


def _charted(one: ChartedCounter) -> Document:
    return {
        "name": one.name,
        "lcl": one.limits.lcl,
        "cl": one.limits.cl,
        "ucl": one.limits.ucl,
        "violation_ratio": one.violation_ratio,
        "threshold": one.threshold,
        "above_threshold": one.above_threshold,
        "limit": one.limit,
        "out_of_control": one.out_of_control,
        "samples": len(one.samples),
        "filter": one.filtered and _filtered(one.filtered),
        "notes": list(one.notes),
    }


def _filtered(done: Filtered) -> Document:
    return {
        "samples": len(done.samples),
        "cut": done.cut,
        "normality_before": done.normality_before,
        "normality_after": done.normality_after,
    }


def _quality(quality: FlagQuality) -> Document:
    return {
        "precision": quality.precision,
        "precision_interval": list(quality.precision_interval),
        "recall": quality.recall,
        "recall_interval": list(quality.recall_interval),
        "f_measure": quality.f_measure,
    }


def _variable(one: BenchmarkVariability) -> Document:
    return {
        "id": one.benchmark,
        "rsd": {"per_trial": one.per_trial, "per_instance": one.per_instance, "total": one.total},
        "instances": one.instances,
        "trials": one.trials,
        "values": one.values,
        "outliers": one.outliers,
    }


def _alarms(one: Detectable) -> Document:
    return {
        "id": one.benchmark,
        "strategy": one.strategy.value,
        "instances": one.instances,
        "trials": one.trials,
        "false_alarms": one.false_alarms,
        "false_alarms_of_effect": one.false_alarms_of_effect,
        "false_alarms_of_medians": one.false_alarms_of_medians,
    }


def _detectable(one: Detectable) -> Document:
    return {
        "id": one.benchmark,
        "strategy": one.strategy.value,
        "instances": one.instances,
        "trials": one.trials,
        "smallest": one.smallest,
        "false_positive_rate": one.false_positive_rate,
        "true_positive_rate": one.true_positive_rate,
    }


def _sight(one: Sight) -> Document:
    return {
        "strategy": one.sampling.strategy.value,
        "instances": one.sampling.instances,
        "trials": one.sampling.trials,
        "smallest": one.smallest,
        "median": one.median,
        "seeing": one.seeing,
        "answered": one.answered,
        "none": one.none,
    }


def stop(result: Replay) -> Document:
    """Return the document of `stop`."""
    names = [f"p{round(100 * percentile)}" for percentile in CREDIBILITY_PERCENTILES]
    return {
        "schema": "abs-audit/stop/1",
        "rule": result.rule,
        "accuracy_mean": finite(result.accuracy_mean),
        "accuracy_worst": finite(result.accuracy_worst),
        "credibility": result.credibility and dict(zip(names, result.credibility, strict=True)),
        "runs_mean": result.runs_mean,
        "series": [_replayed(one) for one in result.series],
        "warnings": list(result.warnings),
    }


def _replayed(one: SeriesReplay) -> Document:
    return {
        "series": one.series,
        "stop_at": one.stop_at,
        "used": one.used,
        "reason": one.reason,
        "accuracy": finite(one.judgement.accuracy) if one.judgement else None,
        "trace": [
            {
                "n": look.n,
                "reason": look.reason,
                **{name: finite(value) for name, value in look.figures.items()},
            }
            for look in one.trace
        ],
    }
