"""What was measured of each benchmark, wherever it was recorded: in a session or in another tool's file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.experiment.session import Session
from abs_audit.formats.reading import read
from abs_audit.formats.sample import SECONDS, Sample

SESSION_BEGINS = b"SQLite format 3\0"
Instances = tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]
"""Instances → trials → forks → values, in the order measured in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The values of one benchmark; lower is better."""

    unit: str
    """"s": seconds per invocation."""
    instances: Instances


def samples(source: Path) -> dict[str, Recorded]:
    """Return benchmark → its values, from a session or from a result file of another tool.

    Of a session: what was imported into it, and its own newest unslowed suite runs, a trial each. Raises
    UsageError where there is nothing to read, MismatchError for contents that are no measurements.
    """
    return _nested(of_session(source) if is_session(source) else read(source))


def is_session(source: Path) -> bool:
    """Tell whether a file is a session."""
    try:
        with source.open("rb") as stream:
            return stream.read(len(SESSION_BEGINS)) == SESSION_BEGINS
    except OSError as error:
        raise UsageError(
            f"{source}: cannot read it ({error.strerror}); expected a session or a result file"
        ) from error


def of_session(source: Path) -> Iterator[Sample]:
    """Yield what a session holds; raise UsageError where it holds no values."""
    session = Session(source)
    try:
        found = list(session.samples())
        found += [
            Sample(benchmark=name, instance="1", trial=run, fork="1", values=values, unit=SECONDS)
            for name, run, values in session.unslowed()
        ]
    finally:
        session.close()
    if not found:
        raise UsageError(
            f"{source}: no unslowed runs are recorded; measure them with: abs-audit stability, "
            "or bring results in with: abs-audit import FILE"
        )
    yield from found


def _nested(found: Iterable[Sample]) -> dict[str, Recorded]:
    levels: dict[str, dict[str, dict[str, dict[str, tuple[float, ...]]]]] = {}
    units: dict[str, str] = {}
    for one in found:
        units[one.benchmark] = one.unit
        trials = levels.setdefault(one.benchmark, {}).setdefault(one.instance, {})
        forks = trials.setdefault(one.trial, {})
        forks[one.fork] = forks.get(one.fork, ()) + one.values
    return {
        name: Recorded(
            unit=units[name],
            instances=tuple(
                tuple(tuple(forks.values()) for forks in trials.values()) for trials in instances.values()
            ),
        )
        for name, instances in levels.items()
    }
