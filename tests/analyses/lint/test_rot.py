"""Which commit broke a benchmark: real commits, a suite that is only pretended to run."""

import json
from pathlib import Path

import pytest

from abs_audit.analyses.lint.measure import GONE, rot
from abs_audit.analyses.lint.model import Rotten
from abs_audit.errors import ControlFailedError, UsageError
from tests.support.pretended import BENCHMARK
from tests.support.repositories import Commit, made
from tests.support.search_context import CommandContext

SIZE = 12
HANGS = "timed-out: the process ended without a result (killed at its time limit): it printed nothing"


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandContext:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    return CommandContext(folder=tmp_path)


def line(root: Path, fails: dict[int, object]) -> list[str]:
    """A linear history; from each number on holds what is said of it: how all fail, or what there is."""
    commits, now = [], {}
    for number in range(SIZE):
        news = fails.get(number, now)
        now = news if isinstance(news, dict) else {"fails": news}
        costs = json.dumps({"time": 1.0, "methods": {}, **now})
        commits.append(
            Commit(
                parents=[number - 1] if number else [],
                files={"costs.json": costs, "notes": f"{number}\n"},
                message=f"change {number}",
            )
        )
    return made(root, commits)


def searched(context: CommandContext, root: Path, ids: list[str]) -> dict[str, Rotten]:
    case = context.case(root, ids[0], ids[-1])
    return {rotten.benchmark: rotten for rotten in rot(case.project, case.runtime, ids[0])}


def test_nothing_is_rotten_where_everything_works(tmp_path: Path, context: CommandContext) -> None:
    assert {} == searched(context, tmp_path / "lib", line(tmp_path / "lib", {}))


@pytest.mark.parametrize(
    ("fails", "names", "reason"),
    [
        ("absent", {BENCHMARK}, GONE),
        ("hang", {BENCHMARK, "other"}, HANGS),
        ("build", {BENCHMARK, "other"}, "it does not compile"),
    ],
)
@pytest.mark.parametrize("broke", [1, 7, SIZE - 1])
def test_the_commit_is_named_since_which_a_benchmark_does_not_work(
    tmp_path: Path, context: CommandContext, broke: int, fails: str, names: set[str], reason: str
) -> None:
    ids = line(tmp_path / "lib", {broke: fails})
    rotten = searched(context, tmp_path / "lib", ids)
    assert names == rotten.keys()
    for benchmark in rotten.values():
        assert benchmark.since is not None
        assert (ids[broke], f"change {broke}", reason) == (
            benchmark.since.commit,
            benchmark.since.subject,
            benchmark.reason,
        )
        assert () == benchmark.suspects
    # Both ends, and a bisection of the eleven commits between: never one twice.
    built = [place for place, purpose in context.executor.asked if purpose == "build"]
    assert len(built) <= 2 + 4


def test_commits_that_do_not_build_are_gone_around_and_named_where_they_may_be_the_first(
    tmp_path: Path, context: CommandContext
) -> None:
    ids = line(tmp_path / "lib", {4: "build", 6: "absent"})
    rotten = searched(context, tmp_path / "lib", ids)[BENCHMARK]
    assert rotten.since is not None
    assert (ids[6], set(ids[4:6])) == (rotten.since.commit, set(rotten.suspects))


def test_a_file_that_cannot_be_read_says_why_its_benchmarks_are_gone(
    tmp_path: Path, context: CommandContext
) -> None:
    whole = {"names": ["a.py::x", "a.py::y", "b.py::z"]}
    torn = {"names": ["b.py::z"], "unreadable": ["a.py", "new.py"]}
    ids = line(tmp_path / "lib", {0: whole, 5: torn})
    rotten = searched(context, tmp_path / "lib", ids)
    assert {"a.py::x", "a.py::y", "new.py"} == rotten.keys()
    assert {("ImportError", ids[5])} == {
        (benchmark.reason, benchmark.since.commit) for benchmark in rotten.values() if benchmark.since
    }


def test_what_never_worked_has_no_commit(tmp_path: Path, context: CommandContext) -> None:
    rotten = searched(context, tmp_path / "lib", line(tmp_path / "lib", {0: "hang"}))
    assert [None, None] == [benchmark.since for benchmark in rotten.values()]


def test_a_beginning_that_does_not_build_is_no_beginning(tmp_path: Path, context: CommandContext) -> None:
    ids = line(tmp_path / "lib", {0: "build", 3: ""})
    with pytest.raises(ControlFailedError, match=r"--rot .*: no benchmark can be tried at .*: it does not"):
        searched(context, tmp_path / "lib", ids)


def test_a_revision_that_is_not_there_is_named_as_it_was_given(
    tmp_path: Path, context: CommandContext
) -> None:
    ids = line(tmp_path / "lib", {})
    case = context.case(tmp_path / "lib", ids[0], ids[-1])
    with pytest.raises(UsageError, match="--rot v9: no such commit in"):
        rot(case.project, case.runtime, "v9")
    with pytest.raises(UsageError, match="--rot HEAD: no commit lies between it and HEAD"):
        rot(case.project, case.runtime, "HEAD")
