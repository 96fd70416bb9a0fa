"""Progress for people, on standard error: a bar on a terminal, a plain line every 30 s elsewhere."""

import time

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from abs_audit.cli.options import Common
from abs_audit.errors import without_passwords
from abs_audit.report.names import visible

PLAIN_EVERY_S = 30.0
FOR_PEOPLE = Console(stderr=True)


def progress(common: Common) -> "Bar | Lines | Silent":
    """Return where progress is shown: nowhere, on a terminal, or in lines."""
    if common.quiet:
        return Silent()
    if common.verbose:
        return Lines(FOR_PEOPLE, every_s=0.0)
    return Bar(FOR_PEOPLE) if FOR_PEOPLE.is_terminal else Lines(FOR_PEOPLE)


def _shown(purpose: str) -> str:
    return visible(without_passwords(purpose))


class Bar:
    """Progress on a terminal."""

    def __init__(self, console: Console) -> None:
        """Draw on `console` until closed."""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._bar.start()

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Show what is being done; no plan, no end."""
        total = planned or None
        self._bar.update(self._task, description=escape(_shown(purpose)), completed=done, total=total)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class Lines:
    """Progress where nobody watches a terminal."""

    def __init__(self, console: Console, every_s: float = PLAIN_EVERY_S) -> None:
        """Print to `console`, a line every so many seconds at most."""
        self._console = console
        self._every_s = every_s
        self._next = time.monotonic() + every_s

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Print a line if the last is long ago."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every_s
            part = f" ({100 * done / planned:.0f} %)" if planned else ""
            self._console.print(f"{_shown(purpose)}{part}", markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Nothing is left to do."""


class Silent:
    """No progress."""

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Nothing is left to do."""
