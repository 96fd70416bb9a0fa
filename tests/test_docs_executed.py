"""Commands of the documentation that need a checkout and a session, and nothing else, are executed."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.score.record import KIND, identity
from abs_audit.analyses.stability import measure as stability
from abs_audit.config import Settings
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.session import Session
from abs_audit.experiment.unslowed_runs import SuiteRuns
from abs_audit.formats.sample import Sample
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.cli.conftest import Run, checkout, run
from tests.support import builders as b
from tests.support.recorded_scores import record
from tests.support.repositories import git
from tests.test_docs import command_lines

__all__ = ["checkout", "run"]  # fixtures

BENCHMARK = "benchmarks/test_it.py::test_render"
NOTICED = b.cell("pkg.render", BENCHMARK)
MISSED = b.cell("pkg.parse", BENCHMARK, Verdict.MISSED, share=0.1)
SESSIONS = {"old": None, "new": None, "whole": None, "shard-1": "1/2", "shard-2": "2/2"}
CHEAP = {"report", "merge", "config", "init", "doctor", "detectable", "lint", "redundancy", "select"}
"""Commands that execute nothing of a subject where the session has what they ask for."""


def cheap() -> list[Any]:
    """Return the command lines that are whole and execute nothing of a subject."""
    lines = [line for line in command_lines() if line.values[0][1] in CHEAP]
    return [
        line for line in lines if "--rot" not in line.values[0] and not re.search(r"\b[A-Z]{3,}\b", line.id)
    ]


@pytest.mark.parametrize("words", cheap())
def test_a_command_of_the_documentation_does_what_it_says(
    words: list[str], run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(checkout, "init", "-q")
    monkeypatch.chdir(checkout)
    (project,) = open_projects(checkout, Settings())
    keep(project, Path(".abs-audit/session.db"), NOTICED, MISSED)
    for name, shard in SESSIONS.items():
        if not (words[1] == "merge" and name == "whole"):
            keep(project, Path(f"{name}.db"), NOTICED, MISSED, shard=shard)
    code, out, err = run(*arguments(words))
    assert (0, True) == (code, bool(out or err)), err
    pages = [word for word in words if word.endswith(".html") and word != "FILE"]
    assert all("<h1>" in Path(page).read_text(encoding="utf-8") for page in pages)


def arguments(words: list[str]) -> Iterator[str]:
    """Yield what a shell makes of a command line."""
    for word in words[1:]:
        yield from sorted(map(str, Path().glob(word))) if "*" in word else [word]


def keep(project: Project, path: Path, *cells: CellVerdict, shard: str | None = None) -> None:
    """Write a session with what a score and unslowed runs of a project leave."""
    of_project = replace(record(*cells, shard=shard), identity=identity(project))
    spread = b.stability(b.spread(BENCHMARK))
    runs = SuiteRuns(values={BENCHMARK: ((1.0, 1.1), (1.0, 1.2))}, durations={BENCHMARK: 1.0})
    steady = stability.StabilityRecord(discovery=b.discovery(BENCHMARK), runs=runs, result=spread)
    with contextlib.closing(Session(path)) as session:
        session.store(project.digest, KIND, of_project)
        session.store(project.digest, stability.KIND, steady)
        session.add_samples(
            "runs", [Sample(benchmark=BENCHMARK, trial=str(n), values=(1.0, 1.1)) for n in range(6)]
        )


def test_commands_are_executed_at_all() -> None:
    assert {"report", "merge", "select", "config", "lint"} <= {line.values[0][1] for line in cheap()}
