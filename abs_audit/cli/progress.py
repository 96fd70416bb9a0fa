"""Progress for people, on standard error: a bar on a terminal, a plain line every 30 s elsewhere."""

import threading
from collections.abc import Callable

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from abs_audit.cli.options import Common
from abs_audit.errors import without_passwords
from abs_audit.report.names import visible
from abs_audit.wording import duration

PLAIN_EVERY_S = 30.0
FOR_PEOPLE = Console(stderr=True)

Left = Callable[[float], float | None]
"""Seconds planned of what is being done → about how many the command still takes, where that is known."""
Elapsed = Callable[[], float]
"""The seconds since the command started."""


def progress(common: Common, elapsed_s: Elapsed, left_s: Left) -> "Bar | Lines":
    """Return where progress is shown: nowhere, on a terminal, or in lines."""
    if common.quiet:
        return Lines(Console(quiet=True), elapsed_s, left_s, every_step=False)
    if FOR_PEOPLE.is_terminal and not common.verbose:
        return Bar(FOR_PEOPLE, left_s)
    return Lines(FOR_PEOPLE, elapsed_s, left_s, every_step=common.verbose)


def _shown(purpose: str) -> str:
    return visible(without_passwords(purpose))


def _told_left(seconds: float | None) -> str:
    return "" if seconds is None else f"about {duration(seconds)} left"


class Bar:
    """Progress on a terminal."""

    def __init__(self, console: Console, left_s: Left) -> None:
        """Draw on `console` until closed."""
        self._left_s = left_s
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None, left="")
        self._bar.start()

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Show what is being done; no plan, no end."""
        left = _told_left(self._left_s(planned - done))
        description = escape(_shown(purpose))
        self._bar.update(
            self._task, description=description, completed=done, total=planned or None, left=left
        )

    def announce(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(_shown(text), markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class Lines:
    """Progress where nobody watches a terminal: a line every 30 s, whatever happens meanwhile."""

    def __init__(self, console: Console, elapsed_s: Elapsed, left_s: Left, *, every_step: bool) -> None:
        """Print to `console` until closed; `every_step`: whatever is begun, too."""
        self._console, self._elapsed_s, self._left_s = console, elapsed_s, left_s
        self._every_step = every_step
        self._now = ("starting", 0.0, 0.0)
        self._closed = threading.Event()
        # A build says nothing for minutes, so something else than its progress has to.
        self._ticking = threading.Thread(target=self._tick, daemon=True)
        self._ticking.start()

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Keep what is being done for the next line."""
        begun = purpose != self._now[0]
        self._now = (purpose, done, planned)
        if self._every_step and begun:
            self.announce(self.line())

    def line(self) -> str:
        """Return what is being done, since when, and how long the rest takes."""
        purpose, done, planned = self._now
        part = f" ({100 * done / planned:.0f} %)" if planned else ""
        left = _told_left(self._left_s(planned - done))
        return f"{purpose}{part}; {duration(self._elapsed_s())} so far{left and ', ' + left}"

    def announce(self, text: str) -> None:
        """Print a line now."""
        self._console.print(_shown(text), markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Print nothing more."""
        self._closed.set()

    def _tick(self) -> None:
        while not self._closed.wait(PLAIN_EVERY_S):
            self.announce(self.line())
