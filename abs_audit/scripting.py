"""The program from Python: what a session holds as tables, and audits without a shell."""

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abs_audit.analyses.score import text
from abs_audit.analyses.score.advice import by_attention
from abs_audit.analyses.score.document import CellPart, MethodPart, ScoreDocument
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.score.record import newest
from abs_audit.cli import audit as command
from abs_audit.cli.command import call
from abs_audit.cli.options import SESSION
from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.experiment.recorded_samples import of_session
from abs_audit.experiment.session import Session as Recorded
from abs_audit.report.exports.tables import PLAIN_COLUMNS, rows_of
from abs_audit.report.html import frame


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedScore:
    """The score of one suite; a notebook shows it as a table."""

    subject: str
    framework: str
    result: Score = field(repr=False)
    """All of it, as the program has it: rates are 0..1."""

    @property
    def total(self) -> float:
        """Detected ÷ methods, 0..1; methods without a verdict stay in the denominator."""
        return self.result.total

    @property
    def interval(self) -> tuple[float, float]:
        """What the methods without a verdict could still make of the total, 0..1."""
        return self.result.interval

    @property
    def verdicts(self) -> dict[str, str]:
        """Method id → detected, missed, unreached or no-verdict."""
        return {method.method: method.verdict.value for method in self.result.methods}

    @property
    def methods(self) -> Any:
        """A table with a row a method."""
        rows = [part.model_dump(mode="json") for part in ScoreDocument.read(self.result).methods]
        return _table(rows, tuple(MethodPart.model_fields))

    @property
    def cells(self) -> Any:
        """A table with a row a cell: one benchmark × one method."""
        rows = [part.model_dump(mode="json") for part in ScoreDocument.read(self.result).cells]
        return _table(rows, tuple(CellPart.model_fields))

    def document(self) -> dict[str, Any]:
        """Return what `abs-audit score --json` prints."""
        return ScoreDocument.read(self.result).model_dump(mode="json")

    def __str__(self) -> str:
        return text.answer(self.result)

    def _repr_html_(self) -> str:
        """Return what a notebook shows; names of the audited project are escaped."""
        methods = by_attention(self.result.methods)
        return frame.part("score/table.html.j2", score=self.result, methods=methods, text=text)


class Session:
    """A session file, opened for reading; nothing of the subject is executed or looked at."""

    def __init__(self, path: str | Path = SESSION) -> None:
        """Name the file; raise UsageError where there is none."""
        self.path = Path(path)
        if not self.path.is_file():
            raise UsageError(f"{self.path}: no such session; measure one with: abs-audit audit")

    def __repr__(self) -> str:
        return f"Session({str(self.path)!r})"

    @property
    def scores(self) -> Mapping[str, RecordedScore]:
        """The newest score of each suite: framework → score; empty where none is recorded."""
        with contextlib.closing(Recorded(self.path)) as session:
            records = newest(session)
        return {
            name: RecordedScore(subject=record.identity.subject, framework=name, result=record.result)
            for name, record in records.items()
        }

    @property
    def score(self) -> RecordedScore:
        """The newest score; raise UsageError where none is recorded."""
        for score in self.scores.values():
            return score
        raise UsageError(f"{self.path}: no score is recorded; make one with: abs-audit score")

    @property
    def cells(self) -> Any:
        """The cells of the newest score, as a table."""
        return self.score.cells

    @property
    def values(self) -> Any:
        """A table of all measured values of unslowed runs and imported files, in seconds."""
        rows = [dict(zip(PLAIN_COLUMNS, row, strict=True)) for row in rows_of(of_session(self.path))]
        return _table(rows, PLAIN_COLUMNS)


def audit(subject: str | Path = ".", **options: Any) -> Session:
    """Audit a checkout as `abs-audit audit` does, page included, and return the session.

    Options are those of the command with underscores, as text, numbers or paths, and as sequences of them
    where the command takes several: `methods="methods.json"`, `method=["pkg.render"]`, `slowdown=0.5`,
    `budget_time="10m"`, `session="audit.db"`, `html="page.html"`. What is recorded already is not made again.
    Raises UsageError for what the command refuses, ControlFailedError where the suite does not build or run.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        call(command.audit, {"subject": subject, **options})
    return Session(options.get("session", SESSION))


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Return rows as pandas has them, else as Arrow; raise UnfitEnvironmentError without either."""
    by_column = {column: [row[column] for row in rows] for column in columns}
    with contextlib.suppress(ImportError):
        import pandas  # noqa: PLC0415 - an optional part, and a large one

        return pandas.DataFrame(by_column)
    with contextlib.suppress(ImportError):
        import pyarrow  # noqa: PLC0415

        return pyarrow.table(by_column)
    raise UnfitEnvironmentError(
        "tables need pandas or pyarrow, and neither is installed; install one with: pip install pyarrow"
    )
