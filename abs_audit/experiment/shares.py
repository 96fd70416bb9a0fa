"""How much of a benchmark's time is a method's, and what does a call of it take?

Shares explain every verdict: a method's slowdown δ reaches a benchmark as δ·share, and half of δ is
asked for, so a benchmark notices what makes up about half of its time.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from abs_audit.experiment.arms import largest_batch
from abs_audit.experiment.calibration import DIVIDED, unlike_first
from abs_audit.experiment.clock_readings import Round
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import MANY_METHODS, IterationPlan
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.sampled_shares import sample_shares
from abs_audit.experiment.schedule import content, shuffled
from abs_audit.experiment.share import Share
from abs_audit.experiment.timed_shares import at_most, share_of
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.model.experiment import UNPROBED, Arm, Block, BlockKind, Mode, Step
from abs_audit.model.measurement import Status, Trial

_Cell = tuple[str, str]
_Cells = Mapping[_Cell, Share | Trial]

ROUNDS = (1, 2, 3, 5, 9)
"""After so many rounds a cell may be settled; at the last it is."""
BEFORE_SAMPLING = 3
"""Rounds after which looks at the stack say more of a short call than further ones would."""
ENOUGH = 2
"""Rounds before the scatter of a cell means anything."""
SETTLED = 0.1
"""Relative range of a cell's rounds, divided by the root of their number, up to which their median is
believed: what its error falls with."""
CLOCKED = 4.0
"""Multiple of an iteration's time from which on reading clocks is too dear in it: one turn tells as much."""
TOO_SMALL = 0.15
"""A share below this decides nothing: how exactly it is known does not matter."""


def measure_shares(
    harness: Harness,
    reached: Sequence[tuple[Reach, IterationPlan]],
    seed: int,
    tell: Callable[[Mapping[_Cell, Share]], None] = lambda _: None,
) -> tuple[dict[_Cell, Share], dict[_Cell, Trial]]:
    """Measure the share of every reached cell, in rounds of time arms, with off and control beside them.

    Of a cell whose share could not be measured the trial is returned that kept it from that.

    Where a benchmark calls many methods, most have so small a share that one arm for all of them shows it.
    The control is the one that the verdicts on a benchmark have in common: all methods that it reaches are
    probed in it, but for these.
    A cell whose share is negligible after the first round gets no other, one that still scatters gets
    more: a delay is only as exact as the share that it is computed from. Where a clock cannot settle a short
    call's, the stack does, in suites that can look at it. `tell` is given what rounds tell by then.
    """
    rounds: dict[str, list[Round]] = {reach.benchmark: [] for reach, _ in reached if reach.calls}
    cells: dict[_Cell, Share | Trial] = {}
    plans = {reach.benchmark: plan.of_least(harness.language.spread) for reach, plan in reached}
    looked: dict[_Cell, Share] = {}

    def left_s(made: int) -> float:
        left = ((plans[reach.benchmark], _open(reach, cells, looked, made)) for reach, _ in reached)
        return sum(plan.rounds_s(harness.language, len(methods), made) for plan, methods in left)

    outlook, first = harness.watch.outlook(left_s(0)), 0
    works = _works(harness, [(reach, plans[reach.benchmark]) for reach, _ in reached])
    small = _at_a_glance(harness, works, seed)
    cells |= small
    works = [work.without(small) for work in works]
    for last in ROUNDS:
        asked = [
            replace(work, methods=methods)
            for work in works
            if (methods := _open(work.reach, cells, looked, first))
        ]
        try:
            made_rounds = _more_rounds(harness, asked, seed, range(first, last))
        except BudgetEndedError:
            # What is known of the shares by now has to do.
            break
        for benchmark, made in made_rounds:
            rounds[benchmark].append(made)
        for work in asked:
            for method in work.methods:
                name = work.reach.benchmark
                cells[method, name] = share_of(method, work.reach, rounds[name], work.iteration_plan.once_s)
        first = last
        outlook(left_s(last))
        timed = {cell: share for cell, share in cells.items() if isinstance(share, Share)}
        tell(timed)
        if last == BEFORE_SAMPLING:
            looked = sample_shares(harness, timed, plans, seed)
    cells |= looked
    part = {reach.benchmark: reach.first_part for reach, _ in reached}
    return (
        {at: _as_timed(cell, part[at[1]]) for at, cell in cells.items() if isinstance(cell, Share)},
        {at: cell for at, cell in cells.items() if isinstance(cell, Trial)},
    )


def _as_timed(share: Share, first_part: float) -> Share:
    """Return what a share may be where such a part of what the suite times is in none of what is measured."""
    rest = 1.0 - first_part
    low, high = share.interval
    highest, high = (first_part + rest * most for most in (share.highest, high))
    return replace(share, highest=highest, low=rest * low, high=high, first_part=first_part)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The methods of one benchmark that further rounds are made for."""

    reach: Reach
    iteration_plan: IterationPlan
    methods: tuple[str, ...]
    probed: tuple[str, ...]
    """Those that may be slowed later."""
    divisible: bool
    """Whether its calls are dear to time, and a part of an iteration is like the whole."""

    def without(self, cells: Collection[_Cell]) -> "_Asked":
        """Return it with no probes of methods whose shares are known."""
        left = tuple(method for method in self.probed if (method, self.reach.benchmark) not in cells)
        return replace(self, probed=left)


def _works(harness: Harness, reached: Sequence[tuple[Reach, IterationPlan]]) -> list[_Asked]:
    """Return all that there is to ask of the benchmarks."""
    divisible = _divisible(harness, reached)
    return [
        _Asked(
            reach=reach,
            iteration_plan=plan,
            methods=tuple(reach.calls),
            probed=tuple(reach.calls),
            divisible=reach.benchmark in divisible,
        )
        for reach, plan in reached
    ]


def _open(reach: Reach, cells: _Cells, looked: Mapping[_Cell, Share], rounds: int) -> tuple[str, ...]:
    """Return the methods of a benchmark whose share neither its stack nor so many rounds have settled."""
    name = reach.benchmark
    return tuple(
        method
        for method in reach.calls
        if not ((method, name) in looked or _settled(cells.get((method, name)), rounds))
    )


def _settled(cell: Share | Trial | None, rounds: int) -> bool:
    """Tell whether further rounds would change nothing that matters."""
    if cell is None:
        return False
    if isinstance(cell, Trial) or cell.highest < TOO_SMALL:
        return True
    narrow = cell.highest - cell.lowest <= SETTLED * sqrt(rounds) * cell.share
    return rounds >= ENOUGH and narrow and not cell.open


def _divisible(harness: Harness, reached: Sequence[tuple[Reach, IterationPlan]]) -> frozenset[str]:
    """Return the benchmarks with calls that are dear to time, and of which a part is like the whole.

    Others give themselves more and more to do, or less: of fewer invocations calls are another part.
    """
    clocked_s = harness.language.clocked_call_s
    parts = {
        reach.benchmark: plan.of(plan.invocations // DIVIDED)
        for reach, plan in reached
        if _is_dear(plan, max(reach.calls.values(), default=0.0) * clocked_s)
    }
    if not parts:
        return frozenset()
    try:
        return frozenset(parts.keys() - unlike_first(harness, parts, DIVIDED))
    except BudgetEndedError:
        return frozenset()


def _is_dear(plan: IterationPlan, added_s: float) -> bool:
    """Tell whether reading clocks, which adds so much to an invocation, is worth doing in fewer."""
    return plan.invocations >= DIVIDED and added_s >= CLOCKED * plan.once_s


def _at_a_glance(harness: Harness, asked: Sequence[_Asked], seed: int) -> dict[_Cell, Share]:
    """Return the cells whose shares one arm that times all methods of a benchmark shows to be small.

    Beside it is one without probes.
    """
    works = [work for work in asked if harness.language.times_together and len(work.methods) >= MANY_METHODS]
    blocks = {
        work.reach.benchmark: _block(harness, work, f"{seed}/together", [_all_at_once(work), UNPROBED])
        for work in works
    }
    try:
        trials = harness.perform(list(blocks.values()), "measuring shares") if blocks else {}
    except BudgetEndedError:
        return {}
    small = {}
    for work in works:
        together, plain = trials[blocks[work.reach.benchmark].id]
        if plain.status is not Status.OK:
            continue
        measured = Round(timed=dict.fromkeys(work.methods, together))
        for method in work.methods:
            usual_s = work.iteration_plan.once_s
            cell = share_of(method, work.reach, [measured], usual_s)
            if not isinstance(cell, Share):
                continue
            by_plain = at_most(method, work.reach, together, plain, usual_s)
            most = max(cell.highest, *cell.interval, by_plain)
            if most < TOO_SMALL:
                small[method, cell.benchmark] = replace(cell, highest=most, high=most)
    return small


def _more_rounds(
    harness: Harness, asked: Sequence[_Asked], seed: int, numbers: range
) -> list[tuple[str, Round]]:
    alike = harness.language.forks_alike
    blocks = {
        (work.reach.benchmark, number): _block(
            harness, work, f"{seed}/{number}", _arms(work, alike, seed, number)
        )
        for number in numbers
        for work in shuffled(asked, seed, "shares", number)
    }
    trials = harness.perform(list(blocks.values()), "measuring shares")
    return [(benchmark, _round(block, trials[block.id])) for (benchmark, _), block in blocks.items()]


def _block(harness: Harness, asked: _Asked, key: str, arms: Sequence[Arm]) -> Block:
    # The same round with other arms, because more or fewer cells are settled, is another block.
    name = f"shares/{key}/{asked.reach.benchmark}/{content(arms)}"
    block = asked.iteration_plan.block(harness, name, arms)
    clocked_s = harness.language.clocked_call_s
    steps = tuple(_clocked(asked, step, clocked_s) if asked.divisible else step for step in block.steps)
    return replace(block, kind=BlockKind.SHARES, steps=steps)


def _clocked(asked: _Asked, step: Step, clocked_s: float) -> Step:
    """Return a step with a part of the invocations where reading clocks would take most of its time.

    Of a timed trial only what a call takes is known, which is no other for that.
    """
    added_s = clocked_s * sum(asked.reach.calls[method] for method in step.arm.methods)
    if step.arm.mode is not Mode.TIME or not _is_dear(asked.iteration_plan, added_s):
        return step
    part = asked.iteration_plan.of(asked.iteration_plan.invocations // DIVIDED)
    return replace(step, invocations=part.invocations, target_s=part.iteration_s)


def _arms(asked: _Asked, alike: bool, seed: int, number: int) -> list[Arm]:
    """Return what a round executes: where forks differ, comparing arms would compare forks.

    There one fork times all methods, and its probes say what they took.
    """
    if not alike:
        return [_all_at_once(asked)]
    arms = [_arm(asked, Mode.TIME, (method,)) for method in asked.methods]
    arms += [UNPROBED, _arm(asked, Mode.CONTROL, tuple(sorted(asked.probed)))]
    return shuffled(arms, seed, "shares", asked.reach.benchmark, number)


def _all_at_once(asked: _Asked) -> Arm:
    return _arm(asked, Mode.TIME, tuple(sorted(asked.methods)))


def _arm(asked: _Asked, mode: Mode, methods: tuple[str, ...]) -> Arm:
    # The batch of a later control arm, as far as it can be known now.
    batch = min(
        largest_batch(asked.iteration_plan.invocations, asked.reach.calls[method]) for method in methods
    )
    return Arm(mode=mode, methods=methods, batch=batch, label=mode.value)


def _round(block: Block, trials: Sequence[Trial]) -> Round:
    by_arm = {step.arm: trial for step, trial in zip(block.steps, trials, strict=True)}
    of_mode = {arm.mode: trial for arm, trial in by_arm.items()}
    return Round(
        timed={
            method: trial for arm, trial in by_arm.items() if arm.mode is Mode.TIME for method in arm.methods
        },
        off=of_mode.get(Mode.OFF),
        control=of_mode.get(Mode.CONTROL),
    )
