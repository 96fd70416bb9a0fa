"""The harness: has blocks executed, records each trial, and makes none twice."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from itertools import groupby

from abs_audit.experiment.looking import Looking
from abs_audit.experiment.session import Session
from abs_audit.experiment.watch import Watch
from abs_audit.interfaces import BuildSettings, Executor, Suite
from abs_audit.languages.language import Language
from abs_audit.model.experiment import Block, Execution, Step, Workspace
from abs_audit.model.measurement import Status, Trial

PART_OF_BUDGET = 0.05
"""Part of what a budget leaves that is begun at once: it may take longer than expected."""
LEAST_BATCH_S = 0.5
BATCH_S = 20.0
"""Expected work that is handed to the suite at once: bounds what a fault can take with it."""

Progress = Callable[[str, float, float], None]
"""Called with what is being done, the seconds of work done and the seconds planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """One subject, built once, with everything needed to measure it."""

    suite: Suite
    workspace: Workspace
    settings: BuildSettings
    executor: Executor
    session: Session
    context: str
    """Digest of all that must be equal for trials to be comparable."""
    build_id: str
    """Digest of the probed sources; a tally that names another one is no evidence."""
    progress: Progress
    language: Language
    longest_s: float
    """The longest that a user lets a block take, in seconds."""
    watch: Watch = field(default_factory=Watch)
    looking: Looking = field(default_factory=Looking)
    may_call: Callable[[Sequence[str]], Mapping[str, frozenset[str]]] = lambda benchmarks: {}
    """Returns what benchmarks may call of the probed methods, where that is known without executing any."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Method → the one whose body is executed for it, where that is another."""

    def warmed(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Return the steps with a warm-up wherever a fork begins."""
        begun = range(1 if self.language.forks_a_block else len(steps))
        return tuple(
            replace(step, warmup=self.language.warmup if position in begun else 0)
            for position, step in enumerate(steps)
        )

    def perform(self, blocks: Sequence[Block], purpose: str) -> dict[str, tuple[Trial, ...]]:
        """Return all trials of the blocks, after making those that are not recorded yet.

        Raises BudgetEndedError where a budget of time does not allow all of them; what was made is recorded.

        Returns:
            Block id → its trials in the order of its steps; each step has exactly one.
        """
        pending = self._rests(blocks)
        planned_s = sum(rest.expected_s() for rest in pending)
        whole_s = sum(_Rest(block, tuple(range(len(block.steps)))).expected_s() for block in blocks)
        self.watch.did(whole_s - planned_s, before=True)
        meter = _Meter(self, purpose, planned_s)
        meter.add(0.0)
        self.watch.starting({rest.block.process for rest in pending})
        begun = time.monotonic()
        self._execute_all(_batches(pending, self._room_s(meter.planned_s)), meter)
        done = {block.id: self.session.trials(self.context, block.id) for block in blocks}
        if pending:
            made_s = sum(done[rest.block.id][at].wall_s for rest in pending for at in rest.positions)
            self.watch.executed(len(pending), time.monotonic() - begun - made_s)
        return {name: tuple(trials[position] for position in sorted(trials)) for name, trials in done.items()}

    def _room_s(self, planned_s: float) -> float:
        """Return how much expected work is handed to the suite at once."""
        room_s = BATCH_S
        if self.executor.width > 1:
            # Several hosts get several pieces each, so that none waits long for the last one.
            room_s = min(room_s, planned_s / (2 * self.executor.width))
        remaining_s = self.watch.remaining_s
        return (
            room_s if remaining_s is None else min(room_s, max(LEAST_BATCH_S, PART_OF_BUDGET * remaining_s))
        )

    def _execute_all(self, batches: "Sequence[list[_Rest]]", meter: "_Meter") -> None:
        """Execute the batches, as many at once as there are hosts."""
        if self.executor.width == 1:
            for batch in batches:
                self.watch.require(sum(rest.expected_s() for rest in batch))
                self._execute(batch, meter)
            return
        if batches:
            self.watch.require(0.0)
        pool = ThreadPoolExecutor(self.executor.width)
        under_way = [pool.submit(self._execute, batch, meter) for batch in batches]
        try:
            for done in as_completed(under_way):
                done.result()
        finally:
            # After a fault or an interruption the others end as soon as the executor is closed.
            pool.shutdown(wait=False, cancel_futures=True)

    def _execute(self, batch: "Sequence[_Rest]", meter: "_Meter") -> None:
        """Execute a batch to the end; whatever it left unsaid is recorded as what it is: no evidence.

        The first of the blocks that are left may have ended the process, or kept it from ending, which says
        nothing of other benchmarks: they get another. Where two processes in a row tell nothing, it is not up
        to one of them.
        """
        left, barren = list(batch), False
        while left:
            execution = self._execute_once(left, meter)
            silent = self._rests(rest.block for rest in left)
            if execution.out_of_memory and len(left) > 1:
                for rest in silent:
                    self._execute([rest], meter)
                return
            fruitless = len(silent) == len(left)
            lost = silent[:1]
            if barren and fruitless:
                lost = silent
            elif execution.timed_out:
                # Its other blocks would take as long.
                lost = [rest for rest in silent if rest.block.benchmark == silent[0].block.benchmark]
            self._record_silence(lost, execution, meter)
            left, barren = [rest for rest in silent if rest not in lost], fruitless

    def _rests(self, blocks: Iterable[Block]) -> "list[_Rest]":
        """Return what is not recorded of blocks, without those of which everything is."""
        rests = []
        for block in blocks:
            recorded = self.session.trials(self.context, block.id)
            rests.append(_Rest(block, tuple(n for n in range(len(block.steps)) if n not in recorded)))
        return [rest for rest in rests if rest.positions]

    def _execute_once(self, batch: "Sequence[_Rest]", meter: "_Meter") -> Execution:
        """Execute the commands of a batch and record what they report; return how the last one ended."""
        waiting = {rest.block.id: rest for rest in batch}
        asked = [rest.as_block() for rest in batch]

        made: list[Trial] = []

        def record(text: str) -> None:
            trials = self.suite.trials(asked, text)
            if command.shared and not made:
                trials_s = sum(trial.wall_s for trial in trials)
                self.watch.began(command.shared.kind, time.monotonic() - began - trials_s)
            for trial in trials:
                rest = waiting[trial.block]
                made.append(replace(trial, position=rest.positions[trial.position]))
                self.session.record(self.context, rest.block, made[-1])
                meter.add(rest.step_s(made[-1].position))

        first = batch[0].block
        for composed in self.suite.commands(self.workspace, self.settings, asked):
            shared = composed.shared and replace(
                composed.shared, kind=f"{composed.shared.kind} {first.process}"
            )
            command = self.watch.bounded(replace(composed, instance=first.instance, shared=shared))
            began = time.monotonic()
            execution = self.executor.execute(command, record if command.results else None)
            if execution.out_of_memory:
                break
            if not command.results:
                record(execution.output)
            if execution.host:
                self.session.place(self.context, made, execution.host)
                made.clear()
        self.watch.check(execution)
        return execution

    def _record_silence(self, lost: "Sequence[_Rest]", execution: Execution, meter: "_Meter") -> None:
        """Give every step that a command was to report and did not an outcome of its own."""
        status = Status.FAILED if execution.exit_code or execution.out_of_memory else Status.MISSING
        if execution.timed_out:
            status = Status.TIMED_OUT
        for rest in lost:
            for position in rest.positions:
                trial = Trial(
                    block=rest.block.id, position=position, status=status, reason=_last_words(execution)
                )
                self.session.record(self.context, rest.block, trial)
                meter.add(rest.step_s(position))


@dataclass(frozen=True, slots=True)
class _Rest:
    """Steps of a block that are not recorded yet, as a block of their own."""

    block: Block
    positions: tuple[int, ...]

    def as_block(self) -> Block:
        return replace(self.block, steps=tuple(self.block.steps[position] for position in self.positions))

    def expected_s(self) -> float:
        return sum(map(self.step_s, self.positions))

    def step_s(self, position: int) -> float:
        """Return how long a step of the whole block should take, in seconds."""
        steps_s = [step.target_s * (step.iterations + step.warmup) for step in self.block.steps]
        return steps_s[position] * (self.block.expected_s / sum(steps_s) if self.block.expected_s else 1.0)


@dataclass(slots=True)
class _Meter:
    """Tells how much of the planned work is done, trial by trial."""

    harness: Harness
    purpose: str
    planned_s: float
    done_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.done_s += seconds
        self.harness.watch.did(seconds)
        self.harness.progress(self.purpose, self.done_s, self.planned_s)


def _batches(pending: Sequence[_Rest], room_s: float) -> list[list[_Rest]]:
    """Cut the work into pieces of about so many seconds; a long block is a piece of its own."""
    batches: list[list[_Rest]] = []
    for _, together in groupby(pending, lambda rest: (rest.block.instance, rest.block.process)):
        room = 0.0
        for position, rest in enumerate(together):
            if not position or room < rest.expected_s():
                batches.append([])
                room = room_s
            batches[-1].append(rest)
            room -= rest.expected_s()
    return batches


def _last_words(execution: Execution) -> str:
    """Return one line that tells why a command ended without its results."""
    lines = [line.strip() for line in execution.log.splitlines() if line.strip()]
    last = lines[-1] if lines else "it printed nothing"
    ending = "killed at its time limit" if execution.timed_out else f"exit code {execution.exit_code}"
    if execution.out_of_memory:
        ending = "out of memory; allow more with --memory"
    return f"the process ended without a result ({ending}): {last}"
