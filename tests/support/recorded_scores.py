"""Sessions with a recorded score, without anything having been measured."""

import contextlib
from dataclasses import replace
from pathlib import Path

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score.model import Cost, Evidence, ScoreSettings
from abs_audit.analyses.score.record import KIND, Identity, Request, ScoreRecord, identity
from abs_audit.config import Settings
from abs_audit.experiment.projects import open_projects
from abs_audit.experiment.session import Session
from abs_audit.model.cells import Cells
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict
from tests.support.builders import cell

COST = Cost(total_s=60.0, benchmark_s=40.0, build_s=5.0, paper_protocol_s=None)
IDENTITY = Identity(subject="lib", framework="pytest-benchmark", sources="d1")


def record(*cells: CellVerdict, shard: str | None = None, slowdown: float = 0.5) -> ScoreRecord:
    """Return the score that follows from cells; asked about their methods."""
    methods = tuple(dict.fromkeys(cell.method for cell in cells))
    spreads: dict[str, float | None] = dict.fromkeys((cell.benchmark for cell in cells), 0.01)
    evidence = Evidence(methods=methods, cells=Cells.of(cells), skipped=(), spreads=spreads)
    settings = ScoreSettings(
        protocol="switched",
        slowdown=slowdown,
        runs=2,
        false_alarms=FalseAlarms(cells=len(spreads), alarms=0),
        cost=COST,
    )
    return ScoreRecord(
        request=Request(
            methods=methods,
            source="--methods",
            slowdown=slowdown,
            protocol="switched",
            settle_all=True,
            shard=shard,
        ),
        context="built",
        trials=len(cells),
        shares={},
        identity=IDENTITY,
        evidence=evidence,
        result=scores.score(evidence, settings),
    )


def session(path: Path, made: ScoreRecord, **about: str) -> Path:
    """Write a session that holds a score and return its path; `about` changes what it is about."""
    with contextlib.closing(Session(path)) as opened:
        opened.store("context", KIND, replace(made, identity=replace(IDENTITY, **about)))
    return path


def keep(checkout: Path, *verdict: Verdict, **changes: object) -> None:
    """Write a score of the checkout that `tests.cli` makes, as it stands, into the session of this folder."""
    keep_cells(checkout, cell("pkg.render", "benchmarks/test_it.py::test_render", *verdict, **changes))


def keep_cells(checkout: Path, *cells: CellVerdict) -> None:
    """Write the score that follows from cells."""
    (project,) = open_projects(checkout, Settings())
    of_project = record(*cells)
    with contextlib.closing(Session(Path(".abs-audit/session.db"))) as session:
        session.store(project.digest, KIND, replace(of_project, identity=identity(project)))
