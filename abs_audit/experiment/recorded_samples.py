"""What was measured of each benchmark, wherever it was recorded: in a session or in another tool's file."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from abs_audit.advising import advised
from abs_audit.errors import UsageError
from abs_audit.experiment.session import Session
from abs_audit.experiment.session_place import is_session
from abs_audit.formats.reading import read
from abs_audit.formats.sample import Sample


def samples(source: Path) -> tuple[Sample, ...]:
    """Return everything measured, from a session or from a result file of another tool.

    Of a session: what was imported into it, and its own newest unslowed suite runs, a trial each. Raises
    UsageError where there is nothing to read, MismatchError for contents that are no measurements.
    """
    return tuple(of_session(source) if is_session(source) else read(source))


def of_session(source: Path) -> Iterator[Sample]:
    """Yield what a session holds; raise UsageError where it holds no values."""
    with contextlib.closing(Session(source)) as session:
        samples = [*session.samples(), *session.unslowed()]
    if not samples:
        raise UsageError(
            f"{source}: no unslowed runs are recorded; measure them with: {advised('stability')}, "
            "or bring results in with: abs-audit import FILE"
        )
    yield from samples
