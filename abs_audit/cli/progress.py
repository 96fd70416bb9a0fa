"""Progress for people, on standard error: a bar on a terminal, a plain line every 30 s elsewhere."""

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

PLAIN_EVERY_S = 30.0


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
        self._bar.update(self._task, description=purpose, completed=done, total=total)

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
            self._console.print(f"{purpose}{part}", markup=False, highlight=False)

    def close(self) -> None:
        """Nothing is left to do."""


class Silent:
    """No progress."""

    def __call__(self, purpose: str, done: float, planned: float) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Nothing is left to do."""
