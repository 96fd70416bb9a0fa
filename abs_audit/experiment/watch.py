"""What a command's time goes into, and when its budget of time ends."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from abs_audit.errors import AbsAuditError, ExitCode
from abs_audit.model.cost import CommandCost
from abs_audit.model.experiment import Command, Execution

GRACE = 0.05
"""Part of a budget by which a process that is under way may outlast it before it is ended."""
LEAST_GRACE_S = 0.5
BELIEVED_S = 1.0
"""Planned seconds of a phase for which the pace of the others counts in it."""


class Phase(StrEnum):
    """Parts of a command, in the order in which they are told."""

    SET_UP = "set_up"
    """Everything else: reading the checkout, copying it, fetching what it needs."""
    BUILD = "build"
    LIST = "list"
    REACH = "reach"
    UNSLOWED = "unslowed"
    SHARES = "shares"
    CELLS = "cells"
    RENDER = "render"


NOTHING: Mapping[str, float] = {}
PLANNED = (Phase.SHARES, Phase.CELLS, Phase.UNSLOWED)
"""What they have to do is told in planned seconds, and they in no time of the clock."""


Part = TypeVar("Part")


class BudgetEndedError(AbsAuditError):
    """Raised instead of beginning work that would not be done in time."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(self) -> None:
        """Say how to go on."""
        super().__init__(
            "the time budget ended before there was an answer; what was measured is recorded, and the same "
            "command goes on; give it more time with --budget-time"
        )


class Watch:
    """The clock of one command; every second belongs to one phase."""

    def __init__(self, budget_s: float | None = None, began: float | None = None) -> None:
        """Start now, or when the process began; `budget_s`: seconds after which nothing more is begun."""
        self._started = time.monotonic() if began is None else began
        self.ended = False
        """Whether something was not begun for lack of time."""
        self._deadline = None if budget_s is None else self._started + budget_s
        self._outer = self._deadline
        """When that ends which a part is allotted of."""
        self._end = math.inf if self._deadline is None else self._deadline
        """Of the whole budget, however much is kept for what comes after."""
        self.kept_s = 0.0
        """Seconds of the budget that are kept for what comes after."""
        self._grace_s = max(LEAST_GRACE_S, GRACE * (budget_s or 0.0))
        self._ahead_s: dict[Phase, float] = {}
        self._after_s: dict[str, float] = {}
        self.start_s = 0.0
        """Seconds that a process takes to begin, as far as that is known."""
        self._first: tuple[int, float] | None = None
        self._begun: set[str] = set()
        self._kinds: set[str] = set()
        self._met_s = dict.fromkeys(Phase, 0.0)
        self._done_s = dict.fromkeys(Phase, 0.0)
        self._spent_s = dict.fromkeys(Phase, 0.0)
        self._phase = Phase.SET_UP
        self._since = self._started

    @property
    def total_s(self) -> float:
        """Seconds since the command started."""
        return time.monotonic() - self._started

    @property
    def remaining_s(self) -> float | None:
        """Seconds that the budget leaves; None: there is none."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    @property
    def whole_s(self) -> float:
        """Seconds that the whole budget leaves, however much of it is kept for what comes after."""
        return max(0.0, self._end - time.monotonic())

    def require(self, expected_s: float) -> None:
        """Raise BudgetEndedError where work that is planned to take so long does not fit into the budget."""
        remaining_s = self.remaining_s
        if remaining_s is not None and self.pace(self._phase) * expected_s >= remaining_s:
            self.ended = True
            raise BudgetEndedError

    def again(self) -> None:
        """Say that what was not begun is begun now: whether it has the time is told anew."""
        self.ended = False

    def bounded(self, command: Command) -> Command:
        """Return the command with the time that the budget leaves it; raise BudgetEndedError at its end."""
        remaining_s = self.remaining_s
        if remaining_s is None:
            return command
        self.require(0.0)
        if command.shared:
            # Its process may have to begin, of which others have the use: only the whole budget ends it.
            remaining_s = self.whole_s
        return replace(command, limit_s=min(command.limit_s, remaining_s + self._grace_s))

    def began(self, kind: str, seconds: float) -> None:
        """Let what is allotted last as much longer as the first process of a kind took to begin."""
        if self._deadline is not None and self._outer is not None and kind not in self._kinds:
            self._deadline = min(self._outer, self._deadline + seconds)
        self._kinds.add(kind)

    def check(self, execution: Execution) -> None:
        """Raise BudgetEndedError where a command was ended because its budget was: it says nothing then."""
        if execution.timed_out:
            self.require(0.0)

    def expect(self, further_s: Mapping[Phase, float], after_s: Mapping[str, float] = NOTHING) -> None:
        """Say how much work phases still have, in planned seconds, and what comes after, by its name."""
        self._ahead_s.pop(Phase.SET_UP, None)
        self._ahead_s |= further_s
        self._after_s |= after_s

    def begin(self, name: str) -> None:
        """Say that what was expected before is over, and that comes next of which so much was said."""
        expected_s = self._after_s.pop(name, None)
        # Which phases it has is said once it is known.
        self._ahead_s = {} if expected_s is None else {Phase.SET_UP: expected_s}

    def did(self, planned_s: float, *, before: bool = False) -> None:
        """Count planned work of the present phase as done; `before`: in the time of another command."""
        self._met_s[self._phase] += planned_s
        if not before:
            self._done_s[self._phase] += planned_s
        self._more(-planned_s)

    def starting(self, processes: Set[str]) -> None:
        """Count processes that begin now as work, those of each name once."""
        begin_s = self.start_s * len(processes - self._begun)
        self._begun |= processes
        self._done_s[self._phase] += begin_s
        self._more(-begin_s)

    def executed(self, blocks: int, beside_s: float) -> None:
        """Learn what a process takes to begin from blocks that took so long beside their trials.

        The first ones began one, which the second ones found.
        """
        if self._first is None:
            self._first = (blocks, beside_s)
        elif not self.start_s:
            before, first_s = self._first
            self.start_s = max(0.0, first_s - before * beside_s / blocks)

    def outlook(self, told_s: float) -> Callable[[float], None]:
        """Return what tells, as often as it changes, how much work is left of a part of the present phase.

        `told_s`: what its phase was said to have to do for it.
        """
        until_s = self._met_s[self._phase] + told_s

        def now(left_s: float) -> None:
            nonlocal until_s
            self._more(self._met_s[self._phase] + left_s - until_s)
            until_s = self._met_s[self._phase] + left_s

        return now

    def _more(self, planned_s: float) -> None:
        phase = self._phase if self._phase in self._ahead_s else Phase.SET_UP
        if phase in self._ahead_s:
            self._ahead_s[phase] += planned_s

    def pace(self, phase: Phase) -> float:
        """Return about how long a planned second of a phase takes, by what was done up to now.

        Processes start, fixtures are set up, and others use the machine.
        """
        self.phases()
        spent_s, done_s = (sum(map(of.__getitem__, PLANNED)) for of in (self._spent_s, self._done_s))
        usual = (spent_s + BELIEVED_S) / (done_s + BELIEVED_S)
        if phase not in PLANNED:
            return usual if phase is Phase.SET_UP else 1.0
        return (self._spent_s[phase] + usual * BELIEVED_S) / (self._done_s[phase] + BELIEVED_S)

    def left_s(self, planned_s: float = 0.0) -> float | None:
        """Return about how long the rest takes; None: that was not said.

        `planned_s`: of what is being done, which counts where it is more than its phase should take.
        """
        if not self._ahead_s:
            return None
        self.phases()
        # What is being done now is a part of what its phase still has to do, nobody knows which.
        left_s = self._ahead_s | {self._phase: max(planned_s, self._ahead_s.get(self._phase, 0.0))}
        left_s[Phase.SET_UP] = left_s.get(Phase.SET_UP, 0.0) + sum(self._after_s.values())
        needed_s = sum(self.pace(phase) * max(0.0, seconds) for phase, seconds in left_s.items())
        return min(needed_s, self.whole_s)

    @contextlib.contextmanager
    def reserving(self, reserved_s: float) -> Iterator[None]:
        """Keep seconds of the budget for what comes after, a third of what it leaves at most."""
        deadline, outer, kept_s, remaining_s = self._deadline, self._outer, self.kept_s, self.remaining_s
        if deadline is not None and remaining_s is not None:
            reserved_s = min(reserved_s, remaining_s / 3)
            self._outer = self._deadline = deadline - reserved_s
            self.kept_s += reserved_s
        try:
            yield
        finally:
            self._deadline, self._outer, self.kept_s = deadline, outer, kept_s

    @contextlib.contextmanager
    def allotting(self, allotted_s: float) -> Iterator[None]:
        """Let a budget end after so many seconds for what is done inside, which can wait for others' turn."""
        deadline, outer, ended = self._deadline, self._outer, self.ended
        if deadline is not None:
            self._outer, self._deadline = deadline, min(deadline, time.monotonic() + allotted_s)
        try:
            yield
        finally:
            self._deadline, self._outer = deadline, outer
            if self.remaining_s:
                self.ended = ended

    def in_turn(self, parts: Sequence[Part]) -> Iterator[Part]:
        """Yield parts of the work, and let none take more of a budget than those after it will have."""
        ended = False
        for number, part in enumerate(parts):
            with self.allotting((self.remaining_s or 0.0) / (len(parts) - number)):
                yield part
                ended |= self.ended
            self.ended = ended

    @contextlib.contextmanager
    def phase(self, phase: Phase) -> Iterator[None]:
        """Count what is done inside as of this phase, and not of the one around it."""
        outer = self._phase
        self._turn_to(phase)
        try:
            yield
        finally:
            self._turn_to(outer)

    def phases(self) -> Mapping[str, float]:
        """Return the seconds of every phase up to now."""
        self._turn_to(self._phase)
        return {phase.value: spent_s for phase, spent_s in self._spent_s.items()}

    @property
    def cost(self) -> CommandCost:
        """What the command took up to now."""
        return CommandCost(phases=self.phases(), total_s=self.total_s)

    def _turn_to(self, phase: Phase) -> None:
        now = time.monotonic()
        self._spent_s[self._phase] += now - self._since
        if self._phase not in PLANNED:
            self._more(self._since - now)
        self._phase, self._since = phase, now
