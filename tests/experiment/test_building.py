"""A copy is fetched for and built once, and again when that may change something."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar
from unittest.mock import Mock

import pytest

from abs_audit.config import Settings
from abs_audit.errors import ControlFailedError
from abs_audit.execution.workspace import checkout
from abs_audit.experiment.preparation import executed_part, prepare
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.runtime import Runtime, complaints, execute, last_lines
from abs_audit.experiment.session import Session
from abs_audit.experiment.watch import Watch
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.language import Framework
from abs_audit.languages.table import languages
from abs_audit.model.experiment import Block, Command, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery, Patch, Skipped, Subject
from tests.support.executions import ended


def command(name: str, folder: Path, *, network: bool, if_needed: bool = False) -> Command:
    return Command(
        argv=(name,),
        cwd=folder,
        env={},
        limit_s=1,
        results=None,
        network=network,
        purpose=name,
        if_needed=if_needed,
    )


@dataclass
class BuildingSuite:
    """Fetches with one command and builds with another."""

    builder: str = "build"
    fetcher: str = "fetch"
    name: str = "building"
    fetching_can_wait: bool = False
    first_fetcher: str = ""
    """What is fetched at once, whether the rest can wait or not."""

    def detect(self, root: Path) -> bool:
        return True

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        tree = workspace.tree
        fetching = command(self.fetcher, tree, network=True, if_needed=self.fetching_can_wait)
        at_once = [command(self.first_fetcher, tree, network=True)] if self.first_fetcher else []
        return *at_once, fetching, command(self.builder, tree, network=False)

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        return command("list", workspace.tree, network=False)

    def discovery(self, execution: Execution) -> Discovery:
        return Discovery(benchmarks=(Benchmark(id="b", parameters={}),), broken=())

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        return ()

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        return ()

    def filter(self, benchmarks: object) -> str:
        return ""


@dataclass
class Recorder:
    """Remembers what it executed; fails what it is told to."""

    width: ClassVar[int] = 1
    place: ClassVar[str] = ""
    executed: list[str] = field(default_factory=list)
    failing: str = ""

    def execute(self, command: Command, on_line: object = None) -> Execution:
        self.executed.append(command.argv[0])
        return ended(int(command.argv[0] == self.failing), log="the log")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "source").write_text("one")
    return tmp_path / "subject"


def project_of(root: Path, suite: BuildingSuite) -> Project:
    return Project(
        subject=Subject(name="s", root=root, language="none", framework=suite.name, commit=None),
        language=languages()[0],
        framework=Framework(suite=suite, stubs=languages()[0].frameworks[0].stubs),
        checkout=checkout(root),
        settings=Settings(),
    )


def executed(root: Path, suite: BuildingSuite, recorder: Recorder) -> list[str]:
    """Prepare once more; return what was executed for it."""
    project = project_of(root, suite)
    session = Session(root.parent / "session.db")
    runtime = Runtime(executor=recorder, session=session, progress=lambda *_: None)
    recorder.executed.clear()
    try:
        with prepare(project, runtime, ()):
            pass
    finally:
        session.close()
    return list(recorder.executed)


def test_what_has_not_changed_is_neither_fetched_for_nor_built_nor_listed_again(root: Path) -> None:
    recorder = Recorder()
    assert ["fetch", "build", "list"] == executed(root, BuildingSuite(), recorder)
    assert [] == executed(root, BuildingSuite(), recorder)
    (root / "source").write_text("two")
    assert ["fetch", "build", "list"] == executed(root, BuildingSuite(), recorder)


class ProposingSuite(BuildingSuite):
    """Lists what is proposed, too."""

    def discovery(self, execution: Execution) -> Discovery:
        names = ("a", "b", "proposed")
        return Discovery(benchmarks=tuple(Benchmark(id=name, parameters={}) for name in names), broken=())


@pytest.mark.parametrize(
    ("additions", "listed", "longest_s"), [({}, ["a"], 600.0), ({"new": ""}, ["a", "b", "proposed"], 20.0)]
)
def test_what_is_proposed_is_listed_whatever_is_chosen_and_must_not_take_long(
    root: Path, additions: dict[str, str], listed: list[str], longest_s: float
) -> None:
    project = replace(project_of(root, ProposingSuite()), settings=Settings(benchmarks=("a",)))
    session = Session(root.parent / "session.db")
    runtime = Runtime(executor=Recorder(), session=session, progress=lambda *_: None)
    with contextlib.closing(session), prepare(project, runtime, (), additions) as prepared:
        assert prepared.benchmarks == listed
        assert longest_s == prepared.harness.longest_s == prepared.harness.settings.longest_s


@pytest.mark.parametrize(("builds_long", "builds"), [(True, 2), (False, 3)])
def test_where_building_takes_long_neither_copy_is_built_again_for_the_other(
    root: Path, builds_long: bool, builds: int
) -> None:
    project = project_of(root, BuildingSuite())
    project = replace(project, language=replace(project.language, builds_long=builds_long))
    session, recorder = Session(root.parent / "session.db"), Recorder()
    runtime = Runtime(executor=recorder, session=session, progress=lambda *_: None)
    with contextlib.closing(session):
        for changed in ({}, {"new": ""}, {}):
            with prepare(project, runtime, (), changed):
                pass
    assert builds == recorder.executed.count("build")


class BreakingSuite(BuildingSuite):
    """Lists a benchmark that cannot be loaded."""

    def discovery(self, execution: Execution) -> Discovery:
        broken = BrokenBenchmark(id="broken", reason="SyntaxError")
        return replace(super().discovery(execution), broken=(broken,))


def test_what_is_broken_is_listed_again_by_the_next_command_alone(root: Path) -> None:
    """It may be the moment's; within a command each preparation would take as long as importing the suite."""
    recorder = Recorder()
    session = Session(root.parent / "session.db")
    for _ in range(2):
        runtime = Runtime(executor=recorder, session=session, progress=lambda *_: None)
        for _ in range(2):
            with prepare(project_of(root, BreakingSuite()), runtime, ()) as prepared:
                assert ["broken"] == [entry.id for entry in prepared.discovery.broken]
    session.close()
    assert recorder.executed == ["fetch", "build", "list", "list"]


@dataclass
class HangingSuite(BuildingSuite):
    """Lists a benchmark that came to no end, or could not be loaded."""

    executed: bool = True
    overran: bool = False

    def discovery(self, execution: Execution) -> Discovery:
        broken = BrokenBenchmark(id="broken", reason="not done", executed=self.executed, overran=self.overran)
        return replace(super().discovery(execution), broken=(broken,))


@pytest.mark.parametrize(
    ("suite", "builds", "listings"),
    [
        (HangingSuite(), ((), ("fast.read",)), 1),
        (HangingSuite(executed=False), ((), ("fast.read",)), 2),
        (HangingSuite(), (("fast.read",), ()), 2),
        (HangingSuite(overran=True), (("fast.read",), ()), 1),
    ],
    ids=["breaks without probes", "cannot be loaded", "breaks with probes", "takes too long with probes"],
)
def test_what_breaks_down_is_not_executed_for_another_build_where_it_would_again(
    root: Path, suite: HangingSuite, builds: Sequence[tuple[str, ...]], listings: int
) -> None:
    """Of client_golang it took half a minute a build, thrice. Probes may hinder what ends without."""
    (root / "fast.py").write_text("def read():\n    return 1\n")
    project = project_of(root, suite)
    session, recorder = Session(root.parent / "session.db"), Recorder()
    runtime = Runtime(executor=recorder, session=session, progress=lambda *_: None)
    with contextlib.closing(session):
        for methods in builds:
            with prepare(project, runtime, methods) as prepared:
                assert ["broken"] == [entry.id for entry in prepared.discovery.broken]
    assert listings == recorder.executed.count("list")


def test_a_command_writes_the_probes_of_the_same_methods_once(root: Path) -> None:
    """Of lettuce it takes 1.3 s to read what may get one, and a score prepares three copies."""
    (root / "fast.py").write_text("def read():\n    return 1\n\n\ndef write():\n    return 2\n")
    project, session = project_of(root, BuildingSuite()), Session(root.parent / "session.db")
    injector = Mock(wraps=project.language.injector)
    project = replace(project, language=replace(project.language, injector=injector))
    runtime = Runtime(executor=Recorder(), session=session, progress=lambda *_: None)
    with contextlib.closing(session):
        for methods in (["fast.read"], [], ["fast.read"], ["fast.write"]):
            with prepare(project, runtime, methods) as prepared:
                assert tuple(methods) == prepared.patch.instrumented
    assert 2 == injector.instrument.call_count


@dataclass
class HastySuite(BuildingSuite):
    """Remembers how long a benchmark may take while it is listed."""

    longest_s: list[float] = field(default_factory=list)

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        self.longest_s.append(settings.longest_s)
        return super().discover(workspace, settings)


@pytest.mark.parametrize(("budget_s", "longest_s"), [(None, 600.0), (300.0, 30.0), (20.0, 10.0)])
def test_under_a_budget_listing_one_benchmark_takes_a_part_of_it(
    root: Path, budget_s: float | None, longest_s: float
) -> None:
    """One of bbolt's fills a database for two minutes first: of five minutes one was left for it."""
    suite, session = HastySuite(), Session(root.parent / "session.db")
    runtime = Runtime(
        executor=Recorder(), session=session, progress=lambda *_: None, watch=Watch(budget_s=budget_s)
    )
    with contextlib.closing(session), prepare(project_of(root, suite), runtime, ()):
        assert [longest_s] == pytest.approx(suite.longest_s, rel=0.05)


class Interrupted(Recorder):
    """Is interrupted in each build."""

    def execute(self, command: Command, on_line: object = None) -> Execution:
        if command.argv[0] == "build":
            raise KeyboardInterrupt
        return super().execute(command, on_line)


@pytest.mark.parametrize("second", [Recorder(failing="build"), Interrupted()], ids=["failed", "interrupted"])
def test_after_a_build_that_did_not_end_well_the_state_before_it_is_built_again(
    root: Path, second: Recorder
) -> None:
    """What that build left of another state would be measured as this one's."""
    executed(root, BuildingSuite(), Recorder())
    (root / "source").write_text("two")
    with pytest.raises((ControlFailedError, KeyboardInterrupt)):
        executed(root, BuildingSuite(), second)
    (root / "source").write_text("one")
    assert "build" in executed(root, BuildingSuite(), Recorder())


def test_what_is_built_in_another_way_is_built_again(root: Path) -> None:
    recorder = Recorder()
    executed(root, BuildingSuite(), recorder)
    assert ["build2"] == executed(root, BuildingSuite(builder="build2"), recorder)


def test_what_was_fetched_in_another_way_is_fetched_again(root: Path) -> None:
    recorder = Recorder()
    executed(root, BuildingSuite(), recorder)
    assert ["fetch2"] == executed(root, BuildingSuite(fetcher="fetch2"), recorder)
    # Where fetching can wait, a build by another command may lack what it needs.
    other = BuildingSuite(builder="build2", fetcher="fetch3", fetching_can_wait=True)
    failing = Recorder(failing="build2")
    with pytest.raises(ControlFailedError):
        executed(root, other, failing)
    assert ["build2", "fetch3", "build2"] == failing.executed


def test_after_a_failing_build_what_it_lacked_is_fetched_again(root: Path) -> None:
    recorder = Recorder(failing="build")
    for _ in range(2):
        with pytest.raises(ControlFailedError, match="the log"):
            executed(root, BuildingSuite(), recorder)
        assert ["fetch", "build"] == recorder.executed


def test_what_is_fetched_if_needed_comes_after_a_build_that_failed_and_not_before_one_that_works(
    root: Path,
) -> None:
    suite = BuildingSuite(fetching_can_wait=True)
    assert ["build", "list"] == executed(root, suite, Recorder())
    (root / "source").write_text("two")
    assert ["build", "list"] == executed(root, suite, Recorder())
    (root / "source").write_text("three")
    recorder = Recorder(failing="build")
    for _ in range(2):
        with pytest.raises(ControlFailedError, match="the log"):
            executed(root, suite, recorder)
        assert ["build", "fetch", "build"] == recorder.executed


def test_what_is_needed_is_fetched_at_once_though_the_rest_can_wait(root: Path) -> None:
    suite = BuildingSuite(fetching_can_wait=True, first_fetcher="profiler")
    assert ["profiler", "build", "list"] == executed(root, suite, Recorder())
    (root / "source").write_text("two")
    recorder = Recorder(failing="build")
    with pytest.raises(ControlFailedError, match="the log"):
        executed(root, suite, recorder)
    assert ["profiler", "build", "profiler", "fetch", "build"] == recorder.executed


def test_what_to_do_follows_the_words_of_a_command_that_do_not_say_it(root: Path) -> None:
    session = Session(root.parent / "session.db")
    runtime = Runtime(executor=Recorder(failing="fetch"), session=session, progress=lambda *_: None)
    fetching = replace(command("fetch", root, network=True), advice="ask for another one")
    with pytest.raises(ControlFailedError, match="the log\nask for another one"):
        execute(runtime, fetching)
    session.close()


def test_a_failed_build_says_its_own_words_and_not_the_frames_of_its_stack() -> None:
    log = (
        "\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not create service X.\n"
        "> No such toolchain.\n\n* Exception is:\nServiceCreationException: no\n"
        + "\tat org.gradle.internal.A.b(A.java:1)\n" * 30
        + "Caused by: NoToolchain\n\t... 20 more\n"
    )
    assert [
        "    * What went wrong:",
        "    Could not create service X.",
        "    > No such toolchain.",
    ] == last_lines(log).splitlines()[:3]
    assert "org.gradle" not in last_lines(log)
    # A Java virtual machine says what is wrong before it says that something is.
    refused = "Unrecognized option: --later\nError: Could not create the Java Virtual Machine.\n"
    assert last_lines(f"[INFO] begin\n{refused}").splitlines()[0] == "    Unrecognized option: --later"
    # What is shown on a terminal has tabs no more: they would be escaped.
    assert "\t" not in last_lines("[ERROR] dependency: a\n[ERROR] \tCould not find b\n")


def test_of_each_file_the_first_that_is_complained_of_is_told() -> None:
    log = (
        "[WARNING] /tree/Fine.java: unchecked\n[INFO] /tree/Fine.java: recompile\n"
        "[ERROR] COMPILATION ERROR :\n"
        "[ERROR] /tree/a/Bad.java:[21,70] no type\n[ERROR] /tree/a/Bad.java:[22,1] no other\n"
        "[ERROR] /tree/a/NotBad.java:[1,1] no package\n"
        + "[ERROR] more\n" * 9
        + "[ERROR] /tree/a/Late.java:[3,3] no name\n"
    )
    assert complaints(log, {"Fine.java", "Bad.java", "Late.java"}) == {
        "Bad.java": "Bad.java:[21,70] no type",
        "Late.java": "Late.java:[3,3] no name",
    }
    assert complaints("# m\n./b_test.go:7:2: undefined: x\n", {"b_test.go"}) == {
        "b_test.go": "b_test.go:7:2: undefined: x"
    }


def test_what_colours_a_tools_words_hides_no_error_and_is_not_shown() -> None:
    log = "\x1b[0mbegin\n\x1b[0m\x1b[1;31m[ERROR]\x1b[m no settings\n" + "more\n" * 20
    assert "    [ERROR] no settings" == last_lines(log).splitlines()[0]


def test_an_error_with_the_time_before_it_is_one_however_long_its_line_is() -> None:
    """Eclipse Collections' Maven tells the time, and its Scala compiler's class path with the error."""
    log = (
        f"10:00:01:002 [INFO] begin\n10:00:02:003 [ERROR] no goal: {'x' * 9000}\n10:00:02:004 [ERROR] help\n"
    )
    first, second = last_lines(log).splitlines()
    assert first.startswith("    10:00:02:003 [ERROR] no goal: x")
    assert (len(first) < 500, second) == (True, "    10:00:02:004 [ERROR] help")


def test_of_what_pip_tells_of_a_build_the_build_s_own_error_is_said() -> None:
    log = (
        "  error: subprocess-exited-with-error\n  × Preparing metadata did not run successfully.\n"
        "  ╰─> [14 lines of output]\n      warning: no cache, error: Read-only file system\n"
        "      error: no compiler\n      end of output\nerror: metadata-generation-failed\n"
    )
    assert "    " + "      error: no compiler" == last_lines(log).splitlines()[0]


def test_a_member_of_a_workspace_is_copied_with_it_and_only_its_benchmarks_are_meant(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "go.work").write_text("use ./a\n")
    (tmp_path / "a" / "go.mod").write_text("module a\n")
    (tmp_path / "a" / "x_test.go").write_text("package a\n\nfunc BenchmarkA(b *testing.B) {}\n")
    (project,) = open_projects(tmp_path / "a", Settings())
    assert (tmp_path, "a") == (project.subject.root, project.subject.name)
    assert ("a",) == project.settings.paths
    assert {"go.work", "a/go.mod", "a/x_test.go"} == {path.as_posix() for path in project.checkout.files}


def test_a_method_that_is_executed_from_another_file_than_its_probe_carries_none() -> None:
    patch = Patch(files={}, instrumented=("fast.read", "slow.read"), skipped=(), build_id="x")
    executed = executed_part(patch, {"fast.read": "fast.so"})
    assert executed.instrumented == ("slow.read",)
    assert executed.skipped == (
        Skipped(method="fast.read", reason="fast.so is executed instead of its sources, without a probe"),
    )
    assert executed.build_id == "x"
