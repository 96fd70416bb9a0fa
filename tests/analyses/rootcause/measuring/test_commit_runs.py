"""Runs of commits: each is made once, kept with what it was made beside, and told of where it cannot be."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.rootcause.measuring.case import VALUES, Case, exports
from abs_audit.analyses.rootcause.measuring.commit_runs import NOTHING_YET, Beside, Commits, exported, tidy
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.workspace import workspaces
from abs_audit.experiment.iteration_plan import LIMIT_FACTOR, LIMIT_FLOOR_S
from abs_audit.interfaces import BuildSettings
from abs_audit.model.experiment import Block, Command, Workspace
from abs_audit.model.measurement import Trial
from tests.support.pretended import BENCHMARK, PretendedSuite
from tests.support.repositories import Commit, made
from tests.support.search_context import CommandContext

FOUND = 10
"""Invocations of 2 ms that fill an iteration."""
END = Beside(is_end=True, slowest_s=0.0, invocations=0)
CANDIDATE = Beside(is_end=False, slowest_s=0.1, invocations=0)


@dataclass
class WatchedSuite(PretendedSuite):
    """Finds how many invocations an iteration has, and remembers the blocks that it was asked for."""

    blocks: list[Block] = field(default_factory=list)

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        self.blocks.extend(blocks)
        return super().commands(workspace, settings, blocks)

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        made_trials = super().trials(blocks, output)
        asked = {block.id: block.steps[0].invocations for block in blocks}
        return [replace(trial, invocations=asked[trial.block] or FOUND) for trial in made_trials]

    @property
    def measured(self) -> list[Block]:
        """The runs, without what they were calibrated by."""
        return [block for block in self.blocks if block.id.startswith("rootcause/")]


@dataclass
class Bench:
    """Commits of a repository that are ready to be run."""

    context: CommandContext
    suite: WatchedSuite
    case: Case
    commits: Commits
    ids: list[str]

    def built(self) -> int:
        return [purpose for _, purpose in self.context.executor.asked].count("build")


@pytest.fixture
def bench(tmp_path: Path, context: CommandContext) -> Iterator[Bench]:
    """Three commits; of the second and third a test may say what it wants by `costs`."""
    with contextlib.ExitStack() as copies:
        yield benched(tmp_path, context, copies)


def benched(folder: Path, context: CommandContext, copies: contextlib.ExitStack, **costs: Any) -> Bench:
    files = {"lib.py": "def work():\n    return 1\n"}
    sound = {"time": 0.002, "methods": {}}
    ids = made(
        folder / "lib",
        [
            Commit(parents=[], files={**files, "costs.json": json.dumps(sound)}),
            Commit(parents=[0], files={**files, "costs.json": json.dumps({**sound, **costs})}),
            Commit(parents=[1], files={**files, "costs.json": json.dumps(sound), "notes": "more"}),
        ],
    )
    context.suite = suite = WatchedSuite()
    case = context.case(folder / "lib", ids[0], ids[-1])
    return Bench(context=context, suite=suite, case=case, commits=Commits(case, copies), ids=ids)


def test_of_a_commit_that_was_not_run_nothing_is_known(bench: Bench) -> None:
    assert NOTHING_YET == bench.commits.record(bench.ids[1])
    assert [] == bench.context.executor.asked


def test_a_run_is_one_process_of_fifty_values_under_the_number_of_its_round(bench: Bench) -> None:
    record = bench.commits.run(bench.ids[1], 4, CANDIDATE)

    assert [(4, VALUES)] == [(run.round, len(run.values)) for run in record.runs]
    assert (None, FOUND, ()) == (record.failure, record.invocations, record.remarks)
    assert [f"rootcause/4/{BENCHMARK}"] == [block.id for block in bench.suite.measured]
    assert record == bench.commits.record(bench.ids[1])


def test_no_run_is_made_twice_and_no_commit_built_twice(bench: Bench) -> None:
    first = bench.commits.run(bench.ids[1], 1, CANDIDATE)
    again = bench.commits.run(bench.ids[1], 1, CANDIDATE)
    second = bench.commits.run(bench.ids[1], 2, CANDIDATE)

    assert first == again
    assert [1, 2] == [run.round for run in second.runs]
    assert first.runs == second.runs[:1]
    assert (2, 1) == (len(bench.suite.measured), bench.built())


def test_runs_of_a_commit_share_no_process(bench: Bench) -> None:
    """All forks of one made a commit of packaging twice as slow that is not, in twenty runs."""
    for number in (1, 2, 3):
        bench.commits.run(bench.ids[1], number, CANDIDATE)

    assert 3 == len({block.process for block in bench.suite.measured} - {""})


def test_another_command_finds_the_runs_of_the_one_before(bench: Bench) -> None:
    record = bench.commits.run(bench.ids[1], 1, CANDIDATE)
    with contextlib.ExitStack() as copies:
        assert record == Commits(bench.case, copies).run(bench.ids[1], 1, CANDIDATE)
    assert 1 == len(bench.suite.measured)


def test_runs_with_another_file_laid_over_the_commits_are_others(bench: Bench) -> None:
    bench.commits.run(bench.ids[1], 1, CANDIDATE)
    laid = replace(bench.case, overlay={"notes": b"laid over"})
    with contextlib.ExitStack() as copies:
        assert NOTHING_YET == Commits(laid, copies).record(bench.ids[1])


@pytest.mark.parametrize(
    ("costs", "failure"),
    [
        ({"fails": "build"}, "build failed (exit code 1)"),
        ({"fails": "hang"}, "timed-out: the process ended without a result (killed at its time limit)"),
        ({"fails": "crash"}, "failed: the process ended without a result (exit code 1)"),
        ({"names": ["other", "third"]}, f"it has no benchmark {BENCHMARK}; it has 2 others"),
        ({"names": [f"{BENCHMARK}ed"]}, f"it has no benchmark {BENCHMARK}; did you mean {BENCHMARK}ed?"),
        ({"names": ["other"], "unreadable": [BENCHMARK]}, "ImportError"),
    ],
)
def test_a_commit_that_cannot_be_measured_is_asked_once_and_says_why(
    tmp_path: Path, context: CommandContext, costs: dict[str, Any], failure: str
) -> None:
    with contextlib.ExitStack() as copies:
        bench = benched(tmp_path, context, copies, **costs)
        record = bench.commits.run(bench.ids[1], 1, CANDIDATE)
        asked = len(context.executor.asked)
        assert record == bench.commits.run(bench.ids[1], 2, CANDIDATE)

    assert failure in (record.failure or "")
    assert asked == len(context.executor.asked)
    assert "\n" not in (record.failure or "")


def test_a_commit_without_the_suite_is_not_built(tmp_path: Path, context: CommandContext) -> None:
    ids = made(tmp_path / "lib", [Commit(parents=[], files={"a": ""}), Commit(parents=[0], files={"b": ""})])
    with contextlib.ExitStack() as copies:
        record = Commits(context.case(tmp_path / "lib", *ids), copies).run(ids[1], 1, CANDIDATE)

    assert ("it holds no pretended suite", []) == (record.failure, context.executor.asked)


def test_that_an_end_cannot_be_measured_is_told_and_not_kept(tmp_path: Path, context: CommandContext) -> None:
    with contextlib.ExitStack() as copies:
        bench = benched(tmp_path, context, copies, fails="build")
        assert "build failed" in (bench.commits.run(bench.ids[1], 1, END).failure or "")
        assert NOTHING_YET == bench.commits.record(bench.ids[1])


def test_what_the_machine_lacks_is_told_and_not_kept(bench: Bench) -> None:
    def refuse(purpose: str) -> None:
        raise UnfitEnvironmentError("no compiler here")

    bench.context.executor.before = refuse
    assert "no compiler here" == bench.commits.run(bench.ids[1], 1, CANDIDATE).failure
    bench.context.executor.before = lambda _purpose: None
    assert None is bench.commits.run(bench.ids[1], 1, CANDIDATE).failure


def test_a_candidate_may_take_no_longer_than_its_ends_make_likely(bench: Bench) -> None:
    bench.commits.run(bench.ids[0], 1, END)
    bench.commits.run(bench.ids[1], 1, CANDIDATE)

    most_s = LIMIT_FLOOR_S + LIMIT_FACTOR * VALUES * CANDIDATE.slowest_s
    assert bench.case.project.settings.timeout_s > most_s
    assert [True, True] == [block.limit_s <= most_s for block in bench.suite.blocks[-2:]]


@pytest.mark.parametrize(
    ("others", "used"),
    [
        (12, 12),  # as the other commits: iterations of another length are disturbed otherwise
        (50, 50),  # up to five times as many...
        (51, FOUND),  # ...and no more: iterations would be far longer than wanted
        (1, FOUND),
        (0, FOUND),  # the first commit of all
    ],
)
def test_iterations_are_as_long_as_those_of_the_other_commits(bench: Bench, others: int, used: int) -> None:
    record = bench.commits.run(bench.ids[1], 1, replace(CANDIDATE, invocations=others))

    (block,) = bench.suite.measured
    assert (used, used) == (record.invocations, block.steps[0].invocations)


def test_an_exported_commit_is_a_project_of_its_files_and_those_laid_over_them(bench: Bench) -> None:
    laid = replace(bench.case, overlay={"deep/bench.py": b"laid = 1\n"})
    project, remarks = exported(laid, bench.ids[2])

    root = exports(laid) / bench.ids[2][:16]
    assert (root, bench.ids[2], ()) == (project.subject.root, project.subject.commit, remarks)
    assert ["costs.json", "deep/bench.py", "lib.py", "notes"] == [
        str(path) for path in project.checkout.files
    ]
    assert "laid = 1\n" == (root / "deep/bench.py").read_text()
    assert project.checkout.digest != exported(bench.case, bench.ids[2])[0].checkout.digest


def test_copies_can_be_removed_and_what_was_measured_stays(tmp_path: Path, context: CommandContext) -> None:
    with contextlib.ExitStack() as copies:
        bench = benched(tmp_path, context, copies)
        record = bench.commits.run(bench.ids[1], 1, CANDIDATE)
    assert [*workspaces().iterdir()]

    tidy(bench.case, bench.ids)

    assert ([], False) == ([*workspaces().iterdir()], exports(bench.case).exists())
    assert record == bench.commits.record(bench.ids[1])
