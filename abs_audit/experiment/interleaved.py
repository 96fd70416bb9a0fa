"""The default protocol: one probed build, reach and shares first, then interleaved pairs."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from abs_audit.experiment import dose
from abs_audit.experiment.asking import Axes, Injection, cell_of, pairs_of
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Decision
from abs_audit.experiment.forecast import (
    costs_s,
    learning_s,
    once_learnt,
    settling_s,
    shares_s,
    while_learning,
)
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.order_of_work import best_first, done_in_turn, portions, thriftily
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import AGAIN, Design, settle
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.search import Search
from abs_audit.experiment.share import Share
from abs_audit.experiment.telling import told
from abs_audit.experiment.watch import BudgetEndedError, Phase, Watch
from abs_audit.grouping import grouped
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import Arm
from abs_audit.model.explanation import BelowFloor
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict, noticed


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What the protocol found."""

    cells: Cells
    false_alarms: FalseAlarms


_URGENT = ((True, False), (False, False))
"""Passes over the benchmarks, as `_every` has them, for methods that none is known to notice..."""
_ALL = ((False, True),)
"""...and for all cells."""
PATIENCE = 3
"""Benchmarks that are learnt of before the best is settled though none is sure to show a slowdown; where as
many call a method, all are learnt of first..."""
LEARNT_PART = 0.5
"""...if that takes no more than this part of what a budget leaves."""
Proving = Callable[[Harness, CellProfiles, Injection], Share | None]
"""Raises an error where no verdict would count."""


@dataclass(slots=True)
class _Turns:
    """What is settled, and what waits for the turn of the others where time is short.

    It took much longer than planned, or was slowed by so much more or less than requested that it has to be
    measured again.
    """

    settled: dict[tuple[str, str], CellVerdict] = field(default_factory=dict)
    alarms: dict[tuple[str, Arm], Decision] = field(default_factory=dict)
    """Benchmark and control → what comparing that with itself says."""
    late: list[Sequence[Share]] = field(default_factory=list)
    """Cells that wait, with those that they were asked with: together they find what is recorded."""

    @property
    def asked(self) -> Set[tuple[str, str]]:
        """Cells that nobody needs to ask for: they are settled, or wait."""
        late = {(share.method, share.benchmark) for asked in self.late for share in asked}
        return self.settled.keys() | late

    def take(self, profiler: Profiler, asked: Sequence[Share], spec: Injection) -> None:
        """Settle cells; with a budget of time those that are open after that wait."""
        watch = profiler.harness.watch
        again = AGAIN if watch.remaining_s is None else ()
        work = partial(self._settle, profiler, asked, spec, again)
        is_done = done_in_turn(watch, shares_s(profiler, asked), work)
        if not is_done or (self._open(asked) and not again):
            self.late.append(asked)

    def take_late(self, profiler: Profiler, spec: Injection) -> None:
        """Settle what waits, if it is still in question."""
        for asked in self.late:
            done = set() if spec.settle_all else noticed(self.settled.values())
            if any(share.method not in done for share in self._open(asked)):
                self._settle(profiler, asked, spec, AGAIN)

    def _open(self, asked: Sequence[Share]) -> list[Share]:
        return [share for share in asked if (share.method, share.benchmark) not in self.settled]

    def _settle(
        self, profiler: Profiler, asked: Sequence[Share], spec: Injection, again: tuple[str, ...]
    ) -> None:
        for pair, decision in _decisions(profiler, asked, spec, again):
            verdict = decision.verdict
            if pair.mutant.slowed is None:
                self.alarms[pair.cell.benchmark, pair.control] = decision
            else:
                self.settled[verdict.method, verdict.benchmark] = _with_floor(verdict, pair.mutant, spec)


def verdicts(profiler: Profiler, axes: Axes, spec: Injection, prove: Proving) -> Verdicts:
    """Return a verdict for each cell of `axes`.

    What is needed of cells is learnt on the way: `profiler` knows it afterwards. `prove` is called before
    cells are settled, with what is known by then, until it has a cell that it holds on.
    """
    turns = _Turns()
    steps = _steps(profiler, axes, spec, turns)
    proven, ended = False, False
    try:
        for asked in itertools.chain(steps, [[]]):
            with profiler.harness.watch.phase(Phase.CELLS):
                if not proven:
                    proven = prove(profiler.harness, profiler.profiles, spec) is not None
                turns.take(profiler, asked, spec)
        with profiler.harness.watch.phase(Phase.CELLS):
            turns.take_late(profiler, spec)
    except BudgetEndedError:
        ended = True
    alarms = turns.alarms.values()
    judged = [alarm for alarm in alarms if alarm.verdict.verdict is not Verdict.NO_VERDICT]
    return Verdicts(
        cells=told(profiler.profiles, axes, spec, turns.settled, ended=ended or profiler.profiles.ended),
        false_alarms=FalseAlarms(
            cells=len(judged), alarms=sum(alarm.verdict.verdict is Verdict.DETECTED for alarm in judged)
        ),
    )


def _decisions(
    profiler: Profiler, asked: Sequence[Share], spec: Injection, again: tuple[str, ...]
) -> Iterator[tuple[Pair, Decision]]:
    pairs = pairs_of(profiler.profiles, asked, spec)
    plans = profiler.profiles.calibration.iteration_plans
    design = Design(
        name=f"{spec.name}/{spec.slowdown:g}", seed=spec.seed, again=again, told_s=shares_s(profiler, asked)
    )
    return settle(profiler.harness, plans, [*pairs, *_again(pairs)], design)


def _steps(profiler: Profiler, axes: Axes, spec: Injection, turns: _Turns) -> Iterator[list[Share]]:
    """Yield the cells that are settled next, until none is left.

    With a budget of time first those that methods without a verdict need, of the benchmarks whose calls are
    counted; then others are counted.
    """
    if profiler.harness.watch.remaining_s is not None or not spec.settle_all:
        urgent = partial(_every, passes=_URGENT) if spec.settle_all else _needed
        yield from urgent(profiler, axes, spec, turns)
        while profiler.count_on():
            yield from urgent(profiler, axes, spec, turns)
    if spec.settle_all:
        yield from _every(profiler, axes, spec, turns, _ALL)


def _every(
    profiler: Profiler, axes: Axes, spec: Injection, turns: _Turns, passes: Sequence[tuple[bool, bool]]
) -> Iterator[list[Share]]:
    """Yield all cells worth measuring; those of a benchmark together, since they have a control in common.

    `passes`: in turn, whether only those benchmarks are asked that are sure to show the slowdown of a method
    without a verdict, or are the best where some were learnt of and none is sure; and whether methods that
    have one are.
    """
    watch, cost_s = profiler.harness.watch, costs_s(profiler)
    ranked = Search(profiler, axes.methods).in_order(cost_s)
    if watch.remaining_s is not None and _learnt_first(profiler, ranked):
        ranked = _by_shares(profiler, ranked)
    for sure, every in passes:
        seen = set[str]()
        for names in portions(ranked, cost_s, watch):
            seen.update(names)
            done = set() if every else noticed(turns.settled.values())
            new = [name for name in names if profiler.profiles.reach[name].calls.keys() - done]
            profiler.learn(new, _telling(watch, names))
            watch.expect(once_learnt(profiler, names))
            shares = profiler.profiles.shares.items()
            asked = turns.asked
            worth = best_first([share for cell, share in shares if cell not in asked])
            waiting = [share for share in worth if share.method not in done]
            waiting = _decisive(profiler, waiting, spec) if sure else waiting
            chosen = {share.benchmark for share in waiting} & (seen if sure else set(names))
            if cells := [share for share in worth if share.benchmark in chosen]:
                yield cells


def _learnt_first(profiler: Profiler, names: Sequence[str]) -> bool:
    """Learn of all benchmarks where several call each method and that leaves most of a budget; tell whether.

    Then the best cell of each method is known, and most of what nothing notices.
    """
    watch, cost_s, reach = profiler.harness.watch, learning_s(profiler), profiler.profiles.reach
    part_s = LEARNT_PART * watch.whole_s
    callers = Counter(method for name in names for method in reach[name].calls)
    if sum(cost_s.values()) > part_s or callers.total() < PATIENCE * len(callers):
        return False
    new = [name for name in names if name in cost_s]
    try:
        with watch.allotting(part_s):
            for portion in portions(new, cost_s, watch):
                profiler.learn(portion, _telling(watch, new))
    except BudgetEndedError:
        return False
    return True


def _by_shares(profiler: Profiler, names: Sequence[str]) -> list[str]:
    """Return the benchmarks of which all is learnt, those first that decide many methods in little time."""
    worth = best_first(list(profiler.profiles.shares.values()))
    ranked = grouped((share.method, share.benchmark) for share in worth).values()
    return list(dict.fromkeys([*thriftily(list(ranked), settling_s(profiler, worth)), *names]))


def _telling(watch: Watch, names: Sequence[str]) -> Callable[[Profiler], None]:
    """Return what says how much is left as soon as something is known of the shares that are being learnt."""
    return lambda profiler: watch.expect(while_learning(profiler, names))


def _decisive(profiler: Profiler, waiting: Sequence[Share], spec: Injection) -> list[Share]:
    """Return the cells that are sure to show a slowdown, and the best of each method known well enough."""
    learnt = Counter(method for method, _ in profiler.profiles.shares)
    best = {share.method: share for share in reversed(waiting) if learnt[share.method] >= PATIENCE}
    return [share for share in waiting if _shows(share, spec) or share is best.get(share.method)]


def _needed(profiler: Profiler, axes: Axes, spec: Injection, turns: _Turns) -> Iterator[list[Share]]:
    """Yield the best cell of each method that none is known to notice, until there is no other.

    Benchmarks are learnt of until one is sure to show the slowdown. The cells that are yielded together do
    not depend on the time that is left, so a later command finds what is recorded.
    """
    search = Search(profiler, axes.methods)
    while True:
        done = noticed(turns.settled.values())
        waiting = [method for method in axes.methods if method not in done]
        worth = _worth(profiler, turns)
        wider = search.widen(method for method in waiting if not _is_sure(method, worth, spec))
        worth = _worth(profiler, turns)
        unsure = {method for method in waiting if not _is_sure(method, worth, spec)}
        best = [
            worth[method][0]
            for method in waiting
            if method in worth and (method not in unsure or not search.left[method])
        ]
        if not best and not wider:
            return
        of_benchmark = grouped((share.benchmark, share) for share in best)
        cells_s = settling_s(profiler, best)
        # What no benchmark is sure to show is mostly looked for in vain, in all that may.
        expected = {*best, *(share for method in unsure for share in worth.get(method, ()))}
        watch = profiler.harness.watch
        watch.expect({Phase.CELLS: shares_s(profiler, expected), Phase.SHARES: search.further_s(unsure)})
        for names in portions(list(of_benchmark), cells_s, watch):
            yield [share for name in names for share in of_benchmark[name]]


def _worth(profiler: Profiler, turns: _Turns) -> dict[str, list[Share]]:
    """Return method → its cells that are worth measuring and not settled yet, the largest share first."""
    asked, shares = turns.asked, profiler.profiles.shares.items()
    left = best_first([share for cell, share in shares if cell not in asked])
    return grouped((share.method, share) for share in left)


def _is_sure(method: str, worth: Mapping[str, Sequence[Share]], spec: Injection) -> bool:
    """Tell whether the best benchmark of a method is sure to show the slowdown."""
    return method in worth and _shows(worth[method][0], spec)


def _shows(share: Share, spec: Injection) -> bool:
    """Tell whether a benchmark is sure to show the slowdown, by the share of the method in it."""
    return dose.should_show(cell_of(share, spec))


def _again(pairs: Sequence[Pair]) -> list[Pair]:
    """Return an A/A pair for each benchmark: the control of its largest share, and the same again."""
    of_benchmark = grouped((pair.cell.benchmark, pair) for pair in pairs).values()
    best = [max(group, key=lambda pair: pair.cell.share) for group in of_benchmark]
    return [replace(pair, mutant=replace(pair.control, label="control, again")) for pair in best]


def _with_floor(verdict: CellVerdict, mutant: Arm, spec: Injection) -> CellVerdict:
    """Say so where the delay is below what the probe realises faithfully."""
    if mutant.delay_ns >= spec.floor_ns:
        return verdict
    return replace(verdict, below_floor=BelowFloor(delay_ns=mutant.delay_ns, floor_ns=spec.floor_ns))
