"""A change that touches no asked method is answered from the score before, without executing anything."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.analyses.score import since
from abs_audit.analyses.score.record import Request, ScoreRecord
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import Verdict
from tests.cli.conftest import Run
from tests.support.builders import cell
from tests.support.recorded_scores import keep, record
from tests.support.repositories import git

NEW = "\n\ndef shout(text):\n    return text + '!'\n"


@pytest.fixture
def reviewed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose score is recorded, with a new function that nobody has asked about."""
    git(checkout, "init", "-q")
    git(checkout, "add", ".")
    git(checkout, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first")
    monkeypatch.chdir(checkout)
    keep(checkout)
    source = checkout / "pkg" / "__init__.py"
    source.write_text(source.read_text() + NEW)
    return checkout


def test_the_answer_says_what_is_old_what_it_rests_on_and_what_was_not_asked(
    run: Run, reviewed: Path
) -> None:
    asked = ("score", str(reviewed), "--method", "pkg.render", "--slowdown", "0.5", "--since", "HEAD")
    code, out, err = run(*asked)
    assert 0 == code, err
    told = " ".join(out.split())
    assert "A/A 0 of 1 comparisons of control with control raised a false alarm" in told
    assert "it touches none of these methods; 1 answer from the score before" in told
    assert "the methods file does not name what is new: pkg.shout" in told
    assert "unknown" not in told
    assert "other sources" not in told
    _, out, _ = run(*asked, "--json")
    assert ["pkg.shout"] == json.loads(out)["since"]["unasked"]


def test_the_score_of_the_revision_counts_and_not_that_of_another_change(run: Run, reviewed: Path) -> None:
    benchmark = reviewed / "benchmarks" / "test_it.py"
    before = benchmark.read_text()
    benchmark.write_text(f"{before}\n\nMORE = 1\n")
    keep(reviewed, Verdict.MISSED)
    benchmark.write_text(before)
    asked = ("score", str(reviewed), "--method", "pkg.render", "--slowdown", "0.5", "--since", "HEAD")
    code, out, err = run(*asked)
    assert 0 == code, err
    assert out.startswith("1 of 1 method (100%) would be noticed")


@pytest.mark.parametrize(
    ("listed", "answer"),
    [(("render", "shout"), "2 of 2 methods (100%)"), (("shout",), "1 of 2 methods (50%)")],
)
def test_an_answer_from_before_rests_on_the_benchmarks_that_are_still_there(
    run: Run, reviewed: Path, monkeypatch: pytest.MonkeyPatch, listed: tuple[str, ...], answer: str
) -> None:
    """Whether their cells were worth an unslowed run for what the change touches says nothing of them."""

    def measured(*_: object) -> ScoreRecord:
        own = {"shout": Verdict.DETECTED, "render": Verdict.UNREACHED}
        made = record(
            *(cell("pkg.shout", f"benchmarks/test_it.py::test_{name}", own[name]) for name in listed)
        )
        spreads = {"benchmarks/test_it.py::test_shout": 0.01}
        return replace(made, evidence=replace(made.evidence, spreads=spreads))

    monkeypatch.setattr(since, "in_time", measured)
    asked = ("--method", "pkg.render", "--method", "pkg.shout", "--slowdown", "0.5", "--since", "HEAD")
    _, out, err = run("score", str(reviewed), *asked)
    assert out.startswith(answer), err


@pytest.mark.parametrize(("cause", "asked"), [(Cause.BUDGET, ["pkg.render"]), (Cause.NOISY, [])])
def test_what_the_score_before_did_not_come_to_is_asked_now(
    run: Run, reviewed: Path, monkeypatch: pytest.MonkeyPatch, cause: Cause, asked: list[str]
) -> None:
    measured: list[str] = []

    def measure(_project: object, _runtime: object, request: Request) -> ScoreRecord:
        measured.extend(request.methods)
        return record(cell("pkg.render", "benchmarks/test_it.py::test_render"))

    git(reviewed, "stash", "-q")
    keep(reviewed, Verdict.NO_VERDICT, explanation=Explanation(cause=cause))
    git(reviewed, "stash", "pop", "-q")
    monkeypatch.setattr(since, "in_time", measure)
    code, _, err = run(
        "score", str(reviewed), "--method", "pkg.render", "--slowdown", "0.5", "--since", "HEAD"
    )
    assert (asked, 4 * (not asked)) == (measured, code), err


def test_a_score_of_other_sources_says_that_it_is_one(run: Run, reviewed: Path) -> None:
    Path(".abs-audit/session.db").unlink()
    keep(reviewed)
    _, out, _ = run("score", str(reviewed), "--method", "pkg.render", "--slowdown", "0.5", "--since", "HEAD")
    assert "the score before is of other sources than HEAD" in " ".join(out.split())
