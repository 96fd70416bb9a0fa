"""The default protocol: one probed build, reach and shares first, then interleaved pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Cell, Decision
from abs_audit.experiment.evidence import unmeasured
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.order_of_work import NEGLIGIBLE, portions, waves
from abs_audit.experiment.pairs import Design, Pair, settle
from abs_audit.experiment.profile import Share, arms_of_group
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.grouping import grouped
from abs_audit.model.experiment import Arm
from abs_audit.model.explanation import BelowFloor, Cause, Explanation, ProbeEffect, TrialEnded
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import CellVerdict, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """What is asked of every cell."""

    slowdown: float
    threshold: float
    """Relative difference that counts as noticed; δ/2 in a score."""
    delay_batch_ns: float
    floor_ns: float
    seed: int
    name: str
    """Begins the ids of the blocks."""
    settle_all: bool
    """True: every cell. False: of each method the best cells only, until one detects it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The cells in question: every method with every benchmark."""

    methods: Sequence[str]
    benchmarks: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What the protocol found."""

    cells: tuple[CellVerdict, ...]
    false_alarm_cells: int
    false_alarms: int


def verdicts(harness: Harness, profiles: CellProfiles, axes: Axes, spec: Injection) -> Verdicts:
    """Return a verdict for each cell of `axes`.

    Cells are measured in waves, those with the largest share of each method first.
    """
    settled: dict[tuple[str, str], CellVerdict] = {}
    alarms: list[Decision] = []
    plans = profiles.calibration.iteration_plans
    ended = profiles.ended
    try:
        for asked in _asked(harness, profiles, axes.methods, spec, settled):
            pairs = pairs_of(profiles, asked, spec)
            design = Design(name=f"{spec.name}/{spec.slowdown:g}", seed=spec.seed)
            for pair, decision in settle(harness, plans, [*pairs, *_again(pairs)], design):
                if pair.mutant.slowed is None:
                    alarms.append(decision)
                else:
                    verdict = decision.verdict
                    settled[verdict.method, verdict.benchmark] = _with_floor(verdict, pair.mutant, spec)
    except BudgetEndedError:
        ended = True
    detected = {cell.method for cell in settled.values() if cell.verdict is Verdict.DETECTED}
    cells = tuple(
        settled.get((method, name))
        or _left(without_measuring(profiles, method, name, spec), ended and method not in detected)
        for method in axes.methods
        for name in axes.benchmarks
    )
    judged = [alarm for alarm in alarms if alarm.verdict.verdict is not Verdict.NO_VERDICT]
    return Verdicts(
        cells=cells,
        false_alarm_cells=len(judged),
        false_alarms=sum(alarm.verdict.verdict is Verdict.DETECTED for alarm in judged),
    )


def _asked(
    harness: Harness,
    profiles: CellProfiles,
    methods: Sequence[str],
    spec: Injection,
    settled: Mapping[tuple[str, str], CellVerdict],
) -> Iterator[list[Share]]:
    """Yield the cells to settle next; what was settled meanwhile may make others needless."""
    plans = profiles.calibration.iteration_plans
    for wave in waves(list(profiles.shares.values()), methods, settle_all=spec.settle_all):
        needed = [share for share in wave if not _detected(settled, share, spec)]
        yield from portions(needed, plans, harness.watch.remaining_s)


def without_time(profiles: CellProfiles, axes: Axes, spec: Injection) -> tuple[CellVerdict, ...]:
    """Return the verdicts on cells of which none was settled before a budget ended."""
    return tuple(
        _left(without_measuring(profiles, method, name, spec), ended=True)
        for method in axes.methods
        for name in axes.benchmarks
    )


def _left(cell: CellVerdict, ended: bool) -> CellVerdict:
    """Return the verdict on a cell that was not measured: where a budget ended, it was not its turn."""
    if ended and cell.cause is Cause.ANOTHER_BENCHMARK_NOTICES:
        return replace(cell, explanation=Explanation(cause=Cause.BUDGET))
    return cell


def _detected(settled: Mapping[tuple[str, str], CellVerdict], share: Share, spec: Injection) -> bool:
    """Tell whether a method needs no more cells."""
    return not spec.settle_all and any(
        cell.method == share.method and cell.verdict is Verdict.DETECTED for cell in settled.values()
    )


def pairs_of(profiles: CellProfiles, shares: Sequence[Share], spec: Injection) -> list[Pair]:
    """Return control and mutant of reached cells; the cells of a benchmark have one control."""
    pairs = []
    for benchmark, group in grouped((share.benchmark, share) for share in shares).items():
        invocations = profiles.calibration.iteration_plans[benchmark].invocations
        for control, mutants in arms_of_group(group, spec.slowdown, invocations, spec.delay_batch_ns):
            pairs += [
                Pair(
                    cell=cell_of(share, spec),
                    control=control,
                    mutant=mutants[share.method],
                    plain_s=share.plain_s,
                )
                for share in group
                if share.method in mutants
            ]
    return pairs


def cell_of(share: Share, spec: Injection) -> Cell:
    """Return the question that an injection asks of a cell."""
    return Cell(
        method=share.method,
        benchmark=share.benchmark,
        share=share.share,
        requested=spec.slowdown,
        threshold=spec.threshold,
        share_low=share.low,
        share_high=share.high,
    )


def _again(pairs: Sequence[Pair]) -> list[Pair]:
    """Return an A/A pair for each benchmark: the control of its largest share, and the same again."""
    best: dict[str, Pair] = {}
    for pair in pairs:
        known = best.get(pair.cell.benchmark)
        if known is None or (pair.cell.share or 0) > (known.cell.share or 0):
            best[pair.cell.benchmark] = pair
    return [replace(pair, mutant=replace(pair.control, label="control, again")) for pair in best.values()]


def _with_floor(verdict: CellVerdict, mutant: Arm, spec: Injection) -> CellVerdict:
    """Say so where the delay is below what the probe realises faithfully."""
    if mutant.delay_ns >= spec.floor_ns:
        return verdict
    return replace(verdict, below_floor=BelowFloor(delay_ns=mutant.delay_ns, floor_ns=spec.floor_ns))


def without_measuring(profiles: CellProfiles, method: str, name: str, spec: Injection) -> CellVerdict:
    """Return the verdict on a cell that no mutant was measured for."""
    share = profiles.shares.get((method, name))
    cell = Cell(
        method=method,
        benchmark=name,
        share=share.share if share else None,
        requested=spec.slowdown,
        threshold=spec.threshold,
    )
    if share is not None and share.highest < NEGLIGIBLE:
        return unmeasured(cell, Verdict.MISSED, Explanation(cause=Cause.SHARE_TOO_SMALL))
    if share is not None:
        return unmeasured(cell, Verdict.NO_VERDICT, Explanation(cause=Cause.ANOTHER_BENCHMARK_NOTICES))
    explanation = _unprofiled(profiles, method, name)
    unreached = explanation.cause in _UNREACHED
    return unmeasured(cell, Verdict.UNREACHED if unreached else Verdict.NO_VERDICT, explanation)


def _unprofiled(profiles: CellProfiles, method: str, name: str) -> Explanation:
    """Return why the share of a cell is not known."""
    broken, reached = profiles.failed.get(name), profiles.reach.get(name)
    unknown, doubtful = profiles.unknown.get((method, name)), profiles.doubtful.get((method, name))
    if broken is not None and broken.status is Status.SKIPPED:
        return Explanation(cause=Cause.SKIPPED_BY_SUITE, details=TrialEnded(said=broken.reason))
    failure = broken or (unknown.trial if unknown else None)
    if failure is not None:
        return _broken(failure, works_plain=name in profiles.works_plain)
    if doubtful is not None:
        return Explanation(
            cause=Cause.CHANGED_BY_PROBE,
            details=ProbeEffect(slower=doubtful.slower, lowest=doubtful.lowest, highest=doubtful.highest),
        )
    if reached is None or method in reached.calls:
        return Explanation(cause=Cause.BUDGET if profiles.ended else Cause.NOT_RUN)
    if method in reached.elsewhere:
        return Explanation(cause=_ELSEWHERE[reached.elsewhere[method]])
    return Explanation(cause=reached.unreached(method))


_UNREACHED = {
    Cause.NOT_CALLED,
    Cause.CANNOT_CALL,
    Cause.SETUP_ONLY,
    Cause.AT_FIRST,
    Cause.SKIPPED_BY_SUITE,
}
_ELSEWHERE = {
    "processes": Cause.OTHER_PROCESSES,
    "threads": Cause.OTHER_THREADS,
    "at once": Cause.AT_ONCE,
}


def _broken(trial: Trial, *, works_plain: bool) -> Explanation:
    if trial.status is Status.OK:
        return Explanation(cause=Cause.NO_TALLY)
    if trial.status is Status.FAILED and works_plain:
        return Explanation(cause=Cause.CHANGED_BY_PROBE, details=TrialEnded(said=trial.reason))
    cause = Cause.TIMED_OUT if trial.status is Status.TIMED_OUT else Cause.FAILED
    return Explanation(cause=cause, details=TrialEnded(said=trial.reason))
