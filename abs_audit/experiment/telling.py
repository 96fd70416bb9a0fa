"""What is said of each cell: what was settled, and why the others were not measured."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from abs_audit.experiment.asking import Axes, Injection
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.dose import MOST
from abs_audit.experiment.protocol import NEEDED, NEGLIGIBLE
from abs_audit.grouping import grouped
from abs_audit.model.cells import Alike, Cells
from abs_audit.model.experiment import Mode
from abs_audit.model.explanation import Cause, Explanation, Felt, NoTally, ShareRange, TallyGap, TrialEnded
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import CellVerdict, Verdict, noticed

Settled = Mapping[tuple[str, str], CellVerdict]
"""(method, benchmark) → verdict."""


def told(profiles: CellProfiles, axes: Axes, spec: Injection, settled: Settled, *, ended: bool) -> Cells:
    """Return the verdict on each cell; `ended`: whether a budget of time did before all were measured."""
    done, felt = noticed(settled.values()), _felt(settled.values())

    def left(method: str, name: str) -> CellVerdict:
        cell = without_measuring(profiles, method, name, spec)
        if cell.cause is Cause.SHARE_TOO_SMALL:
            return _as_felt(cell, felt.get(name, 1.0))
        if cell.cause not in {Cause.ANOTHER_BENCHMARK_NOTICES, Cause.BUDGET, Cause.NOT_RUN}:
            return cell
        if method in done and not spec.settle_all:
            return replace(cell, explanation=Explanation(cause=Cause.ANOTHER_BENCHMARK_NOTICES))
        late = ended and cell.cause is not Cause.BUDGET
        return replace(cell, explanation=Explanation(cause=Cause.BUDGET)) if late else cell

    apart = {name: profiles.apart(name, axes.methods) for name in axes.benchmarks}
    # Benchmarks of one function may call the same, of which there may be thousands.
    of_one_kind = grouped((profiles.may_still_call(name), name) for name in axes.benchmarks).items()
    return Cells(
        listed=tuple(
            settled.get((method, name)) or left(method, name)
            for method in axes.methods
            for name in axes.benchmarks
            if method in apart[name]
        ),
        alike=tuple(
            alike
            for may_call, names in of_one_kind
            for methods in _parts(axes.methods, done, may_call or ())
            for alike in _alike(methods, {name: apart[name] for name in names}, left)
        ),
    )


def _parts(methods: Sequence[str], *marked: Container[str]) -> Iterable[list[str]]:
    """Return the methods in groups, by whether they are among those marked in either way."""
    return grouped((tuple(method in group for group in marked), method) for method in methods).values()


def _alike(
    methods: Sequence[str], apart: Mapping[str, Set[str]], judged: Callable[[str, str], CellVerdict]
) -> list[Alike]:
    """Return the verdicts on methods of which a benchmark says the same, but for some that stand `apart`."""
    first = {name: next((method for method in methods if method not in apart[name]), None) for name in apart}
    examples = [judged(method, name) for name, method in first.items() if method is not None]
    groups = grouped(
        ((cell.verdict, cell.explanation, cell.requested), cell.benchmark) for cell in examples
    ).items()
    return [
        Alike(
            methods=tuple(methods),
            benchmarks=tuple(names),
            verdict=verdict,
            explanation=explanation,
            requested=requested,
        )
        for (verdict, explanation, requested), names in groups
    ]


def _felt(cells: Iterable[CellVerdict]) -> dict[str, float]:
    """Return benchmark → how many times an injected slowdown it felt, where that is far too much in each run.

    The slower it is, the more it works: as where a cache expires by the clock.
    """
    too_much = [
        (cell.benchmark, max(felt.doses))
        for cell in cells
        if cell.cause is Cause.OVER_INJECTED
        and isinstance(felt := cell.explanation.details, Felt)
        and min(felt.doses) > MOST
    ]
    return {name: max(doses) for name, doses in grouped(too_much).items()}


def _as_felt(cell: CellVerdict, felt: float) -> CellVerdict:
    """Return what a small share says of a benchmark that feels a slowdown so many times."""
    assert cell.share_interval is not None
    low, high = cell.share_interval
    if felt * high < NEEDED:
        return cell
    interval = ShareRange(lowest=low, highest=min(1.0, felt * high))
    explanation = Explanation(cause=Cause.UNCERTAIN_SHARE, details=interval)
    return replace(cell, verdict=Verdict.NO_VERDICT, explanation=explanation)


def without_measuring(profiles: CellProfiles, method: str, name: str, spec: Injection) -> CellVerdict:
    """Return the verdict on a cell that no mutant was measured for."""
    share, verdict = profiles.shares.get((method, name)), Verdict.NO_VERDICT
    if share is None:
        explanation = _unprofiled(profiles, method, name)
        verdict = Verdict.UNREACHED if explanation.cause in _UNREACHED else verdict
    elif share.highest < NEGLIGIBLE:
        verdict, explanation = Verdict.MISSED, Explanation(cause=Cause.SHARE_TOO_SMALL)
    elif share.is_of_first:
        explanation = Explanation(cause=Cause.FIRST_TIMED)
    else:
        explanation = Explanation(cause=Cause.ANOTHER_BENCHMARK_NOTICES)
    return CellVerdict(
        method=method,
        benchmark=name,
        verdict=verdict,
        explanation=explanation,
        share=share.share if share else None,
        share_interval=share.interval if share else None,
        requested=spec.slowdown,
    )


def _unprofiled(profiles: CellProfiles, method: str, name: str) -> Explanation:
    """Return why the share of a cell is not known."""
    broken, reached = profiles.failure_of(name), profiles.reach.get(name)
    doubtful = profiles.doubtful.get((method, name))
    if broken is not None and broken.status is Status.SKIPPED:
        return Explanation(cause=Cause.SKIPPED_BY_SUITE, details=TrialEnded(said=broken.reason))
    failure = broken or profiles.unknown.get((method, name))
    if failure is not None:
        if failure.status is Status.OK:
            gap = TallyGap.NEVER_ENTERED if failure.tally else TallyGap.LOST
            missing = NoTally(gap=gap, probed=method, tally_of=Mode.TIME.value)
            return Explanation(cause=Cause.NO_TALLY, details=missing)
        return _broken(failure, works_plain=name in profiles.works_plain)
    if doubtful is not None:
        return Explanation(cause=Cause.CHANGED_BY_PROBE, details=doubtful)
    if profiles.cannot_call(name, method):
        return Explanation(cause=Cause.CANNOT_CALL)
    if reached is None or method in reached.calls:
        return Explanation(cause=Cause.BUDGET if profiles.ended else Cause.NOT_RUN)
    if method in reached.elsewhere:
        return Explanation(cause=_ELSEWHERE[reached.elsewhere[method]])
    return Explanation(cause=reached.unreached(method))


_UNREACHED = {
    Cause.NOT_CALLED,
    Cause.CANNOT_CALL,
    Cause.SETUP_ONLY,
    Cause.LOADING_ONLY,
    Cause.AT_FIRST,
    Cause.SKIPPED_BY_SUITE,
}


_ELSEWHERE = {
    "processes": Cause.OTHER_PROCESSES,
    "threads": Cause.OTHER_THREADS,
    "at once": Cause.AT_ONCE,
    "first": Cause.FIRST_TIMED,
}


def _broken(trial: Trial, *, works_plain: bool) -> Explanation:
    if trial.status is Status.FAILED and works_plain:
        return Explanation(cause=Cause.CHANGED_BY_PROBE, details=TrialEnded(said=trial.reason))
    cause = Cause.TIMED_OUT if trial.status is Status.TIMED_OUT else Cause.FAILED
    return Explanation(cause=cause, details=TrialEnded(said=trial.reason))
