"""How much of the API does the suite watch? The API benchmarking score (ABS)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit.advising import advised
from abs_audit.errors import UsageError
from abs_audit.model.cells import Amount, Cells, size
from abs_audit.model.cost import CommandCost
from abs_audit.model.explanation import Cause, Explanation, InSetUp, Nearest, OpenCells, TrialEnded
from abs_audit.model.sentences import NEEDED
from abs_audit.model.subject import Skipped
from abs_audit.model.verdict import UNWATCHED, CellVerdict, FalseAlarms, MethodVerdict, Verdict
from abs_audit.stats.intervals import wilson
from abs_audit.wording import count, finite, some


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(CommandCost):
    """What the score took."""

    benchmark_s: float
    build_s: float
    paper_protocol_s: float | None
    """What the 2018 protocol would take on this suite: estimated, in benchmark-seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """How the evidence was come by; printed with every score."""

    protocol: str
    slowdown: float
    runs: int
    false_alarms: FalseAlarms
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(ScoreSettings):
    """Answer to: which methods could become slower unnoticed?"""

    total: float
    """Detected ÷ methods, 0..1; methods without a verdict stay in the denominator."""
    relative: float
    """Without the 5 % of benchmarks with the largest maxSpread."""
    absolute: float
    """Without the benchmarks with a maxSpread above .5."""
    interval: tuple[float, float]
    """Detected ÷ N to (detected + those that a cell without a verdict could still detect) ÷ N."""
    methods: tuple[MethodVerdict, ...]
    cells: Cells
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    since: "Since | None" = None
    """Set where only what a change touches was measured."""
    variants_known: bool = True
    """False: `relative` and `absolute` are what is known so far, at least as much."""

    @property
    def unwatched(self) -> tuple[str, ...]:
        """Methods that could become slower unnoticed: a benchmark of their own would help them."""
        return tuple(answered.method for answered in self.methods if answered.verdict in UNWATCHED)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Methods without a verdict."""
        return tuple(answered.method for answered in self.methods if answered.verdict is Verdict.NO_VERDICT)

    def warning(self, told: str) -> "Score":
        """Return it with one more warning."""
        return replace(self, warnings=(*self.warnings, told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Which methods a change was measured for, and which answers are older."""

    revision: str
    measured: tuple[str, ...]
    taken_over: tuple[str, ...]
    """Methods that the change does not touch: their answers come from an earlier score."""
    unasked: tuple[str, ...] = ()
    """Public methods that the change adds, which the methods file does not name."""
    lost: tuple[str, ...] = ()
    """Methods that the score before had detected and this one has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What a budget of time has left over."""

    methods: int
    """Methods with a cell that it was not the turn of."""
    further_s: float
    """What settling them takes, estimated, in seconds."""
    at_least: bool
    """Whether it takes more: not even shares are known of all of them."""
    uncounted: int = 0
    """Benchmarks of which it is not known what they call."""


SPREAD_LIMIT = 0.5
"""The absolute score leaves out benchmarks with a larger maxSpread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the score is computed from."""

    methods: tuple[str, ...]
    """The methods that were asked about (K'), with those that could not be measured."""
    cells: Cells
    skipped: tuple[Skipped, ...]
    """Methods that cannot carry a probe."""
    spreads: Mapping[str, float | None]
    """Benchmark → maxSpread, of those that were executed unslowed: others have no cell that rests on it."""
    broken: frozenset[str] = frozenset()
    """Benchmarks that fail without any slowdown: as they are, they watch nothing."""
    changed: frozenset[str] = frozenset()
    """Benchmarks that probes make another program of, so that not all of their cells have a verdict."""
    unfinished: Unfinished | None = None
    """What a budget of time has left over; None: nothing."""
    remark: str = ""
    """What to know of a build where no probe sees all that is executed."""
    part: str = ""
    """Which part of the benchmarks was asked where they are dealt out to several commands; empty: all."""

    @property
    def working(self) -> Cells:
        """Return the cells of benchmarks that do not fail."""
        return self.cells.within(benchmarks=self.cells.benchmarks - self.broken)


def score(evidence: Evidence, score_settings: ScoreSettings) -> Score:
    """Return the share of methods whose slowdown at least one benchmark notices.

    Laaber & Leitner 2018, §6.3, Eq. 3, as 0..1. A method without a verdict stays in the denominator and
    is never counted as detected; `interval` shows what it could still change. A benchmark that fails
    unslowed cannot notice anything, so it does not keep a method from being missed; repaired it might,
    so the interval counts it. No method at all is an error: a share of nothing would read as a pass or
    as a failure, and is neither.
    """
    if not evidence.methods:
        raise UsageError(f"expected at least 1 method to score, found none; run `{advised('trace')}` first")
    cells, working = evidence.cells.of_methods(), evidence.working.of_methods()
    verdicts = tuple(
        _judge(method, cells.get(method, []), working.get(method, []), evidence)
        for method in dict.fromkeys(evidence.methods)
    )
    count = len(verdicts)
    detected = sum(1 for verdict in verdicts if verdict.verdict is Verdict.DETECTED)
    open_methods = evidence.cells.open_methods
    open_methods |= {judged.method for judged in verdicts if judged.verdict is Verdict.NO_VERDICT}
    unknown = sum(
        verdict.method in open_methods for verdict in verdicts if verdict.verdict is not Verdict.DETECTED
    )
    variants = (stable_relative(evidence.spreads), stable_absolute(evidence.spreads))
    relative, absolute = (
        sum(1 for verdict in verdicts if kept.intersection(verdict.detected_by)) / count for kept in variants
    )
    return Score(
        protocol=score_settings.protocol,
        slowdown=score_settings.slowdown,
        runs=score_settings.runs,
        total=detected / count,
        relative=relative,
        absolute=absolute,
        interval=(detected / count, (detected + unknown) / count),
        methods=verdicts,
        cells=evidence.cells,
        skipped=evidence.skipped,
        false_alarms=score_settings.false_alarms,
        cost=score_settings.cost,
        warnings=tuple(_warnings(evidence, score_settings, variants)),
        variants_known=all(_is_known(kept, verdicts, evidence.spreads) for kept in variants),
    )


def open_cells(result: Score) -> list[Amount]:
    """Return the cells that nothing could settle, without those that need not be."""
    open_ = (amount for amount in result.cells.amounts() if amount.cell.verdict is Verdict.NO_VERDICT)
    return [amount for amount in open_ if amount.cell.cause is not Cause.ANOTHER_BENCHMARK_NOTICES]


def stable_relative(spreads: Mapping[str, float | None]) -> frozenset[str]:
    """Return the benchmarks without the n − round(.95·n) of largest maxSpread.

    Laaber & Leitner 2018, §6.3; `round` halves to even, which gives nine of the ten counts of Table 5.
    Equal spreads: the id that sorts first stays. A benchmark without a maxSpread is not stable.
    """
    ranked = sorted((spread, name) for name, spread in spreads.items() if spread is not None)
    return frozenset(name for _, name in ranked[: round(0.95 * len(ranked))])


def stable_absolute(spreads: Mapping[str, float | None]) -> frozenset[str]:
    """Return the benchmarks with a maxSpread of at most .5 (Laaber & Leitner 2018, §6.3)."""
    return frozenset(
        name for name, spread in spreads.items() if spread is not None and spread <= SPREAD_LIMIT
    )


def paper_cost_s(methods: int, run_s: float) -> float:
    """Return 2 · (|K'| + 1) · duration of one run of the suite, in seconds (2018, §6.2)."""
    return 2 * (methods + 1) * run_s


def _is_known(
    kept: frozenset[str], verdicts: Sequence[MethodVerdict], spreads: Mapping[str, float | None]
) -> bool:
    """Tell whether any method is settled, and the maxSpread of all that alone notices one is known."""
    watching = [verdict.detected_by for verdict in verdicts if verdict.verdict is Verdict.DETECTED]
    doubtful = [names for names in watching if not kept.intersection(names)]
    settled = any(verdict.verdict is not Verdict.NO_VERDICT for verdict in verdicts)
    return settled and all(spreads.get(name) is not None for names in doubtful for name in names)


def _judge(
    method: str, amounts: Sequence[Amount], working: Sequence[Amount], evidence: Evidence
) -> MethodVerdict:
    verdict, explanation = _answer(method, working or amounts, evidence)
    if verdict is Verdict.UNREACHED and size(working) < size(amounts):
        # One that fails watches nothing, but nobody knows whether it calls the method.
        explanation = _open(amounts, explanation.cause)
    listed = [amount.cell for amount in amounts]
    return MethodVerdict(
        method=method,
        verdict=verdict,
        explanation=explanation,
        detected_by=tuple(sorted(cell.benchmark for cell in listed if cell.verdict is Verdict.DETECTED)),
        best_share=max((cell.share for cell in listed if cell.share is not None), default=None),
    )


def _answer(method: str, amounts: Sequence[Amount], evidence: Evidence) -> tuple[Verdict, Explanation]:
    verdicts = {amount.cell.verdict for amount in amounts}
    skipped = next((skipped.reason for skipped in evidence.skipped if skipped.method == method), None)
    if Verdict.DETECTED in verdicts:
        return Verdict.DETECTED, Explanation(cause=Cause.NOTICED)
    if not amounts and skipped is not None:
        return Verdict.NO_VERDICT, Explanation(cause=Cause.UNVIABLE, details=TrialEnded(said=skipped))
    if not amounts:
        ended = evidence.unfinished is not None
        return Verdict.NO_VERDICT, Explanation(cause=Cause.BUDGET if ended else Cause.NOT_RUN)
    if Verdict.NO_VERDICT in verdicts:
        return Verdict.NO_VERDICT, _open(amounts)
    if verdicts == {Verdict.UNREACHED}:
        return Verdict.UNREACHED, _unreached([amount.cell for amount in amounts])
    return Verdict.MISSED, _missed([amount.cell for amount in amounts])


def _open(amounts: Sequence[Amount], otherwise: Cause | None = None) -> Explanation:
    """Count why cells have no verdict; `otherwise` says what the others answer."""
    unsettled = [amount for amount in amounts if amount.cell.verdict is Verdict.NO_VERDICT]
    counted = Counter[Cause]()
    for amount in unsettled:
        counted[amount.cell.cause] += amount.number
    causes = counted.most_common()
    commonest = causes[0][0] if causes else Cause.NOT_RUN
    if Cause.BUDGET in counted:
        # More time may give a verdict, whatever else is in the way.
        commonest = Cause.BUDGET
    examples = [amount.cell for amount in unsettled if amount.cell.cause is commonest]
    example = max(examples, key=lambda cell: finite(cell.share) or 0.0, default=amounts[0].cell)
    return Explanation(
        cause=otherwise or commonest,
        details=OpenCells(
            causes=dict(causes),
            judged=size(amounts),
            example=example.benchmark,
            example_of=example.explanation,
        ),
    )


def _unreached(cells: Sequence[CellVerdict]) -> Explanation:
    for cause in (Cause.AT_FIRST, Cause.SETUP_ONLY):
        calling = tuple(cell.benchmark for cell in cells if cell.cause is cause)
        if calling:
            return Explanation(cause=cause, details=InSetUp(benchmarks=calling))
    causes = {cell.cause for cell in cells}
    if Cause.LOADING_ONLY in causes:
        return Explanation(cause=Cause.LOADING_ONLY)
    return Explanation(
        cause=Cause.SKIPPED_BY_SUITE if causes == {Cause.SKIPPED_BY_SUITE} else Cause.NOT_CALLED
    )


def _missed(cells: Sequence[CellVerdict]) -> Explanation:
    """Return how near the best benchmark came. Eq. 2 asks for δ · share ≥ δ/2: a share of one half."""
    with_share = [cell for cell in cells if cell.share is not None]
    if not with_share:
        return Explanation(cause=Cause.DIFFERENCE_TOO_SMALL)
    best = max(with_share, key=lambda cell: (cell.share or 0.0, cell.share_interval or ()))
    share = best.share or 0.0
    return Explanation(
        cause=best.cause if share >= NEEDED else Cause.SHARE_TOO_SMALL,
        details=Nearest(
            benchmark=best.benchmark,
            share=share,
            most=best.share_interval and best.share_interval[1],
            slowdown=best.requested,
            shortfall=best.explanation,
        ),
    )


def _warnings(
    evidence: Evidence, score_settings: ScoreSettings, variants: tuple[frozenset[str], ...]
) -> Iterator[str]:
    if evidence.remark:
        yield evidence.remark
    if evidence.unfinished is not None:
        yield _left_over(evidence.unfinished, len(evidence.methods))
    noticing = {cell.benchmark for cell in evidence.cells.listed if cell.verdict is Verdict.DETECTED}
    unknown = sorted(name for name in noticing if evidence.spreads.get(name) is None)
    if unknown:
        yield (
            f"without a maxSpread, so in the total score only: {count(unknown, 'benchmark')}: "
            f"{some(unknown)}; run `{advised('stability')}`"
        )
    if evidence.broken:
        yield _failing(evidence)
    if evidence.changed:
        advice = "; ask about fewer methods at a time with --methods" if len(evidence.methods) > 1 else ""
        yield (
            f"probes change {count(evidence.changed, 'benchmark')} so much that not all cells there have a "
            f"verdict: {some(sorted(evidence.changed))}{advice}"
        )
    for name, kept in zip(("relative", "absolute"), variants, strict=True):
        loose = _lower_bound(kept, evidence)
        if loose:
            yield f"the {name} score is a lower bound: stable benchmarks of {some(loose)} have no verdict"
    alarms = score_settings.false_alarms
    if alarms.alarms:
        low, high = wilson(alarms.alarms, alarms.cells)
        yield (
            f"{alarms.alarms} of {alarms.cells} comparisons of the control with itself raised an alarm "
            f"(95 % interval of the rate {low:.2g} to {high:.2g}): as many verdicts may be wrong"
        )
    if alarms.cells == 0:
        yield "no control was compared with itself, so the rate of false alarms is unknown"
    if evidence.part:
        yield evidence.part


def _failing(evidence: Evidence) -> str:
    """Say which benchmarks fail, and why most of them do."""
    said = {
        name: amount.cell.explanation.details.said
        for name, amounts in evidence.cells.within(benchmarks=evidence.broken).of_benchmarks().items()
        for amount in amounts
        if isinstance(amount.cell.explanation.details, TrialEnded)
    }
    # First, since what is shown of a long warning is its beginning and its end.
    why = "".join(f" ({number} of them: {told})" for told, number in Counter(said.values()).most_common(1))
    return (
        f"failing without any slowdown, so watching nothing: {count(evidence.broken, 'benchmark')}{why}: "
        f"{some(sorted(evidence.broken))}; repair them and repeat the command"
    )


def _left_over(unfinished: Unfinished, methods: int) -> str:
    more = f"{'more than' if unfinished.at_least else 'about'} {unfinished.further_s:.0f} s of benchmarks"
    finishing = f"finishing takes {more}" if unfinished.further_s else "nobody knows how long finishing takes"
    uncounted = f"; what {count(unfinished.uncounted, 'benchmark')} call is not known"
    left = "no method waits for the cells that are left"
    if unfinished.methods:
        left = f"{unfinished.methods} of {methods} methods are not settled"
    return (
        f"the time budget ended: {left}"
        f"{uncounted if unfinished.uncounted else ''}; {finishing}; the same command goes on"
    )


def _lower_bound(kept: frozenset[str], evidence: Evidence) -> list[str]:
    """Return detected methods that only unstable benchmarks notice while stable ones were not asked."""
    inside = evidence.cells.within(benchmarks=kept)
    return sorted((evidence.cells.noticed - inside.noticed) & inside.open_methods)
