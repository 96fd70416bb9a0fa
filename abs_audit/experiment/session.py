"""The session: everything that was recorded, in one SQLite file with one writer.

One transaction a trial: whatever kills the program, a trial is either recorded whole or not at all, and
a repeated command finds it under its key and does not make it again.
"""

import contextlib
import json
import os
import sqlite3
import threading
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from abs_audit import __version__
from abs_audit.errors import AbsAuditError, MismatchError, UnfitEnvironmentError, UsageError
from abs_audit.experiment.session_formats import FORMAT, STEPS
from abs_audit.experiment.session_place import ANOTHER, is_taken, sweep
from abs_audit.formats.sample import Sample
from abs_audit.model.experiment import Block, BlockKind, Step
from abs_audit.model.measurement import Status, Tally, Trial

SCHEMA = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")

# What makes a trial, in the order in which `_trial` takes it.
TRIAL = "position, status, reason, invocations, sample, tally, wall_s, executed_whole, outside_s"

WAITED_S, AGAIN_S = 30.0, 0.05
"""Seconds that another command may keep a session from being read or written; seconds between two tries."""
UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}

LATEST = (
    "SELECT MAX(recorded_at) FROM (SELECT recorded_at FROM context UNION ALL SELECT recorded_at FROM result)"
)

T = TypeVar("T")
_STEP = TypeAdapter(Step)
_TALLY = TypeAdapter(Tally)


class ResultKind(Generic[T]):
    """A kind of result that a session keeps, one for each context."""

    def __init__(self, name: str, of: type[T]) -> None:
        """`name`: as sessions know it; `of`: its type."""
        self.name, self._of = name, of

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        """What reads and writes it; made when it is needed, for that takes long of a large type."""
        return TypeAdapter(self._of)


class Session:
    """One file of recorded trials and results."""

    def __init__(self, path: Path) -> None:
        """Open or create; what cannot be written can be read. Raise where the file is none of ours."""
        self.path = path
        self._one_at_a_time = threading.RLock()
        with self._translated():
            if not is_taken(path):
                _begin(path)
            sweep(path)
            self._database = self._open()
            self._latest = self._database.execute(LATEST).fetchone()[0] or 0.0
            if self._format() in STEPS:
                self._migrate()
        if self._format() != FORMAT:
            raise MismatchError(
                f"{self.path}: written in format {self._format()}, this version reads {FORMAT}; {ANOTHER}"
            )

    def _format(self) -> str | None:
        rows = self._rows("SELECT value FROM about WHERE name = 'format'")
        return str(rows[0][0]) if rows else None

    def _migrate(self) -> None:
        """Bring a session of an earlier format to the present one; raise where it cannot be written."""
        with self._transaction():
            # Another command may have done so meanwhile.
            for statement in STEPS.get(self._format() or "", ()):
                self._database.execute(statement)

    def _open(self) -> sqlite3.Connection:
        """Open as soon as nobody else is just opening or closing it, which SQLite does not wait for."""
        until = time.monotonic() + WAITED_S
        while True:
            try:
                return self._opened()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(AGAIN_S)

    def _opened(self) -> sqlite3.Connection:
        """Open for writing, else for reading: of read-only media, where no log of changes can be made."""
        opened = _connected(str(self.path))
        try:
            # Even what changes nothing fails here where nothing can be written.
            opened.execute("PRAGMA journal_mode=WAL")
            # A killed program loses nothing; a power cut may take the last trials, which are then made again.
            opened.execute("PRAGMA synchronous=NORMAL")
            opened.executescript(SCHEMA)
            opened.execute("INSERT OR IGNORE INTO about VALUES ('format', ?)", (FORMAT,))
            opened.execute("INSERT OR IGNORE INTO about VALUES ('tool', ?)", (__version__,))
        except sqlite3.OperationalError as error:
            opened.close()
            if not self.path.is_file() or error.sqlite_errorcode & 0xFF not in UNWRITABLE:
                raise
            log = self.path.with_name(self.path.name + "-wal")
            unlogged = not log.exists() or not log.stat().st_size
            return _connected(f"{self.path.absolute().as_uri()}?{'immutable=1' if unlogged else 'mode=ro'}")
        return opened

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Say of everything that a file can be what it means for the user."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise _explained(self.path, error) from error
        except ValueError as error:
            raise UsageError(f"{self.path}: damaged: a record cannot be read; {ANOTHER}") from error

    def _rows(self, question: str, *values: str) -> list[Any]:
        with self._translated():
            return self._database.execute(question, values).fetchall()

    def _now(self) -> float:
        """Return the time, later than any before: what is newest must not depend on clocks that are set."""
        self._latest = max(time.time(), self._latest + 1e-6)
        return self._latest

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._one_at_a_time:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield
                self._database.execute("COMMIT")
            except BaseException as error:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                if isinstance(error, sqlite3.DatabaseError):
                    raise _explained(self.path, error) from error
                raise

    def describe_context(self, digest: str, description: Mapping[str, Any]) -> None:
        """Record once what a context stands for: subject, build, environment, seed."""
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO context VALUES (?, ?, ?)",
                (digest, json.dumps(description, sort_keys=True), self._now()),
            )

    def context(self, digest: str) -> dict[str, Any]:
        """Return the description of a context; empty where there is none."""
        rows = self._rows("SELECT description FROM context WHERE digest = ?", digest)
        with self._translated():
            return json.loads(rows[0][0]) if rows else {}

    def record(self, context: str, block: Block, trial: Trial) -> None:
        """Add one trial in one transaction; a trial that is there already stays as it is."""
        step = block.steps[trial.position]
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO trial VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    context,
                    trial.block,
                    trial.position,
                    block.benchmark,
                    block.kind.value,
                    _STEP.dump_json(step).decode(),
                    trial.status.value,
                    trial.reason,
                    trial.invocations,
                    array("d", trial.values).tobytes(),
                    _TALLY.dump_json(trial.tally, exclude_defaults=True).decode() if trial.tally else None,
                    trial.wall_s,
                    self._now(),
                    trial.executed_whole,
                    trial.outside_s,
                ),
            )

    def place(self, context: str, trials: Iterable[Trial], host: str) -> None:
        """Add on which of several hosts trials were made; this machine needs no mention."""
        with self._transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO place VALUES (?, ?, ?, ?)",
                [(context, trial.block, trial.position, host) for trial in trials],
            )

    def trials(self, context: str, block: str) -> dict[int, Trial]:
        """Return what is recorded of a block: position → trial."""
        rows = self._rows(
            f"SELECT {TRIAL} FROM trial WHERE context = ? AND block = ?",  # noqa: S608 - our own columns
            context,
            block,
        )
        with self._translated():
            return {row[0]: _trial(block, row) for row in rows}

    def spent(self, context: str, kind: BlockKind | None = None) -> tuple[int, float]:
        """Return how many trials a context holds, or only those of a kind, and how many seconds they took."""
        ((count, wall_s),) = self._rows(
            "SELECT COUNT(*), COALESCE(SUM(wall_s), 0) FROM trial WHERE context = ? AND kind GLOB ?",
            context,
            kind.value if kind else "*",
        )
        return int(count), float(wall_s)

    def measured(self, context: str, kind: BlockKind) -> frozenset[str]:
        """Return the benchmarks of which a context holds trials of a kind."""
        rows = self._rows(
            "SELECT DISTINCT benchmark FROM trial WHERE context = ? AND kind = ?", context, kind.value
        )
        return frozenset(benchmark for (benchmark,) in rows)

    def unslowed(self) -> Iterator[Sample]:
        """Yield the newest unslowed suite runs as they were measured: a host is an instance, a run a trial.

        Blocks of such runs are named `runs/SEED/RUN/BENCHMARK`.
        """
        question = (
            "SELECT benchmark, block, sample, COALESCE(host, '1')"
            " FROM trial LEFT JOIN place USING (context, block, position)"
            " WHERE kind = ? AND status = ? AND context = (SELECT context FROM trial WHERE kind = ?"
            " ORDER BY recorded_at DESC LIMIT 1) ORDER BY recorded_at"
        )
        kind = BlockKind.UNSLOWED.value
        with self._translated():
            # Row by row: of a million of them one at a time is in memory.
            for benchmark, block, sample, host in self._database.execute(
                question, (kind, Status.OK.value, kind)
            ):
                yield Sample(
                    benchmark=intern(benchmark),
                    instance=intern(host),
                    trial=intern(block.split("/")[2]),
                    values=array("d", sample),
                )

    def pairs(self, name: str) -> Iterator[tuple[str, str, Step, Trial]]:
        """Yield context, benchmark, step and trial of what counts in a design, in the order of recording.

        Such blocks are named `NAME[ again]/SEED/runN/FIRST/BENCHMARK/ARMS`; names have one slash.
        """
        question = (
            f"SELECT context, benchmark, step, block, {TRIAL} FROM trial"  # noqa: S608 - our own columns
            " WHERE kind = ? AND status = ? AND block GLOB ? ORDER BY recorded_at, position"
        )
        values = (BlockKind.CELLS.value, Status.OK.value, f"{name}[ /]*")
        with self._translated():
            for context, benchmark, step, block, *row in self._database.execute(question, values):
                yield context, benchmark, _STEP.validate_json(step), _trial(block, tuple(row))

    def add_samples(self, source: str, samples: Iterable[Sample]) -> int:
        """Keep what a file holds, replacing what was imported under that name; return how many samples.

        One transaction: a file that turns out to be broken in the middle leaves nothing behind.
        """
        count = 0
        source = source.encode("utf-8", "backslashreplace").decode()
        with self._transaction():
            self._database.execute("DELETE FROM imported WHERE source = ?", (source,))
            for sample in samples:
                origin = (source, sample.benchmark, sample.instance, sample.trial, sample.fork, sample.unit)
                self._database.execute(
                    "INSERT INTO imported VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*origin, array("d", sample.values).tobytes()),
                )
                count += 1
        return count

    def samples(self) -> Iterator[Sample]:
        """Yield everything imported, in its order; of several files each is trials of its own."""
        ((sources,),) = self._rows("SELECT COUNT(DISTINCT source) FROM imported")
        query = "SELECT source, benchmark, instance, trial, fork, unit, sample FROM imported ORDER BY rowid"
        with self._translated():
            for source, benchmark, instance, trial, fork, unit, sample in self._database.execute(query):
                yield Sample(
                    benchmark=intern(benchmark),
                    instance=intern(instance),
                    trial=intern(f"{source}: {trial}" if sources > 1 else trial),
                    fork=intern(fork),
                    values=array("d", sample),
                    unit=intern(unit),
                )

    def store(self, context: str, kind: ResultKind[T], result: T) -> None:
        """Keep a result under its kind, replacing an older one."""
        document = kind.adapter.dump_json(result, exclude_defaults=True).decode()
        with self._transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)",
                (context, kind.name, document, self._now()),
            )

    def load(self, context: str, kind: ResultKind[T]) -> T | None:
        """Return a kept result, or None."""
        rows = self._rows("SELECT document FROM result WHERE context = ? AND kind = ?", context, kind.name)
        with self._translated():
            return kind.adapter.validate_json(rows[0][0]) if rows else None

    def every(self, kind: ResultKind[T]) -> dict[str, T]:
        """Return the results of a kind by their context, the newest first."""
        rows = self._rows(
            "SELECT context, document FROM result WHERE kind = ? ORDER BY recorded_at DESC", kind.name
        )
        with self._translated():
            return {context: kind.adapter.validate_json(document) for context, document in rows}

    def absorb(self, other: "Session") -> None:
        """Take over everything that another session holds; what is here already stays as it is."""
        for table in ("context", "trial", "place", "imported", "result"):
            rows = other._rows(f"SELECT * FROM {table}")  # noqa: S608 - a name from the line above
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                with self._transaction():
                    self._database.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _connected(name: str) -> sqlite3.Connection:
    # Threads that wait for hosts of a cluster record as well, one at a time.
    return sqlite3.connect(
        name, isolation_level=None, timeout=WAITED_S, check_same_thread=False, uri=name.startswith("file:")
    )


def _explained(path: Path, error: sqlite3.DatabaseError) -> AbsAuditError:
    """Return what an error of the database means: for the file, for its version, for the machine."""
    code = error.sqlite_errorcode & 0xFF if hasattr(error, "sqlite_errorcode") else sqlite3.SQLITE_CORRUPT
    if code == sqlite3.SQLITE_ERROR:
        return MismatchError(f"{path}: written by another version of abs-audit ({error}); {ANOTHER}")
    if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT} or path.is_dir():
        return UsageError(
            f"{path}: expected a session file of abs-audit, found something else or a damaged one ({error}); "
            f"{ANOTHER}"
        )
    if code == sqlite3.SQLITE_READONLY:
        return UnfitEnvironmentError(
            f"{path}: can be read but not written; copy it to where you may write, or {ANOTHER}"
        )
    return UnfitEnvironmentError(
        f"{path}: cannot record ({error}); what was recorded before is safe, "
        "make room or free the file and repeat the command"
    )


def _begin(path: Path) -> None:
    """Make a session that is whole from the first moment on: an empty file is none, whoever left it."""
    beginning = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with contextlib.closing(_connected(str(beginning))) as opened:
            # Else those who open it first would have to agree who may turn that on.
            opened.execute("PRAGMA journal_mode=WAL")
            opened.executescript(SCHEMA)
        # Who was faster made as good a one; where files cannot have two names, it is made in its place.
        with contextlib.suppress(OSError):
            os.link(beginning, path)
    finally:
        beginning.unlink(missing_ok=True)


def _trial(block: str, row: tuple[Any, ...]) -> Trial:
    position, status, reason, invocations, sample, tally, wall_s, executed_whole, outside_s = row
    return Trial(
        block=block,
        position=position,
        status=Status(status),
        reason=reason,
        invocations=invocations,
        values=tuple(array("d", sample)),
        tally=_TALLY.validate_json(tally) if tally else None,
        wall_s=wall_s,
        executed_whole=executed_whole,
        outside_s=outside_s,
    )
