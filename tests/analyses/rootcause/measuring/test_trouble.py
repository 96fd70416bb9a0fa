"""Commits that cannot be measured, ends that cannot, interruptions, and checkouts in disorder."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.rootcause.commits.rules import MidpointRule
from abs_audit.analyses.rootcause.measure import measure
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.experiment.session import ResultKind, Session
from tests.support.pretended import PretendedExecutor
from tests.support.repositories import Commit, git, made
from tests.support.search_context import CommandContext

SIZE = 20
CAUSE = 13


def files(number: int, fails: str | None = None, steps: int = CAUSE, **more: str) -> dict[str, str]:
    time = 2.0 if number >= steps else 1.0
    costs = {
        "time": time,
        "methods": {"lib.work": {"callers": {"": 1}, "time": time}},
        "fails": fails,
        **more,
    }
    source = f"def work():\n    return {int(time)}\n"
    return {"lib/__init__.py": source, "costs.json": json.dumps(costs), "notes": f"{number}\n"}


def line(root: Path, fails: dict[int, str] | None = None) -> list[str]:
    """A linear history of 20 commits; the 13th makes it slower."""
    return made(
        root,
        [
            Commit(
                parents=[number - 1] if number else [],
                files=files(number, (fails or {}).get(number)),
                message=f"change {number}",
            )
            for number in range(SIZE)
        ],
    )


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("build", "build failed (exit code 1)"),
        ("hang", "timed-out: the process ended without a result (killed at its time limit)"),
        ("crash", "failed: the process ended without a result (exit code 1)"),
        ("absent", "it has no benchmark bench; it has 1 others"),
    ],
)
def test_commits_that_cannot_be_measured_are_gone_around_with_their_reason(
    tmp_path: Path, context: CommandContext, fails: str, reason: str
) -> None:
    ids = line(tmp_path / "lib", dict.fromkeys((8, 9, 10), fails))

    result = context.measure(tmp_path / "lib", ids[0], ids[-1])

    assert ids[CAUSE] == result.cause
    skipped = [one for one in result.measured if one.reason]
    assert skipped
    assert all((one.mean_s, one.category) == (None, None) for one in skipped)
    assert all(reason in one.reason for one in skipped)
    assert any("could not be measured and left out" in warning for warning in result.warnings)


def test_a_benchmark_that_breaks_down_alone_is_selected_with_what_it_is_part_of(
    tmp_path: Path, context: CommandContext
) -> None:
    commits = [
        Commit(parents=[number - 1] if number else [], files=files(number, steps=1, whole="parent"))
        for number in range(2)
    ]
    ids = made(tmp_path / "lib", commits)
    result = context.measure(tmp_path / "lib", ids[0], ids[-1])
    assert ["pretend parent"] == [hint.command for hint in result.hints if "selects" in hint.purpose]


def test_a_commit_without_the_suite_is_skipped(tmp_path: Path, context: CommandContext) -> None:
    commits = [
        Commit(parents=[number - 1] if number else [], files={"notes": "1"} if number == 9 else files(number))
        for number in range(SIZE)
    ]
    ids = made(tmp_path / "lib", commits)

    result = context.measure(tmp_path / "lib", ids[0], ids[-1])

    assert ids[CAUSE] == result.cause
    assert {"it holds no pretended suite"} == {one.reason for one in result.measured if one.reason}


def test_a_cause_beside_broken_commits_is_told_with_them(tmp_path: Path, context: CommandContext) -> None:
    ids = line(tmp_path / "lib", dict.fromkeys((11, 12), "build"))

    result = context.measure(tmp_path / "lib", ids[0], ids[-1])

    assert (ids[CAUSE], tuple(ids[11:14])) == (result.cause, result.regressions[0].suspects)
    assert any("2 commits before the cause could not be measured" in text for text in result.warnings)


@pytest.mark.parametrize(("place", "option"), [(0, "--good"), (SIZE - 1, "--bad")])
def test_an_end_that_cannot_be_measured_ends_the_search_each_time(
    tmp_path: Path, context: CommandContext, place: int, option: str
) -> None:
    ids = line(tmp_path / "lib", {place: "absent"})

    for _ in range(2):
        with pytest.raises(ControlFailedError, match=f"{option} .* it has no benchmark bench.*--overlay"):
            context.measure(tmp_path / "lib", ids[0], ids[-1])


def test_an_overlaid_benchmark_is_there_in_every_commit(tmp_path: Path, context: CommandContext) -> None:
    commits = [
        Commit(parents=[n - 1] if n else [], files={**files(n), "bench/new": "", "level": str(n)})
        for n in range(SIZE)
    ]
    ids = made(tmp_path / "lib", commits)
    (tmp_path / "lib" / "bench" / "new").write_text("not committed yet")
    (tmp_path / "lib" / "bench" / "more").write_text("nor this")
    seen: list[tuple[str, bool]] = []
    context.executor.before = lambda _purpose: seen.extend(
        (path.read_text(), path.with_name("more").exists())
        for path in (tmp_path / "cache" / "commits").glob("*/*/bench/new")
    )

    measure(context.case(tmp_path / "lib", ids[0], ids[-1], laid=["bench"]))

    assert {("not committed yet", True)} == set(seen)


@pytest.mark.parametrize("laid", ["nothing", "/etc/passwd", "../lib/notes"])
def test_what_is_not_in_the_checkout_cannot_be_overlaid(
    tmp_path: Path, context: CommandContext, laid: str
) -> None:
    ids = line(tmp_path / "lib")

    with pytest.raises(UsageError, match=f"--overlay {laid}: expected a file or folder"):
        context.case(tmp_path / "lib", ids[0], ids[-1], laid=[laid])


def test_a_dirty_checkout_is_neither_read_nor_touched(tmp_path: Path, context: CommandContext) -> None:
    ids = line(tmp_path / "lib")
    costs = tmp_path / "lib" / "costs.json"
    costs.write_text("rubbish")
    git(tmp_path / "lib", "add", "costs.json")
    costs.write_text("more rubbish")

    assert ids[CAUSE] == context.measure(tmp_path / "lib", ids[0], ids[-1]).cause
    assert "more rubbish" == costs.read_text()
    assert "MM costs.json" in git(tmp_path / "lib", "status", "--porcelain")
    assert 1 == len(git(tmp_path / "lib", "worktree", "list").splitlines())


def test_equal_ends_give_no_cause_and_say_so(tmp_path: Path, context: CommandContext) -> None:
    ids = line(tmp_path / "lib")

    result = context.measure(tmp_path / "lib", ids[0], ids[CAUSE - 1])

    assert (None, (), (), None) == (result.cause, result.regressions, result.path, result.where)
    # Commits between them may have been measured before the ends turned out to be equal.
    assert "both ends are equally fast as far as runs can tell, so no commit is blamed" == result.warnings[0]


def test_ends_that_differ_the_other_way_round_are_not_called_equal(
    tmp_path: Path, context: CommandContext
) -> None:
    ids = line(tmp_path / "lib")

    result = context.measure(tmp_path / "lib", ids[0], ids[-1], MidpointRule(improvement=True))

    assert (None, ()) == (result.cause, result.regressions)
    assert "the later end is the slower one: see what made it so without --improvement" == result.warnings[0]


class _KilledError(BaseException):
    """Stands for a signal that nobody can catch."""


def interrupted_after(count: int) -> Callable[[str], None]:
    left = [count]

    def before(purpose: str) -> None:
        left[0] -= purpose.startswith("run")
        if left[0] < 0:
            raise _KilledError

    return before


def killed_at_a_result(count: int) -> Callable[..., None]:
    """Return what takes the place of `Session.store`, and ends before so many commits' results are kept."""
    store, left = Session.store, [count]

    def killed(self: Session, context: str, kind: ResultKind[Any], result: Any) -> None:
        left[0] -= kind.name == "rootcause-commit"
        if left[0] < 0:
            raise _KilledError
        store(self, context, kind, result)

    return killed


def test_a_search_that_was_killed_goes_on_and_measures_nothing_twice(
    tmp_path: Path, context: CommandContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a run, or after it with its trial recorded but not its result; the whole is searched once."""
    ids = line(tmp_path / "lib")
    expected = context.measure(tmp_path / "lib", ids[0], ids[-1])

    stations = [*(("run", runs) for runs in (0, 1, 8, 17, 30, 50)), *(("result", kept) for kept in (0, 3, 9))]
    for kind, count in stations:
        folder = tmp_path / f"{kind} {count}"
        folder.mkdir()
        killed, again = CommandContext(folder=folder), CommandContext(folder=folder)
        with monkeypatch.context() as patched, pytest.raises(_KilledError):
            if kind == "run":
                killed.executor.before = interrupted_after(count)
            else:
                patched.setattr(Session, "store", killed_at_a_result(count))
            killed.measure(tmp_path / "lib", ids[0], ids[-1])

        assert expected == again.measure(tmp_path / "lib", ids[0], ids[-1]), folder
        assert len(killed.executor.runs) == count or kind == "result", folder
        assert Counter(context.executor.runs) == Counter(killed.executor.runs + again.executor.runs), folder


def test_another_question_uses_what_is_measured_already(tmp_path: Path, context: CommandContext) -> None:
    ids = line(tmp_path / "lib")
    context.measure(tmp_path / "lib", ids[0], ids[-1])
    again = CommandContext(folder=tmp_path, executor=PretendedExecutor())

    result = again.measure(tmp_path / "lib", ids[0], ids[CAUSE])

    assert ids[CAUSE] == result.cause
    rounds = [purpose for _, purpose in again.executor.runs if purpose.startswith("run rootcause/")]
    assert len(rounds) < 25


def test_without_probes_there_is_no_tree_but_the_commit_and_its_changes(
    tmp_path: Path, context: CommandContext
) -> None:
    """A commit may run as it is and fail as soon as its functions carry probes."""
    ids = line(tmp_path / "lib")

    def before(purpose: str) -> None:
        if purpose.startswith("run tree/"):
            context.suite.silent = True

    context.executor.before = before
    result = context.measure(tmp_path / "lib", ids[0], ids[-1])

    assert ids[CAUSE] == result.cause
    assert result.where is not None
    assert ((), None) == (result.where.tree, result.where.recorded)
    assert ["lib.work"] == [one.changed.method for one in result.where.suspects]
    assert any(text.startswith("there is no call tree") for text in result.warnings)
