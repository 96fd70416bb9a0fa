"""`rootcause` from the command line: wrong words, and one small search for real."""

import json
import sys
from pathlib import Path

import pytest

from abs_audit.analyses.rootcause.measuring import call_trees
from tests.cli.conftest import Run
from tests.support.controlled import State, python
from tests.support.repositories import Commit, git, made
from tests.support.schemas import validate

BENCHMARK = "benchmarks/test_books.py::test_report"


def library(root: Path, slow_from: int, size: int = 5) -> list[str]:
    states = [
        State(level=8 if number >= slow_from else 1, edition=1, other=1, notes=number)
        for number in range(size)
    ]
    return made(
        root, [Commit(parents=[n - 1] if n else [], files=python(state)) for n, state in enumerate(states)]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--good", "nothing", "--bad", "main"], "--good nothing: no such commit in"),
        (["--good", "main", "--bad", "main"], "are the same commit"),
        (["--good", "main", "--bad", "c1"], "exchange them"),
        (
            ["--good", "c1", "--bad", "main", "--overlay", "absent"],
            "--overlay absent: expected a file or folder",
        ),
        (
            ["--good", "c1", "--bad", "main", "--rule", "guess"],
            "--rule guess: expected one of default, paper",
        ),
        (["--good", "c1"], "which commits? Give a later one"),
    ],
)
def test_a_wrong_word_is_answered_with_what_was_expected(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    library(tmp_path / "lib", 3)

    code, stdout, stderr = run("rootcause", "lib", *arguments, "--benchmark", BENCHMARK)

    assert (2, "", True) == (code, stdout, message in stderr), stderr


def test_outside_of_git_there_is_no_history_to_search(run: Run, tmp_path: Path) -> None:
    library(tmp_path / "lib", 3)
    (tmp_path / "lib" / ".git").rename(tmp_path / "gone")

    code, _, stderr = run("rootcause", "lib", "--good", "a", "--bad", "b", "--benchmark", BENCHMARK)

    assert (2, True) == (code, "expected a git repository" in stderr)


def test_a_benchmark_that_the_good_commit_lacks_says_how_to_bring_it_there(run: Run, tmp_path: Path) -> None:
    library(tmp_path / "lib", 3)

    code, _, stderr = run(
        *("rootcause", "lib"),
        *("--good", "c1", "--bad", "main", "--benchmark", "benchmarks/test_books.py::test_reprot"),
        *("--interpreter", sys.executable),
    )

    assert 3 == code
    assert f"it has no benchmark benchmarks/test_books.py::test_reprot; did you mean {BENCHMARK}?" in stderr
    assert "--overlay FILE" in stderr


def test_commit_and_method_are_found_for_real(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = library(tmp_path / "lib", 2, size=3)
    (tmp_path / "abs-audit.toml").write_text("iteration_s = 0.002\n")
    # Fewer processes than in earnest: the difference is as large as a barn door.
    monkeypatch.setattr(call_trees, "PROCESSES", 4)
    monkeypatch.setattr(call_trees, "FEWEST", 2)
    before = git(tmp_path / "lib", "status", "--porcelain=v2", "--branch")

    code, out, log = run(
        *("rootcause", "lib", "--good", "c1", "--bad", "main", "--benchmark", BENCHMARK, "--json", "-q"),
        *("--config", "abs-audit.toml", "--interpreter", sys.executable, "--html", "page.html"),
    )

    assert 0 == code, log
    found = json.loads(out)
    validate(found)
    assert ids[2] == found["cause"]
    assert ["books._weigh"] == [node["method"] for node in found["tree"] if node["cause"]]
    assert "books._weigh" == found["changed_methods"][0]["method"]
    assert found["changed_methods"][0]["suspicion"] > 0.5
    assert f"<h1>Commit {ids[2][:12]} made it" in (tmp_path / "page.html").read_text()
    assert before == git(tmp_path / "lib", "status", "--porcelain=v2", "--branch")
