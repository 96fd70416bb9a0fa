"""The Java tracer on a downstream with a known number of calls: real Maven, real JVMs, real tests."""

import re
import shutil
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.execution.local import LocalExecutor
from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.model.experiment import Workspace
from abs_audit.tracers.java.tracer import JavaTracer
from abs_audit.tracers.recorded import records
from tests.support.executions import ended
from tests.support.java_probes import compiled
from tests.support.toolchains import shared_cache
from tests.support.traced import traced

FIXTURES = Path(__file__).parents[2] / "fixtures"
BOOK = "org.example.wordbook.Book"
KNOWN_DIRECT = {
    f"{BOOK}.checksum(java.lang.CharSequence,int)": 5,
    f"{BOOK}.load(int)": 3,
    f"{BOOK}.render()": 3,
    f"{BOOK}.<init>(java.lang.String)": 1,
    f"{BOOK}.title()": 1,
}
GRADLE_BUILD = """apply plugin: 'java'
repositories {{ mavenCentral() }}
dependencies {{
    compile files('{library}')
    testCompile 'junit:junit:4.13.2'
}}
"""
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
    assert KNOWN_DIRECT == counted.direct
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
    (opened.tree / "pom.xml").touch()
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


def test_a_gradle_project_is_tested_with_the_classes_of_the_library(tmp_path: Path) -> None:
    """Those that it names are as old as it likes."""
    library = tmp_path / "library"
    shutil.copytree(FIXTURES / "subjects" / "jmh", library)
    book = "org/example/wordbook/Book.java"
    source = (library / "wordbook" / "src/main/java" / book).read_text()
    compiled(tmp_path / "audited", {book: source}, "-Xlint:none")
    shutil.copytree(tmp_path / "audited" / "classes", library / "wordbook" / "target" / "classes")
    released = source.replace("return name.", "if (true) throw new IllegalStateException(); return name.")
    assert released != source
    old = compiled(tmp_path / "released", {book: released}, "-Xlint:none")
    opened = Workspace(root=shared_cache() / "workspaces" / "java-gradle-reader")
    shutil.rmtree(opened.root, ignore_errors=True)
    reader = FIXTURES / "downstreams" / "java" / "reader"
    shutil.copytree(reader / "src", opened.tree / "src")
    (opened.tree / "build.gradle").write_text(GRADLE_BUILD.format(library=old))
    for folder in (opened.home, opened.results):
        folder.mkdir()
    trace = traced(JavaTracer(), opened, library, SETTINGS)
    assert "--offline" in JavaTracer().command(opened, library, SETTINGS).argv
    counts = JavaTracer().counts(opened, methods(library), trace.tested)
    assert KNOWN_DIRECT == counts.direct
    assert (3, 1) == (counts.tests_passed, counts.tests_failed)


def test_of_a_library_that_maven_cannot_install_the_release_is_traced(tmp_path: Path) -> None:
    opened = Workspace(root=tmp_path / "kept" / "workspaces" / "w")
    for folder in (opened.results, opened.home):
        folder.mkdir(parents=True)
    shutil.copytree(FIXTURES / "downstreams" / "java" / "reader", opened.tree)
    named = (opened.tree / "pom.xml").read_text()
    _, install, _ = JavaTracer().prepare(opened, FIXTURES / "subjects" / "jmh_gradle", SETTINGS)
    assert "the released one is traced" in LocalExecutor().execute(install).log
    assert (opened.tree / "pom.xml").read_text() == named


def test_no_build_of_library_or_downstream_is_told_to_others(tmp_path: Path) -> None:
    opened, library = Workspace(root=tmp_path / "workspace"), tmp_path / "library"
    for project in (opened.tree, library):
        (project / ".mvn").mkdir(parents=True)
        (project / "pom.xml").write_text(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>"
        )
        (project / ".mvn" / "extensions.xml").write_text(
            "<extensions><extension><artifactId>develocity-maven-extension</artifactId></extension></extensions>"
        )
    list(JavaTracer().prepare(opened, library, SETTINGS))
    copies = (opened.root / "library", opened.tree, library)
    assert [False, False, True] == [
        "develocity" in (copy / ".mvn" / "extensions.xml").read_text() for copy in copies
    ]


def test_what_is_neither_a_maven_nor_a_gradle_project_is_refused(tmp_path: Path) -> None:
    opened = Workspace(root=tmp_path)
    opened.tree.mkdir()
    with pytest.raises(ControlFailedError, match="expected a Maven or Gradle project"):
        JavaTracer().prepare(opened, FIXTURES / "subjects" / "jmh", SETTINGS)


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
