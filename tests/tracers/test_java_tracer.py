"""The Java tracer on a downstream with a known number of calls: real Maven, real JVMs, real tests."""

import re
import shutil
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.model.experiment import Workspace
from abs_audit.tracers.java.tracer import JavaTracer
from abs_audit.tracers.recorded import records
from tests.support.executions import ended
from tests.support.toolchains import shared_cache
from tests.support.traced import traced

FIXTURES = Path(__file__).parents[2] / "fixtures"
BOOK = "org.example.wordbook.Book"
SETTINGS = BuildSettings(interpreter=None, requirements=(), paths=(), environment={})


def methods(library: Path) -> list[str]:
    tree = {path.relative_to(library).as_posix(): path.read_text() for path in library.rglob("*.java")}
    return [method.id for method in JavaInjector().api_methods(tree).methods]


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    opened = Workspace(root=shared_cache() / "workspaces" / "java-reader")
    shutil.rmtree(opened.root, ignore_errors=True)
    shutil.copytree(FIXTURES / "downstreams" / "java" / "reader", opened.tree)
    for folder in (opened.home, opened.results):
        folder.mkdir()
    return opened


@pytest.fixture(scope="module")
def counted(workspace: Workspace) -> DownstreamCounts:
    library = FIXTURES / "subjects" / "jmh"
    trace = traced(JavaTracer(), workspace, library, SETTINGS)
    assert all("could not be installed" not in done.log for _, done in trace.prepared)
    command, done = trace.prepared[-1]
    # All that the run needs was fetched before, as for a run of the tests, and none was executed.
    assert command.network
    assert "--offline" not in command.argv
    assert command.argv[-1] == "test"
    assert re.search(r"Tests run: [1-9]", done.log) is None
    return JavaTracer().counts(workspace, methods(library), trace.tested)


def test_calls_are_told_apart_by_who_makes_them(counted: DownstreamCounts) -> None:
    # The JDK calls a comparator of the downstream back: its calls are direct ones.
    assert {
        f"{BOOK}.checksum(java.lang.CharSequence,int)": 5,
        f"{BOOK}.load(int)": 3,
        f"{BOOK}.render()": 3,
        f"{BOOK}.<init>(java.lang.String)": 1,
        f"{BOOK}.title()": 1,
    } == counted.direct
    assert {f"{BOOK}.<init>(java.lang.String)": 3, f"{BOOK}.title()": 3} == counted.internal
    assert {} == counted.other


def test_a_failing_test_costs_no_count(counted: DownstreamCounts) -> None:
    assert (3, 1) == (counted.tests_passed, counted.tests_failed)


def test_arguments_of_basic_types_are_kept_as_source_text(counted: DownstreamCounts) -> None:
    assert {"1", "2", "3"} == set(counted.arguments[f"{BOOK}.load(int)"])
    assert ('"a \\"name\\""',) == counted.arguments[f"{BOOK}.<init>(java.lang.String)"]


def test_the_audited_version_takes_the_place_of_the_released_one(
    workspace: Workspace, counted: DownstreamCounts
) -> None:
    assert "<version>1</version>\n    </dependency>" in (workspace.tree / "pom.xml").read_text()


def test_the_agent_is_added_to_what_keeps_temporary_files_in_the_workspace(tmp_path: Path) -> None:
    opened = Workspace(root=tmp_path / "kept" / "workspaces" / "w")
    for folder in (opened.tree, opened.results, opened.temporary):
        folder.mkdir(parents=True, exist_ok=True)
    options = JavaTracer().command(opened, opened.tree, SETTINGS).env["JAVA_TOOL_OPTIONS"]
    assert f"-Djava.io.tmpdir={opened.temporary}" in options
    assert options.endswith(f" -javaagent:{opened.root / 'agent' / 'target' / 'tracer.jar'}")


def test_constructors_of_inner_classes_are_known_without_the_instance_that_the_jvm_passes(
    tmp_path: Path,
) -> None:
    opened = Workspace(root=tmp_path)
    report = opened.tree / "target" / "surefire-reports" / "TEST-a.xml"
    report.parent.mkdir(parents=True)
    report.write_text('<testsuite tests="1" failures="0" errors="0" skipped="0"/>')
    text = """package a;
public class Out {
    public class In { public In() { } public In(int size) { } }
    public static class Nested { public Nested(Out out) { } }
}
"""
    known = [method.id for method in JavaInjector().api_methods({"src/main/java/a/Out.java": text}).methods]
    made = {"In": ("La/Out;", "La/Out;I"), "Nested": ("La/Out;",)}
    lines = [f"a.Out${name}\t<init>\t({types})V\t1\t0\t0\n" for name in made for types in made[name]]
    (records(opened) / "calls-1.tsv").write_text("".join(lines))
    execution = ended()
    direct = JavaTracer().counts(opened, known, execution).direct
    assert direct == dict.fromkeys(
        ("a.Out$In.<init>()", "a.Out$In.<init>(int)", "a.Out$Nested.<init>(a.Out)"), 1
    )


def test_tests_that_do_not_run_are_no_trace(tmp_path: Path) -> None:
    opened = Workspace(root=tmp_path)
    for folder in (opened.tree, opened.results):
        folder.mkdir()
    log = "[ERROR] COMPILATION ERROR\n[ERROR] Reader.java:[3,1] cannot find symbol\n"
    # What Maven says of any failure has more lines than are shown.
    log += "[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n" * 9
    execution = ended(1, log=log)
    with pytest.raises(
        ControlFailedError, match=r"none of its unit tests ran .exit code 1.*\n.*\n.*Reader.java"
    ):
        JavaTracer().counts(opened, [], execution)
