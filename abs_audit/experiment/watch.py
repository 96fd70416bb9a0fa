"""What a command's time goes into, and when its budget of time ends."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from abs_audit.errors import AbsAuditError, ExitCode
from abs_audit.model.cost import CommandCost
from abs_audit.model.experiment import Command, Execution

GRACE = 0.05
"""Part of a budget by which a process that is under way may outlast it before it is ended."""
LEAST_GRACE_S = 1.0


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
        self._grace_s = max(LEAST_GRACE_S, GRACE * (budget_s or 0.0))
        self._expected_s: dict[Phase, float] = {}
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

    def require(self, expected_s: float) -> None:
        """Raise BudgetEndedError where work that should take so long does not fit into the budget."""
        remaining_s = self.remaining_s
        if remaining_s is not None and expected_s >= remaining_s:
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
        return replace(command, limit_s=min(command.limit_s, remaining_s + self._grace_s))

    def check(self, execution: Execution) -> None:
        """Raise BudgetEndedError where a command was ended because its budget was: it says nothing then."""
        if execution.timed_out:
            self.require(0.0)

    def expect(self, further_s: Mapping[Phase, float]) -> None:
        """Say how long phases should take from now on."""
        self.phases()
        self._expected_s |= {phase: self._spent_s[phase] + more_s for phase, more_s in further_s.items()}

    def forget(self) -> None:
        """Let what was expected be over: of what comes next nothing was said."""
        self._expected_s.clear()

    def left_s(self, planned_s: float = 0.0) -> float | None:
        """Return about how long the rest takes; None: that was not said, or takes longer than was said.

        `planned_s`: of what is being done, which counts where it is more than its phase should take.
        """
        self.phases()
        left_s = {phase: end_s - self._spent_s[phase] for phase, end_s in self._expected_s.items()}
        known_s = left_s.get(self._phase, 0.0)
        # What is being done now is a part of what its phase still has to do, nobody knows which.
        if not left_s or (known_s <= 0.0 and self._phase is not Phase.SET_UP):
            return None
        left_s[self._phase] = max(planned_s, known_s)
        return sum(max(0.0, seconds) for seconds in left_s.values())

    @contextlib.contextmanager
    def reserving(self, reserved_s: float) -> Iterator[None]:
        """Keep seconds of the budget for what comes after, a third of what it leaves at most."""
        remaining_s = self.remaining_s
        kept_s = 0.0 if remaining_s is None else min(reserved_s, remaining_s / 3)
        if self._deadline is not None:
            self._deadline -= kept_s
        try:
            yield
        finally:
            if self._deadline is not None:
                self._deadline += kept_s

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
        self._phase, self._since = phase, now
