"""Settles pairs of arms: control and mutant side by side in randomised, interleaved blocks.

Looks come after 5, 10 and 20 repetitions of a run, and after 40 and 80 where chance would decide at 20;
the second run is made only after a yes of the first, further ones where runs scatter.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.experiment import detection, dose, protocol, run_noise
from abs_audit.experiment.detection import Answer, Cell, Decision, Rule, Run
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.pair_evidence import Evidence, Pair
from abs_audit.experiment.protocol import TOGETHER
from abs_audit.experiment.schedule import content, shuffled
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.grouping import grouped
from abs_audit.model.experiment import Arm, Block

UNSURE = 0.1
"""How much less than requested, relatively, the slowdown may be behind a first no, and how much more behind a
yes: else it is not final."""
AGAIN = ("again", "once more")
"""Further measurements of a pair that was slowed by far more or less than requested. Each is two runs of its
own, so what an arm kept for a run does not come back: benchmarks/power.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How pairs are settled."""

    name: str
    """Begins the ids of the blocks."""
    seed: int
    rule: Rule = field(default=detection.look)
    looks: tuple[int, ...] = field(default=(*protocol.LOOKS, *protocol.FURTHER))
    judged: bool = True
    """False: an answer counts whatever slowdown was realised, and however uncertain the share is."""
    runs: int = protocol.RUNS
    """Runs to make at most; with fewer than a verdict needs, a yes of all stays one of `RunsMissing`."""
    again: tuple[str, ...] = AGAIN
    """Further measurements that are made at once; with none, what needs them is left out."""
    told_s: float = 0.0
    """Planned seconds that its phase was said to have ahead for it."""


def settle(
    harness: Harness, iteration_plans: Mapping[str, IterationPlan], pairs: Sequence[Pair], design: Design
) -> Iterator[tuple[Pair, Decision]]:
    """Yield the decision on every pair, in the given order.

    A pair whose mutant was slowed by far more or far less than requested is measured again, twice at most; if
    it is no better then, it has no verdict. Where that is left to a later time, so is the pair. Where a
    budget of time ends, what is settled comes before the error, and what is under way is left out.
    """
    decided: dict[int, Decision] = {}
    earlier: list[Evidence] = []
    asked, ended = list(range(len(pairs))), None
    for name in (design.name, *(f"{design.name} {again}" for again in design.again)):
        made = {index: Evidence(pairs[index]) for index in asked}
        settling = _Settling(harness=harness, plans=iteration_plans, design=replace(design, name=name))
        ended = settling.measure(list(made.values()), earlier)
        whole = {
            index: evidence for index, evidence in made.items() if not ended or evidence.is_whole(design.runs)
        }
        settled = settling.settled(whole, earlier)
        asked = [
            index
            for index, decision in settled.items()
            if _is_judged(pairs[index], design) and dose.misdosed(pairs[index].cell, decision) is not None
        ]
        decided = {index: decision for index, decision in decided.items() if index not in made} | settled
        earlier += made.values()
        if ended or not asked:
            break
    for index in sorted(decided.keys() - set(asked if ended or not design.again else ())):
        pair, decision = pairs[index], decided[index]
        yield pair, dose.judged(pair.cell, decision) if _is_judged(pair, design) else decision
    if ended:
        raise ended


def _is_judged(pair: Pair, design: Design) -> bool:
    """Tell whether it is a question of a mutant's: a control that is compared with itself has no dose."""
    return design.judged and pair.mutant.slowed is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settling:
    """Makes the runs of pairs, side by side."""

    harness: Harness
    plans: Mapping[str, IterationPlan]
    design: Design

    def measure(self, collected: Sequence[Evidence], earlier: Sequence[Evidence]) -> BudgetEndedError | None:
        """Make all runs, and more of them where noise between runs may have given an answer.

        Returns:
            The error that ended it before all were made, if one did.
        """
        # What is measured again comes beside what was told.
        outlook = self.harness.watch.outlook(0.0 if earlier else self.design.told_s)

        def tell() -> None:
            outlook(self._left_s(collected))

        try:
            self._runs(collected, self.design.runs, tell)
            while doubted := self._doubted(collected, earlier):
                for of_as_many in grouped((len(evidence.runs), evidence) for evidence in doubted).values():
                    self._runs(of_as_many, 1, tell)
        except BudgetEndedError as error:
            return error
        return None

    def settled(self, whole: Mapping[int, Evidence], earlier: Sequence[Evidence]) -> dict[int, Decision]:
        """Return the decisions on the pairs that need no further run, by their places."""
        unsure = [id(evidence) for evidence in self._doubted(list(whole.values()), earlier)]
        sure = {index: evidence for index, evidence in whole.items() if id(evidence) not in unsure}
        return {index: evidence.told(self.design.rule) for index, evidence in sure.items()}

    def _doubted(self, collected: Sequence[Evidence], earlier: Sequence[Evidence]) -> list[Evidence]:
        """Return the pairs that need a further run; those that cannot have one are marked."""
        if not self.design.judged:
            return []
        whole = [evidence for evidence in collected if not evidence.broken and not evidence.left_to_share]
        others = [evidence.answered(self.design.rule) for evidence in earlier if not evidence.broken]
        doubts = run_noise.doubted([evidence.answered(self.design.rule) for evidence in whole], others)
        doubted = [evidence for evidence, doubt in zip(whole, doubts, strict=True) if doubt]
        for evidence in doubted:
            evidence.doubted = len(evidence.runs) >= run_noise.MOST_RUNS
        return [evidence for evidence in doubted if not evidence.doubted]

    def _left_s(self, collected: Sequence[Evidence]) -> float:
        """Return about how long the rest of the runs takes, in planned seconds."""
        left_s = 0.0
        of_benchmark = grouped((evidence.pair.cell.benchmark, evidence) for evidence in collected)
        for name, group in of_benchmark.items():
            further = [evidence.further(self.harness.looking, self.design.runs) for evidence in group]
            made = [evidence.made for evidence, runs in zip(group, further, strict=True) if any(runs[:1])]
            left_s += self.plans[name].settling_s(self.harness.language, further, min(made, default=0))
        return left_s

    def _runs(self, asked: Sequence[Evidence], number: int, tell: Callable[[], None]) -> None:
        """Make so many runs, a further one only after a yes.

        It comes at once: where time ends, no clear answer shall have waited for unclear ones.
        """
        for agreeing in self._run(asked, tell):
            if agreeing and number > 1:
                self._runs(agreeing, number - 1, tell)

    def _run(self, asked: Sequence[Evidence], tell: Callable[[], None]) -> Iterator[list[Evidence]]:
        """Make one run and yield the pairs that say yes, look by look; after each `tell` is called."""
        for evidence in asked:
            evidence.begin()
        tell()
        first = 0
        open_pairs = [evidence for evidence in asked if evidence.is_open]
        for last in self.design.looks:
            if not open_pairs:
                break
            self._look(open_pairs, range(first, last))
            if last <= self.design.looks[0]:
                self._look([evidence for evidence in open_pairs if evidence.has_drifted()], range(last))
            for evidence in open_pairs:
                if not evidence.broken:
                    evidence.answer = self._answer(evidence)
                    self.harness.looking.add(evidence.multiple, last, is_open=evidence.is_open)
            first = last
            tell()
            agreeing = [evidence for evidence in open_pairs if evidence.agrees]
            # Those have a run more by the time that this one goes on.
            open_pairs = [evidence for evidence in open_pairs if evidence.is_open]
            yield agreeing

    def _look(self, open_pairs: Sequence[Evidence], numbers: range) -> None:
        """Make some repetitions of a run and add their values to those of the pairs."""
        blocks = []
        for together, sharing in self._by_block_length(open_pairs, numbers).items():
            for at in range(0, len(numbers), together):
                blocks += self._round(sharing, numbers[at : at + together])
        run = len(open_pairs[0].runs) if open_pairs else 0
        repetitions = f"{numbers.start + 1}-{numbers.stop}"
        purpose = f"{self.design.name}: run {run}, repetitions {repetitions}, {len(open_pairs)} pairs"
        trials = self.harness.perform(blocks, purpose)
        for block in blocks:
            by_arm = grouped(zip((step.arm for step in block.steps), trials[block.id], strict=True))
            for evidence in open_pairs:
                if (pair := evidence.pair).cell.benchmark == block.benchmark:
                    for control, mutant in zip(by_arm[pair.control], by_arm[pair.mutant], strict=True):
                        evidence.add(self.harness, control, mutant)

    def _by_block_length(self, open_pairs: Sequence[Evidence], numbers: range) -> dict[int, list[Evidence]]:
        """Return the pairs by how many of these repetitions share a block; a benchmark's stay together.

        The first look always has forks of its own for each: what differs between forks must show.
        """
        apart = {evidence.pair.cell.benchmark for evidence in open_pairs if not evidence.relative}
        groups: dict[int, list[Evidence]] = {}
        for evidence in open_pairs:
            if self.harness.language.forks_alike:
                share = len(numbers) > protocol.LOOKS[0]
            else:
                share = numbers.start > 0 and evidence.pair.cell.benchmark not in apart
            groups.setdefault(TOGETHER if share else 1, []).append(evidence)
        return groups

    def _answer(self, evidence: Evidence) -> Answer:
        """Return what a run says; what may be chance is looked at once more, and what no run settles is not.

        Where each repetition needs a fork of its own that would be dear, and five never show a slowdown
        exactly.
        """
        run, cell, looks = evidence.as_runs()[-1], evidence.pair.cell, self.design.looks
        if _is_judged(evidence.pair, self.design) and dose.stays_open(cell, run):
            evidence.left_to_share = True
            return Answer.NO
        answer = self.design.rule(run, cell.threshold)
        if not (self.harness.language.forks_alike or evidence.relative) or run.repetitions >= looks[-1]:
            return answer
        first = run.repetitions <= looks[0]
        if evidence.pair.mutant.delay_ns and _favoured(run, cell, answer, first=first):
            return Answer.CONTINUE
        settling = dose.can_be_settled(cell) or not self.design.judged
        decisive = settling and run.repetitions >= protocol.LOOKS[-1]
        return Answer.CONTINUE if decisive and detection.at_the_border(run, cell.threshold) else answer

    def _round(self, open_pairs: Sequence[Evidence], numbers: range) -> list[Block]:
        """Return some repetitions of all pairs: a block for each benchmark, in random order."""
        arms: dict[str, dict[Arm, None]] = {}
        for evidence in open_pairs:
            # A dictionary, since pairs may have a control in common.
            arms.setdefault(evidence.pair.cell.benchmark, {}).update(
                {evidence.pair.control: None, evidence.pair.mutant: None}
            )
        run = len(open_pairs[0].runs)
        name, seed = self.design.name, self.design.seed
        key = (name, seed, run - 1)
        blocks = []
        for benchmark in shuffled(list(arms), *key, numbers.start):
            order = [
                arm for number in numbers for arm in shuffled(list(arms[benchmark]), *key, number, benchmark)
            ]
            # The same key with other arms (another goal, another δ) is another block.
            block = f"{name}/{seed}/run{run}/{numbers.start + 1}/{benchmark}/{content(order)}"
            made = self.plans[benchmark].block(self.harness, block, order)
            blocks.append(replace(made, process=f"{name} {run}"))
        return blocks


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
    bound = dose.MOST if ratio > dose.MOST else dose.LEAST
    return detection.certain_side(run, bound * cell.expected) == 0
