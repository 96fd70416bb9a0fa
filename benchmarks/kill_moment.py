"""Executes abs-audit in this process and ends it at a moment of its own work, for `benchmarks.kill_matrix`.

    python -m benchmarks.kill_moment MOMENT SIGNAL DELAY_S RECORDED ARGUMENT...

MOMENT: preparing, building, listing, measuring, transaction, rendering, or never. The file RECORDED gets a
line for each trial that is recorded, and the line `killed` right before the signal is sent.
"""

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from abs_audit.cli import context
from abs_audit.cli import main as program
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.workspace import refresh
from abs_audit.experiment import preparation
from abs_audit.experiment.session import Session
from abs_audit.experiment.watch import Phase, Watch
from abs_audit.model.experiment import Block, Command
from abs_audit.model.measurement import Trial

Result = TypeVar("Result")
TRANSACTIONS_A_SECOND = 10
"""In place of a delay: so many are let pass before the one that is not committed."""


class Killer:
    """Sends a signal to this process, some time after its moment has come."""

    def __init__(self, moment: str, number: signal.Signals, delay_s: float, recorded: Path) -> None:
        """Wait for the moment."""
        self._moment, self._signal, self._delay_s = moment, number, delay_s
        self._recorded = recorded
        self._begun = False
        self._transactions = 1 + int(TRANSACTIONS_A_SECOND * delay_s)

    def reached(self, moment: str) -> None:
        """Let the signal come once the delay is over, where this is the moment."""
        if moment != self._moment or self._begun:
            return
        self._begun = True
        if self._delay_s and moment != "transaction":
            threading.Thread(target=self._later, daemon=True).start()
        else:
            self._kill()

    def written(self) -> None:
        """Count a transaction that is not committed yet; the signal comes in one of the first."""
        self._transactions -= 1
        if self._transactions == 0:
            self.reached("transaction")

    def note(self, line: str) -> None:
        """Add a line to what was recorded."""
        with self._recorded.open("a") as stream:
            stream.write(f"{line}\n")

    def _later(self) -> None:
        time.sleep(self._delay_s)
        self._kill()

    def _kill(self) -> None:
        self.note("killed")
        os.kill(os.getpid(), self._signal)


def moment_of(command: Command) -> str:
    """Return what a command is part of."""
    if command.network:
        # The environment of Python, which has nothing to compile.
        return "building" if command.purpose.startswith("installing") else "preparing"
    first = command.purpose.split()[0]
    return {"building": "building", "listing": "listing"}.get(first, "measuring")


def before(function: Callable[..., Result], told: Callable[..., None]) -> Callable[..., Result]:
    """Return the function, which tells its arguments first."""

    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Result:
        told(*arguments)
        return function(*arguments, **named)

    return wrapper


def attach(killer: Killer) -> None:
    """Let the program tell the killer what it does."""
    whole = Session._transaction

    @contextlib.contextmanager
    def transaction(self: Session) -> Iterator[None]:
        with whole(self):
            yield
            killer.written()

    def record(_: Session, context: str, block: Block, trial: Trial) -> None:
        killer.note(f"{context}\t{trial.block}\t{trial.position}")

    def turned(_: Watch, phase: Phase) -> None:
        if phase is Phase.RENDER:
            killer.reached("rendering")

    setattr(Session, "_transaction", transaction)  # noqa: B010 - methods of our own program are replaced
    setattr(Session, "record", before(Session.record, record))  # noqa: B010
    setattr(Watch, "_turn_to", before(Watch._turn_to, turned))  # noqa: B010
    execute = before(LocalExecutor.execute, lambda _, command, *__: killer.reached(moment_of(command)))
    setattr(LocalExecutor, "execute", execute)  # noqa: B010
    setattr(preparation, "refresh", before(refresh, lambda *_: killer.reached("preparing")))  # noqa: B010
    _attach_printing(killer)


def _attach_printing(killer: Killer) -> None:
    """Commands without a phase of rendering print their one answer."""
    for name in ("print_documents", "say"):
        printing = before(getattr(context, name), lambda *_: killer.reached("rendering"))
        setattr(context, name, printing)


def main() -> None:
    """Execute the program."""
    moment, name, delay_s, recorded, *arguments = sys.argv[1:]
    # A shell's background job ignores it, and so would this one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    attach(Killer(moment, signal.Signals[f"SIG{name}"], float(delay_s), Path(recorded)))
    sys.argv = ["abs-audit", *arguments]
    program.main()


if __name__ == "__main__":
    main()
