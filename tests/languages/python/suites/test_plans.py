"""Plans that come one after the other: the suite is imported once, and each is executed in a fork of that."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from abs_audit.execution import ready
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.ready import MOST_READY
from abs_audit.interfaces import Suite
from abs_audit.languages.python.suites.asv import AsvSuite
from abs_audit.languages.python.suites.pytest_benchmark import PytestBenchmarkSuite
from abs_audit.model.experiment import Command, Execution, Mode, Shared
from abs_audit.model.measurement import Status, Trial
from tests.support.python_subjects import SETTINGS, arm, block, step, workspace

CHECKSUM = "wordbook.book.checksum"
COUNTS_ITS_IMPORTS = """
import pathlib
with open({path!r}, "a") as stream:
    stream.write("imported\\n")
"""
INDEX = {"pytest_benchmark": "benchmarks/test_book.py::test_index", "asv": "book.Prepared.time_index"}


class Running:
    """A copy of a subject whose imports are counted, and what executes it."""

    def __init__(self, suite: Suite, folder: Path, subject: str) -> None:
        self.suite, self.executor, self.place = (
            suite,
            LocalExecutor(),
            workspace(folder, subject, probed=True),
        )
        self.index = INDEX[subject]
        self.told = folder / "imports"
        (package,) = self.place.tree.rglob("wordbook/__init__.py")
        self.package = package.relative_to(self.place.tree).as_posix()
        self.append(self.package, COUNTS_ITS_IMPORTS.format(path=str(self.told)))

    def append(self, path: str, text: str) -> None:
        with (self.place.tree / path).open("a") as stream:
            stream.write(text)

    def imports(self) -> int:
        return len(self.told.read_text().splitlines())

    def command(self, name: str, benchmark: str = "", mode: Mode = Mode.OFF, process: str = "") -> Command:
        methods = () if mode is Mode.OFF else (CHECKSUM,)
        self.blocks = [block(name, benchmark or self.index, step(arm(mode, *methods)))]
        (command,) = self.suite.commands(self.place, SETTINGS, self.blocks)
        assert command.shared is not None
        return replace(command, shared=replace(command.shared, kind=command.shared.kind + process))

    def trial(self, name: str, benchmark: str = "", mode: Mode = Mode.OFF, process: str = "") -> Trial:
        execution = self.executor.execute(self.command(name, benchmark, mode, process))
        (trial,) = self.suite.trials(self.blocks, execution.output)
        return trial


@pytest.fixture(params=["pytest_benchmark", "asv"])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    suite = PytestBenchmarkSuite() if request.param == "pytest_benchmark" else AsvSuite()
    made = Running(suite, tmp_path, request.param)
    with closing(made.executor):
        yield made


@pytest.fixture
def fixtured(tmp_path: Path) -> Iterator[Running]:
    made = Running(PytestBenchmarkSuite(), tmp_path, "pytest_benchmark")
    with closing(made.executor):
        yield made


def test_a_suite_is_imported_once_for_plans_of_one_kind(running: Running) -> None:
    trials = [
        running.trial(name, mode=mode)
        for name, mode in (("a", Mode.OFF), ("b", Mode.TIME), ("c", Mode.DELAY))
    ]
    assert [Status.OK] * 3 == [trial.status for trial in trials]
    assert ["a", "b", "c"] == [trial.block for trial in trials]
    assert 1 == running.imports()


def test_what_is_to_be_apart_is_imported_again_and_what_was_before_is_still_there(running: Running) -> None:
    for name, process in (("a", ""), ("b", "run 1"), ("c", "run 2"), ("d", "run 1"), ("e", "")):
        assert Status.OK is running.trial(name, process=process).status
    assert 3 == running.imports()


def test_what_counts_while_it_imports_is_apart_from_what_does_not(running: Running) -> None:
    """Calls of set-up are told from none: importing the suite may make some."""
    running.append(running.package, "from wordbook import book\nbook.checksum(1)\n")
    first, second = (running.trial(name, mode=Mode.COUNT).tally for name in "ab")
    running.trial("c", mode=Mode.TIME)
    assert first is not None
    assert second is not None
    assert first.methods == second.methods
    assert 1 == first.methods[CHECKSUM].setup_calls
    assert 2 == running.imports()


def test_a_plan_that_needs_another_file_has_a_process_of_its_own(fixtured: Running) -> None:
    fixtured.append(
        "benchmarks/test_other.py", "import wordbook\ndef test_other(benchmark):\n    benchmark(int)\n"
    )
    assert Status.OK is fixtured.trial("a").status
    assert Status.OK is fixtured.trial("b", "benchmarks/test_other.py::test_other").status
    assert 2 == fixtured.imports()


def test_a_process_imports_later_what_another_plan_needs(tmp_path: Path) -> None:
    """What imports call is counted as that; where they start threads, the process is of no further use."""
    made = Running(AsvSuite(), tmp_path, "asv")
    with closing(made.executor):
        made.append(
            "benchmarks/other.py", "from wordbook import book\nbook.checksum(1)\ndef time_it(): pass\n"
        )
        made.append(
            "benchmarks/threads.py",
            "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
            "def time_it(): pass\n",
        )
        names = ("", "other.time_it", "", "threads.time_it", "")
        trials = [made.trial(str(number), name, mode=Mode.COUNT) for number, name in enumerate(names)]
        assert [Status.OK] * 5 == [trial.status for trial in trials]
        other = trials[1].tally
        assert other is not None
        assert (0, 1) == (other.methods[CHECKSUM].calls, other.methods[CHECKSUM].setup_calls)
        assert 2 == made.imports()


def test_what_clears_up_after_a_session_takes_nothing_from_the_next_plan(fixtured: Running) -> None:
    needed = fixtured.place.root / "needed"
    needed.touch()
    fixtured.append(
        "benchmarks/conftest.py",
        f"""
import atexit, pathlib, pytest
NEEDED = pathlib.Path({str(needed)!r})
atexit.register(NEEDED.unlink)
def pytest_sessionfinish():
    NEEDED.unlink()
@pytest.fixture(autouse=True)
def needs():
    assert NEEDED.exists()
""",
    )
    assert [Status.OK] * 2 == [fixtured.trial(name).status for name in "ab"]


def test_a_suite_that_starts_threads_has_a_process_for_each_plan(fixtured: Running) -> None:
    fixtured.append(
        "benchmarks/conftest.py",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n",
    )
    assert [Status.OK] * 2 == [fixtured.trial(name).status for name in "ab"]
    assert 2 == fixtured.imports()


def test_a_plan_that_is_not_done_in_time_ends_its_process_and_not_the_next_plan(fixtured: Running) -> None:
    fixtured.append(
        "benchmarks/test_book.py",
        "\n@__import__('pytest').fixture\ndef slow():\n    __import__('time').sleep(600)\n"
        "def test_hangs(slow, benchmark):\n    benchmark(int)\n",
    )
    fixtured.trial("a")
    hanging = replace(fixtured.command("b", "benchmarks/test_book.py::test_hangs"), limit_s=1.0)
    assert fixtured.executor.execute(hanging).timed_out
    assert Status.OK is fixtured.trial("c").status
    assert 2 == fixtured.imports()


def test_a_plan_that_is_killed_tells_its_signal_and_leaves_the_process_ready(fixtured: Running) -> None:
    fixtured.append(
        "benchmarks/test_book.py",
        "\ndef test_killed():\n    pass\ntest_killed = __import__('pytest').mark.benchmark(test_killed)\n"
        "@__import__('pytest').fixture(autouse=True)\ndef kills(request):\n"
        "    import os\n    'killed' in request.node.name and os.kill(os.getpid(), 9)\n",
    )
    fixtured.trial("a")
    killed = fixtured.executor.execute(fixtured.command("b", "benchmarks/test_book.py::test_killed"))
    assert (-9, False) == (killed.exit_code, killed.timed_out)
    assert Status.OK is fixtured.trial("c").status
    assert 1 == fixtured.imports()


def test_only_so_many_processes_are_kept_and_none_after_all(fixtured: Running) -> None:
    before = set(psutil.Process().children(recursive=True))
    for number in range(MOST_READY + 1):
        fixtured.trial(f"{number}", process=f"run {number}")
    kept = set(psutil.Process().children()) - before
    assert MOST_READY == len(kept)
    fixtured.executor.close()
    assert not [process for process in kept if process.is_running()]


def test_none_is_kept_beside_another_where_memory_is_short(
    fixtured: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "MOST_MEMORY", 0.0)
    before = set(psutil.Process().children())
    assert [Status.OK] * 2 == [fixtured.trial(name, process=name).status for name in "ab"]
    assert 1 == len(set(psutil.Process().children()) - before)


def test_commands_that_share_nothing_start_processes_of_their_own(fixtured: Running) -> None:
    def alone(name: str) -> Execution:
        return fixtured.executor.execute(replace(fixtured.command(name), shared=None))

    assert [0, 0] == [alone(name).exit_code for name in "ab"]
    assert 2 == fixtured.imports()


@pytest.mark.parametrize("changed", [{"kind": "other"}, {"needs": frozenset({"a", "b"})}])
def test_a_process_serves_what_needs_no_more_than_it_was_started_for(changed: dict[str, object]) -> None:
    needs = Shared(kind="k", needs=frozenset({"a"}))
    assert replace(needs, needs=frozenset()).served_by(needs)
    assert not replace(needs, **changed).served_by(needs)  # type: ignore[arg-type]
