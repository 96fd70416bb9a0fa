"""Builders: one function a dataclass, every field with a harmless default, any field to override."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.detectable.model import Detectable, SmallestRegression
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.redundancy.model import MethodRedundancy, Redundancy
from abs_audit.analyses.score.model import Cost, Score
from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Sensitivity
from abs_audit.analyses.stability.model import BenchmarkSpread, Density, Stability
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause, Explanation, TrialEnded
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery, Subject
from abs_audit.model.trace import DownstreamSummary, RankedMethod, TraceResult
from abs_audit.model.verdict import CellVerdict, FalseAlarms, MethodVerdict, Verdict

PAPER = (
    *(Sampling(strategy=Strategy.INSTANCES, instances=count, trials=1) for count in (1, 5, 20)),
    *(Sampling(strategy=Strategy.TRIALS, instances=count, trials=5) for count in (1, 20)),
)
"""The five samplings of the paper's Tables 6 and 7."""


def subject(**changes: object) -> Subject:
    return _build(
        Subject,
        changes,
        name="tokenmap",
        root=Path("tokenmap"),
        language="python",
        framework="pytest-benchmark",
        commit="4f2c9d1",
    )


def benchmark(id: str = "bench/test_load.py::test_load[small]", **parameters: str) -> Benchmark:
    return Benchmark(id=id, parameters=parameters)


def discovery(*ids: str, broken: Sequence[BrokenBenchmark] = (), **changes: object) -> Discovery:
    return _build(Discovery, changes, benchmarks=tuple(benchmark(id) for id in ids), broken=tuple(broken))


def ranked(method: str, calls: int = 10, **by_project: int) -> RankedMethod:
    projects = by_project or {"shop": calls}
    return RankedMethod(method=method, calls=calls, projects=len(projects), by_project=projects)


def downstream(name: str = "shop", **changes: object) -> DownstreamSummary:
    return _build(
        DownstreamSummary, changes, name=name, commit="a1b2c3d", tests_passed=120, tests_failed=0, calls=10
    )


def trace(*methods: RankedMethod, **changes: object) -> TraceResult:
    return _build(
        TraceResult, changes, methods=methods, downstreams=(downstream(),), caller="direct", warnings=()
    )


def spread(benchmark: str, max_spread: float | None = 0.02, **changes: object) -> BenchmarkSpread:
    return _build(
        BenchmarkSpread,
        changes,
        benchmark=benchmark,
        means=(1.0e-3, 1.01e-3, 1.02e-3),
        max_spread=max_spread,
        rsd=0.01,
    )


def stability(*benchmarks: BenchmarkSpread, **changes: object) -> Stability:
    return _build(
        Stability,
        changes,
        runs=5,
        benchmarks=benchmarks,
        buckets=_buckets(benchmarks),
        slowdown=0.4,
        warnings=(),
    )


_CAUSES = {
    Verdict.DETECTED: Cause.NOTICED,
    Verdict.MISSED: Cause.SHARE_TOO_SMALL,
    Verdict.UNREACHED: Cause.NOT_CALLED,
    Verdict.NO_VERDICT: Cause.NOT_RUN,
}


def because(cause: Cause, said: str) -> Explanation:
    """Why, in the words of a trial."""
    return Explanation(cause=cause, details=TrialEnded(said=said))


def cell(method: str, benchmark: str, verdict: Verdict = Verdict.DETECTED, **changes: object) -> CellVerdict:
    reached = verdict is not Verdict.UNREACHED
    return _build(
        CellVerdict,
        changes,
        method=method,
        benchmark=benchmark,
        verdict=verdict,
        explanation=Explanation(cause=_CAUSES[verdict]),
        share=0.8 if reached else None,
        requested=0.4 if reached else None,
        realised=0.41 if reached else None,
        difference_mean=0.33 if reached else None,
        difference_median=0.32 if reached else None,
        p_values=(0.001, 0.002) if reached else (),
        repetitions=(20, 20) if reached else (),
    )


def method(name: str, verdict: Verdict = Verdict.DETECTED, **changes: object) -> MethodVerdict:
    return _build(
        MethodVerdict,
        changes,
        method=name,
        verdict=verdict,
        explanation=Explanation(cause=_CAUSES[verdict]),
        detected_by=("bench/test_load.py::test_load[small]",) if verdict is Verdict.DETECTED else (),
        best_share=None if verdict is Verdict.UNREACHED else 0.8,
    )


def score(*methods: MethodVerdict, cells: Iterable[CellVerdict] = (), **changes: object) -> Score:
    """A score whose total and interval follow from the verdicts of its methods."""
    verdicts = [method.verdict for method in methods]
    count = max(len(verdicts), 1)
    detected, open_ = verdicts.count(Verdict.DETECTED), verdicts.count(Verdict.NO_VERDICT)
    return _build(
        Score,
        changes,
        protocol="switched",
        slowdown=0.4,
        runs=2,
        total=detected / count,
        relative=detected / count,
        absolute=detected / count,
        interval=(detected / count, (detected + open_) / count),
        methods=methods,
        cells=cells if isinstance(cells, Cells) else Cells.of(cells),
        skipped=(),
        false_alarms=FalseAlarms(cells=20, alarms=0),
        cost=Cost(total_s=1260.0, benchmark_s=980.0, build_s=42.0, paper_protocol_s=93_600.0),
        warnings=(),
    )


def sensitivity(*methods: MethodSensitivity, **changes: object) -> Sensitivity:
    return _build(Sensitivity, changes, threshold=0.2, methods=methods, warnings=())


def noticed(method: str, smallest: float | None = 0.25, **changes: object) -> MethodSensitivity:
    return _build(
        MethodSensitivity,
        changes,
        method=method,
        smallest_noticed=smallest,
        benchmark=None if smallest is None else "bench/test_load.py::test_load[small]",
        confirmed=smallest is not None,
        reason="",
    )


def redundancy(watchers: dict[str, tuple[str, ...]], **changes: object) -> Redundancy:
    counts = [len(benchmarks) for benchmarks in watchers.values()]
    return _build(
        Redundancy,
        changes,
        methods=tuple(MethodRedundancy(method=name, benchmarks=by) for name, by in watchers.items()),
        removable=(),
        histogram=tuple(counts.count(n) for n in range(max(counts, default=0) + 1)),
        warnings=(),
    )


def selection(*chosen: str, **changes: object) -> Selection:
    return _build(
        Selection,
        changes,
        budget_s=60.0,
        chosen=chosen,
        duration_s=48.5,
        score_kept=0.65,
        score_full=0.7,
        lost=(),
        greedy_score=0.6,
        gap=0.0,
        optimal=True,
        warnings=(),
    )


def stub(method: str, **changes: object) -> StubOutcome:
    return _build(
        StubOutcome,
        changes,
        method=method,
        file="bench/test_stubs.py",
        compiles=True,
        runs=True,
        detects=True,
        reason="",
    )


def seen(benchmark: str, sampling: Sampling, smallest: float | None = 0.05, **changes: object) -> Detectable:
    return _build(
        Detectable,
        changes,
        benchmark=benchmark,
        sampling=sampling,
        smallest=smallest,
        false_positive_rate=0.02,
        true_positive_rate=0.99,
        false_alarms=0.3,
        false_alarms_of_effect=0.1,
        false_alarms_of_medians=0.05,
    )


def detectable(*benchmarks: Detectable, **changes: object) -> SmallestRegression:
    return _build(
        SmallestRegression,
        changes,
        draws=100,
        seed=7,
        samplings=PAPER,
        asked=1,
        benchmarks=benchmarks,
        warnings=(),
    )


def density(name: str, width: float = 0.05, points: int = 64) -> Density:
    """A triangular curve from −width to +width."""
    positions = tuple(width * (2 * index / (points - 1) - 1) for index in range(points))
    return Density(name=name, positions=positions, heights=tuple(width - abs(x) for x in positions))


def report(**parts: object) -> AuditReport:
    return _build(AuditReport, parts, version="0.1.0")


def _buckets(benchmarks: Sequence[BenchmarkSpread]) -> tuple[int, ...]:
    edges = (0.0, 0.05, 0.1, 0.25, 0.5, float("inf"))
    known = [benchmark.max_spread for benchmark in benchmarks if benchmark.max_spread is not None]
    return tuple(
        sum(low < value <= high or low == value == 0.0 for value in known)
        for low, high in itertools.pairwise(edges)
    )


def _build(kind, changes, **defaults):  # type: ignore[no-untyped-def]
    return kind(**(defaults | changes))
