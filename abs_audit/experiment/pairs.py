"""Settles pairs of arms: control and mutant side by side in randomised, interleaved blocks.

Looks come after 5, 10 and 20 repetitions of a run, and after 40 and 80 where chance would decide at 20;
the second run is made only after a yes of the first, further ones where runs scatter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.stats import trim_mean

from abs_audit.experiment import detection, dose, run_noise
from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.detection import Answer, Cell, Decision, Rule, Run
from abs_audit.experiment.evidence import unmeasured, why_no_evidence
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.run_noise import TOGETHER, Answered
from abs_audit.experiment.schedule import content, shuffled
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import Verdict

UNSURE = 0.1
"""How much less than requested, relatively, the slowdown may be behind a first no, and how much more behind a
yes: else it is not final."""
DRIFT = 0.1
"""Relative change of the control's time from which on a delay is sized anew: a machine that others use is
not as fast now as it was when shares were measured."""
AGAIN = ("again", "once more")
"""Further measurements of a pair that was slowed by far more or less than requested. Each is two runs of its
own, so what an arm kept for a run does not come back: benchmarks/power.py."""
SPOILT = 0.2
"""Part of a control's values at either end that says nothing of how long it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question to settle: does the benchmark notice the difference between two arms?"""

    cell: Cell
    control: Arm
    mutant: Arm
    plain_s: float | None = None
    """Seconds that an invocation without probes took when the delay was sized; values count as if it took as
    long beside them. None, or where a suite does not tell what it takes: they count as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How pairs are settled."""

    name: str
    """Begins the ids of the blocks."""
    seed: int
    rule: Rule = field(default=detection.look)
    looks: tuple[int, ...] = field(default=(*detection.LOOKS, *detection.FURTHER))
    judged: bool = True
    """False: an answer counts whatever slowdown was realised, and however uncertain the share is."""
    runs: int = detection.RUNS
    """Runs to make at most; with fewer than a verdict needs, a yes of all stays one of `RunsMissing`."""


@dataclass(slots=True)
class _Evidence:
    """What has been measured of one pair."""

    pair: Pair
    runs: list[tuple[list[float], list[float]]] = field(default_factory=list)
    broken: Explanation | None = None
    """Why it is no evidence, where a trial of it is none."""
    fixed: bool = False
    """Whether any delay was: not in proportion to the control in its process."""
    relative: bool = True
    """True if every trial has baseline turns, so that what a fork does to all arms cancels."""
    decision: Decision | None = None
    """Of the runs made, where it was asked for."""
    doubted: bool = False
    """Whether noise between runs may have given the answer of as many as are made at most."""
    answer: Answer = Answer.CONTINUE
    """Of the last run."""

    @property
    def sized_s(self) -> float | None:
        """Seconds that the control took when the delay was sized; None: there is nothing to size."""
        return self.pair.mutant.control_s if self.fixed and self.pair.mutant.delay_ns else None

    def size(self, control_s: float) -> None:
        """Fit the delay to a control that takes so long."""
        if self.sized_s is not None:
            delay_ns = self.pair.mutant.delay_ns * control_s / self.sized_s
            mutant = replace(self.pair.mutant, delay_ns=delay_ns, control_s=control_s)
            self.pair = replace(self.pair, mutant=mutant)

    def begin(self) -> None:
        """Begin a run, with a delay that fits the control as the run before it measured it."""
        if self.runs:
            self.size(_typical_s(self.runs[-1][0]))
        self.runs.append(([], []))
        self.decision, self.answer = None, Answer.CONTINUE

    @property
    def is_open(self) -> bool:
        """Tell whether its last run needs further repetitions."""
        return self.broken is None and self.answer is Answer.CONTINUE

    def is_whole(self, runs: int) -> bool:
        """Tell whether nothing of it is under way, where a yes takes so many runs."""
        said_yes = self.answer is Answer.YES and len(self.runs) >= runs
        return self.broken is not None or self.answer is Answer.NO or said_yes

    def decided(self, rule: Rule) -> Decision:
        """Return what the runs made say, doubts aside."""
        if self.decision is None:
            runs = [run for run in self.as_runs() if run.repetitions]
            self.decision = detection.decide(self.pair.cell, runs, rule)
        return self.decision

    def as_runs(self) -> list[Run]:
        return [Run(control=control, mutant=mutant) for control, mutant in self.runs]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repetitions:
    """Some repetitions of a run."""

    design: Design
    run: int
    numbers: range


def settle(
    harness: Harness, iteration_plans: Mapping[str, IterationPlan], pairs: Sequence[Pair], design: Design
) -> Iterator[tuple[Pair, Decision]]:
    """Yield the decision on every pair, in the given order.

    A pair whose mutant was slowed by far more or far less than requested is measured again, twice at most; if
    it is no better then, it has no verdict. Where a budget of time ends, what is settled comes before the
    error, and what is under way is left out.
    """
    decided: dict[int, Decision] = {}
    earlier: list[_Evidence] = []
    asked, ended = list(range(len(pairs))), None
    for name in (design.name, *(f"{design.name} {again}" for again in AGAIN)):
        made, further = {place: _Evidence(pairs[place]) for place in asked}, replace(design, name=name)
        ended = _measure(harness, iteration_plans, list(made.values()), further, earlier)
        whole = {place: known for place, known in made.items() if not ended or known.is_whole(design.runs)}
        settled = _settled(whole, earlier, further)
        asked = [place for place in settled if _is_misdosed(pairs[place], settled[place], design)]
        decided = {place: known for place, known in decided.items() if place not in made} | settled
        earlier += made.values()
        if ended or not asked:
            break
    for place in sorted(decided.keys() - set(asked if ended else ())):
        pair, decision = pairs[place], decided[place]
        sized = design.judged and pair.mutant.delay_ns
        yield pair, dose.judged(pair.cell, decision) if sized else decision
    if ended:
        raise ended


def _is_misdosed(pair: Pair, decision: Decision, design: Design) -> bool:
    sized = design.judged and pair.mutant.delay_ns
    return bool(sized) and dose.misdosed(pair.cell, decision) is not None


def _measure(
    harness: Harness,
    iteration_plans: Mapping[str, IterationPlan],
    collected: Sequence[_Evidence],
    design: Design,
    earlier: Sequence[_Evidence],
) -> BudgetEndedError | None:
    """Make all runs, and more of them where noise between runs may have given an answer.

    Returns:
        The error that ended it before all were made, if one did.
    """
    try:
        asked = collected
        for run in range(design.runs):
            asked = _run(harness, iteration_plans, asked, design, run)
        while doubted := _doubted(collected, earlier, design):
            for run in sorted({len(evidence.runs) for evidence in doubted}):
                asked = [evidence for evidence in doubted if len(evidence.runs) == run]
                _run(harness, iteration_plans, asked, design, run)
    except BudgetEndedError as error:
        return error
    return None


def _settled(
    whole: Mapping[int, _Evidence], earlier: Sequence[_Evidence], design: Design
) -> dict[int, Decision]:
    """Return the decisions on the pairs that need no further run, by their places."""
    unsure = [id(evidence) for evidence in _doubted(list(whole.values()), earlier, design)]
    sure = {place: evidence for place, evidence in whole.items() if id(evidence) not in unsure}
    return {place: _decision(evidence, design.rule) for place, evidence in sure.items()}


def _doubted(collected: Sequence[_Evidence], earlier: Sequence[_Evidence], design: Design) -> list[_Evidence]:
    """Return the pairs that need a further run; those that cannot have one are marked."""
    if not design.judged:
        return []
    whole = [evidence for evidence in collected if not evidence.broken]
    others = [_answered(evidence, design) for evidence in earlier if not evidence.broken]
    doubts = run_noise.doubted([_answered(evidence, design) for evidence in whole], others)
    doubted = [evidence for evidence, doubt in zip(whole, doubts, strict=True) if doubt]
    for evidence in doubted:
        evidence.doubted = len(evidence.runs) >= run_noise.MOST_RUNS
    return [evidence for evidence in doubted if not evidence.doubted]


def _answered(evidence: _Evidence, design: Design) -> Answered:
    noticed = evidence.decided(design.rule).verdict.verdict is Verdict.DETECTED
    unslowed = evidence.pair.mutant.slowed is None
    threshold = evidence.pair.cell.threshold
    return run_noise.answered(evidence.as_runs(), threshold, noticed=noticed, unslowed=unslowed)


def _run(
    harness: Harness,
    iteration_plans: Mapping[str, IterationPlan],
    asked: Sequence[_Evidence],
    design: Design,
    run: int,
) -> list[_Evidence]:
    """Make one run and return the pairs that say yes."""
    for evidence in asked:
        evidence.begin()
    first = 0
    for last in design.looks:
        open_pairs = [evidence for evidence in asked if evidence.is_open]
        if not open_pairs:
            break
        further = _Repetitions(design=design, run=run, numbers=range(first, last))
        _look(harness, iteration_plans, open_pairs, further)
        if last <= design.looks[0]:
            _look(
                harness, iteration_plans, _sized_anew(open_pairs, run), replace(further, numbers=range(last))
            )
        for evidence in open_pairs:
            if not evidence.broken:
                evidence.answer = _answer(harness, evidence, design)
        first = last
    return [evidence for evidence in asked if not evidence.broken and evidence.answer is Answer.YES]


def _look(
    harness: Harness,
    iteration_plans: Mapping[str, IterationPlan],
    open_pairs: Sequence[_Evidence],
    look: _Repetitions,
) -> None:
    """Make the repetitions of one look."""
    run, numbers = look.run, look.numbers
    blocks = []
    for together, sharing in _by_company(harness, open_pairs, numbers).items():
        for at in range(0, len(numbers), together):
            in_a_block = replace(look, numbers=numbers[at : at + together])
            blocks += _round(harness, iteration_plans, sharing, in_a_block)
    repetitions = f"{numbers.start + 1}-{numbers.stop}"
    purpose = f"{look.design.name}: run {run + 1}, repetitions {repetitions}, {len(open_pairs)} pairs"
    _collect(harness, blocks, open_pairs, harness.perform(blocks, purpose), run)


def _by_company(
    harness: Harness, open_pairs: Sequence[_Evidence], numbers: range
) -> dict[int, list[_Evidence]]:
    """Return the pairs by how many of these repetitions share a block; those of a benchmark stay together.

    The first look always has forks of its own for each: what differs between forks must show.
    """
    apart = {evidence.pair.cell.benchmark for evidence in open_pairs if not evidence.relative}
    groups: dict[int, list[_Evidence]] = {}
    for evidence in open_pairs:
        if harness.forks_alike:
            share = len(numbers) > detection.LOOKS[0]
        else:
            share = numbers.start > 0 and evidence.pair.cell.benchmark not in apart
        groups.setdefault(TOGETHER if share else 1, []).append(evidence)
    return groups


def _sized_anew(open_pairs: Sequence[_Evidence], run: int) -> list[_Evidence]:
    """Return the pairs whose control has drifted, without their values, and with a delay that fits it.

    The control alone decides, so no verdict is favoured. One with two modes has not drifted: nearly all its
    values must have moved.
    """
    drifted = []
    for evidence in open_pairs:
        control, was_s = evidence.runs[run][0], evidence.sized_s
        if evidence.broken or not control or was_s is None:
            continue
        low, high = np.quantile(control, (SPOILT, 1 - SPOILT)) / was_s - 1
        if low > DRIFT or high < -DRIFT:
            evidence.size(_typical_s(control))
            evidence.runs[run] = ([], [])
            drifted.append(evidence)
    return drifted


def _typical_s(control: Sequence[float]) -> float:
    """Return what a control takes: outliers do not count, but modes do, as they do in the verdict's mean."""
    return float(trim_mean(control, SPOILT))


def _answer(harness: Harness, evidence: _Evidence, design: Design) -> Answer:
    """Return what a run says; what may be chance is looked at once more.

    Where each repetition needs a fork of its own that would be dear, and five never show a slowdown exactly.
    """
    run, cell = evidence.as_runs()[-1], evidence.pair.cell
    answer = design.rule(run, cell.threshold)
    if not (harness.forks_alike or evidence.relative) or run.repetitions >= design.looks[-1]:
        return answer
    if evidence.pair.mutant.delay_ns and _favoured(
        run, cell, answer, first=run.repetitions <= design.looks[0]
    ):
        return Answer.CONTINUE
    settling = dose.can_be_settled(cell) or not design.judged
    if settling and run.repetitions >= detection.LOOKS[-1] and detection.at_the_border(run, cell.threshold):
        return Answer.CONTINUE
    return answer


def _favoured(run: Run, cell: Cell, answer: Answer, *, first: bool) -> bool:
    """Tell whether the slowdown was so much less or more than requested that this alone may have answered.

    A slowdown that was not there cannot be noticed, one larger than requested is noticed too easily. Noise
    of few repetitions does that, too, and more of them show which it was: not where it surely is no noise.
    """
    realised = detection.realised(cell, [run])
    if realised is None or answer is Answer.CONTINUE:
        return False
    ratio = realised / cell.requested
    if first:
        return ratio > 1 + UNSURE if answer is Answer.YES else ratio < 1 - UNSURE
    noticed = answer is Answer.YES
    if not dose.is_misdosed(cell, noticed, ratio):
        return False
    bound = dose.MOST if noticed else dose.LEAST
    return detection.certain_side(run, bound * cell.requested * (cell.share or 0.0)) == 0


def _round(
    harness: Harness,
    iteration_plans: Mapping[str, IterationPlan],
    open_pairs: Sequence[_Evidence],
    repetitions: _Repetitions,
) -> list[Block]:
    """Return some repetitions of all pairs: a block for each benchmark, in random order."""
    design, run, numbers = repetitions.design, repetitions.run, repetitions.numbers
    arms: dict[str, dict[Arm, None]] = {}
    for evidence in open_pairs:
        # A dictionary, since pairs may have a control in common.
        arms.setdefault(evidence.pair.cell.benchmark, {}).update(
            {evidence.pair.control: None, evidence.pair.mutant: None}
        )
    key = (design.name, design.seed, run)
    blocks = []
    for benchmark in shuffled(list(arms), *key, numbers.start):
        order = [
            arm for number in numbers for arm in shuffled(list(arms[benchmark]), *key, number, benchmark)
        ]
        # The same key with other arms (another goal, another δ) is another block.
        place_in_run = f"run{run + 1}/{numbers.start + 1}"
        name = f"{design.name}/{design.seed}/{place_in_run}/{benchmark}/{content(order)}"
        blocks.append(iteration_plans[benchmark].block(harness, name, order))
    return blocks


def _collect(
    harness: Harness,
    blocks: Sequence[Block],
    open_pairs: Sequence[_Evidence],
    trials: Mapping[str, tuple[Trial, ...]],
    run: int,
) -> None:
    """Add the values of both arms of every pair; a trial that is no evidence breaks its pair."""
    for block in blocks:
        by_arm: dict[Arm, list[Trial]] = {}
        for step, trial in zip(block.steps, trials[block.id], strict=True):
            by_arm.setdefault(step.arm, []).append(trial)
        for evidence in open_pairs:
            if evidence.pair.cell.benchmark == block.benchmark:
                for control, mutant in zip(
                    by_arm[evidence.pair.control], by_arm[evidence.pair.mutant], strict=True
                ):
                    _add(harness, evidence, (control, mutant), run)


def _add(harness: Harness, evidence: _Evidence, trials: tuple[Trial, Trial], run: int) -> None:
    """Add the values of a repetition of a pair, unless one is no evidence."""
    if evidence.broken:
        return
    (control, mutant), pair = trials, evidence.pair
    evidence.broken = why_no_evidence(harness, control, pair.control, pair.cell.method) or why_no_evidence(
        harness, mutant, pair.mutant, pair.cell.method
    )
    if not evidence.broken:
        evidence.fixed |= _is_fixed(mutant, pair.mutant)
        evidence.relative &= all(
            trial.tally is not None and trial.tally.plain_s is not None for trial in trials
        )
        evidence.runs[run][0].extend(_at_one_speed(control, pair.plain_s))
        evidence.runs[run][1].extend(_at_one_speed(mutant, pair.plain_s))


def _is_fixed(trial: Trial, arm: Arm) -> bool:
    slowed = trial.tally.methods.get(arm.slowed) if trial.tally and arm.slowed else None
    return slowed is not None and slowed.requested_s is None


def _at_one_speed(trial: Trial, plain_s: float | None) -> tuple[float, ...]:
    """Return the values of a trial as if an invocation without probes had taken so long beside it.

    It took turns with the trial's arm, so it tells how fast the processor was just then, and the process.
    """
    beside_s = trial.tally.plain_s if trial.tally else None
    faster = plain_s / beside_s if plain_s and beside_s else 1.0
    return tuple(value * faster for value in trial.values)


def _decision(evidence: _Evidence, rule: Rule) -> Decision:
    if evidence.broken:
        return Decision(verdict=unmeasured(evidence.pair.cell, Verdict.NO_VERDICT, evidence.broken))
    decision = evidence.decided(rule)
    return dose.left_open(decision, Cause.NOISY) if evidence.doubted else decision
