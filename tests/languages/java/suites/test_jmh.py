"""JMH: listings as they are read, and one real project, built and measured."""

import json
import shutil
import subprocess
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.execution.local import LocalExecutor
from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.suites.benchmark_list import Entry
from abs_audit.languages.java.suites.jmh import JmhSuite, listed
from abs_audit.languages.java.suites.plan import JVM_OPTIONS, ONCE, OPEN_CONSOLE, JmhPlan, forks, plan_of
from abs_audit.languages.java.toolchain.jdk import java_home
from abs_audit.languages.java.toolchain.maven import GENERATED
from abs_audit.model.experiment import BlockKind, Command, Execution, Mode, Workspace
from abs_audit.model.measurement import Status
from tests.support.executions import ended
from tests.support.jmh_records import block, record, step
from tests.support.toolchains import shared_cache

SUBJECT = Path(__file__).parents[4] / "fixtures" / "subjects" / "jmh"
SETTINGS = BuildSettings(interpreter=None, requirements=(), paths=(), environment={})
RENDER = "org.example.wordbook.Book.render()"
LISTING = """Benchmarks: 
org.example.A.plain
org.example.A.sized
  param "size" = {1, 10}
  param "kind" = {a [b]}
org.example.A.quoted
  param "value" = {, "a", "a ""b"" c"}
"""


def test_each_combination_of_parameters_is_a_benchmark() -> None:
    assert {
        "org.example.A.plain": {},
        "org.example.A.sized:size=1,kind=a [b]": {"size": "1", "kind": "a [b]"},
        "org.example.A.sized:size=10,kind=a [b]": {"size": "10", "kind": "a [b]"},
        "org.example.A.quoted:value=": {"value": ""},
        'org.example.A.quoted:value="a"': {"value": '"a"'},
        'org.example.A.quoted:value="a ""b"" c"': {"value": '"a ""b"" c"'},
    } == {benchmark.id: dict(benchmark.parameters) for benchmark in listed(LISTING)}


def test_a_real_fork_tells_what_it_had_of_the_processor(built: Workspace) -> None:
    asked = block(
        step(Mode.TIME, methods=[RENDER]), benchmark="org.example.wordbook.bench.BookBenchmark.render"
    )
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    (timed,) = JmhSuite().trials([asked], execute(command).output)
    assert timed.tally is not None
    assert 0.02 < timed.tally.methods[RENDER].on_processor < 1.0


def test_the_driver_is_compiled_once_but_again_where_that_failed(tmp_path: Path) -> None:
    done = str(tmp_path / "complete")
    for tries, compiler in enumerate(("exit 1", "exit 0", "exit 0"), start=1):
        command = ["sh", "-c", f"echo >> {tmp_path}/calls; {compiler}"]
        ended = subprocess.run(["sh", "-c", ONCE, done, *command], check=False).returncode
        assert (ended, min(tries, 2)) == (int(tries == 1), len((tmp_path / "calls").read_text()))


def test_only_arms_with_the_same_probes_share_a_fork() -> None:
    control, mutant = step(Mode.CONTROL, methods=["m"]), step(Mode.DELAY, delay_ns=5.0, methods=["m"])
    other = step(Mode.DELAY, delay_ns=5.0, methods=["n", "m"])
    time, off = step(Mode.TIME, methods=["m"]), step(Mode.OFF)
    asked = block(control, off, mutant, time, other, off, control)
    assert [(0, 2, 6), (1,), (3,), (4,), (5,)] == forks(asked)
    slower = replace(mutant, arm=replace(mutant.arm, batch=11))
    longer = replace(mutant, iterations=2)
    assert [(0,), (1,), (2,)] == forks(block(control, slower, longer))
    both = [step(Mode.DELAY, delay_ns=5.0, methods=["m", "n"]), step(Mode.CONTROL, methods=["m", "n"])]
    second = replace(both[0], arm=replace(both[0].arm, slowed="n"))
    assert [(0, 1, 2)] == forks(block(*both, second))


def test_what_counts_calls_goes_on_in_the_fork_in_which_it_began() -> None:
    few, more = step(Mode.COUNT, 2, methods=["m"]), step(Mode.COUNT, 500, methods=["m"])
    assert [(0, 1)] == forks(block(few, more))
    assert [(0,), (1,)] == forks(block(few, step(Mode.COUNT, 500, methods=["n"])))


def test_a_real_fork_counts_on(built: Workspace) -> None:
    """Each step has its own calls; JMH has one number of invocations for all, and the fork begins once."""
    asked = block(
        step(Mode.COUNT, 2, methods=[RENDER]),
        step(Mode.COUNT, 17, methods=[RENDER]),
        benchmark="org.example.wordbook.bench.BookBenchmark.render",
    )
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    few, more = JmhSuite().trials([asked], execute(command).output)
    assert {Status.OK} == {few.status, more.status}, few.reason
    assert few.tally is not None
    assert more.tally is not None
    assert [17, 17, 17, 17] == [
        *(trial.invocations for trial in (few, more)),
        *(tally.methods[RENDER].calls for tally in (few.tally, more.tally)),
    ]
    assert more.wall_s >= 17 * more.values[0]
    assert few.wall_s > 17 * few.values[0]


def test_a_real_fork_counts_for_a_time(built: Workspace) -> None:
    """JMH tells what it executed in each iteration; only the first one's trial has the start of the fork."""
    brief = replace(step(Mode.COUNT, methods=[RENDER]), invocations=None, target_s=0.02)
    asked = block(brief, brief, benchmark="org.example.wordbook.bench.BookBenchmark.render")
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    trials = JmhSuite().trials([asked], execute(command).output)
    assert {Status.OK} == {trial.status for trial in trials}, trials[0].reason
    for trial in trials:
        assert trial.tally is not None
        assert trial.invocations == trial.tally.methods[RENDER].calls > 0
        assert trial.wall_s >= 0.02
        assert trial.values[0] * trial.invocations < 2 * trial.wall_s


def test_a_filter_names_methods_and_nothing_more() -> None:
    assert r"^(org\.example\.A\.sized|org\.example\.B\.b)$" == JmhSuite().filter(
        ["org.example.A.sized:size=1", "org.example.A.sized:size=2", "org.example.B.b"]
    )


def test_a_project_that_only_manages_the_version_of_jmh_has_no_suite(tmp_path: Path) -> None:
    dependency = "<dependency><artifactId>jmh-core</artifactId></dependency>"
    (tmp_path / "pom.xml").write_text(f"<dependencyManagement>{dependency}</dependencyManagement>")
    assert not JmhSuite().detect(tmp_path)
    (tmp_path / "pom.xml").write_text(f"<dependencies>{dependency}</dependencies>")
    assert JmhSuite().detect(tmp_path)


def execute(command: Command) -> Execution:
    done = LocalExecutor().execute(command)
    assert 0 == done.exit_code, done.log
    return done


@pytest.fixture(scope="module")
def built() -> Workspace:
    """The fixture with its method probed, built by Maven."""
    opened = Workspace(root=shared_cache() / "workspaces" / "jmh-wordbook")
    shutil.rmtree(opened.root, ignore_errors=True)
    shutil.copytree(SUBJECT, opened.tree)
    for folder in (opened.home, opened.results):
        folder.mkdir()
    sources = {path.relative_to(SUBJECT).as_posix(): path.read_text() for path in SUBJECT.rglob("*.java")}
    for name, text in JavaInjector().instrument(sources, [RENDER]).files.items():
        (opened.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (opened.tree / name).write_text(text)
    for command in JmhSuite().prepare(opened, SETTINGS):
        execute(command)
    return opened


def test_the_real_listing_names_every_benchmark(built: Workspace) -> None:
    suite = JmhSuite()
    discovery = suite.discovery(execute(suite.discover(built, SETTINGS)))
    expected = json.loads((SUBJECT / "expected.json").read_text())["benchmarks"]
    assert sorted(expected) == sorted(benchmark.id for benchmark in discovery.benchmarks)


def test_benchmarks_whose_build_leaves_processors_out_are_found_in_their_classes(built: Workspace) -> None:
    """All that follows measures what was made here."""
    *_, processing, _ = JmhSuite().prepare(built, SETTINGS)
    listing = built.tree / "benchmarks" / "target" / "classes" / "META-INF" / "BenchmarkList"
    own = built.tree / "benchmarks" / GENERATED
    execute(processing)
    assert (True, False) == (listing.exists(), own.exists())
    names = listing.read_text()
    listing.unlink()
    execute(processing)
    assert sorted(names.splitlines()) == sorted((own / "META-INF/BenchmarkList").read_text().splitlines())
    assert any(own.rglob("BookBenchmark_render_jmhTest.class"))


def test_real_forks_count_exactly_and_inject_what_is_requested(built: Workspace) -> None:
    suite = JmhSuite()
    asked = block(
        step(Mode.COUNT, 17, methods=[RENDER]),
        step(Mode.CONTROL, 1000, methods=[RENDER]),
        step(Mode.DELAY, 1000, delay_ns=50_000.0, methods=[RENDER]),
        benchmark="org.example.wordbook.bench.BookBenchmark.render",
    )
    (command,) = suite.commands(built, SETTINGS, [asked])
    output = execute(command).output
    counted, control, slowed = suite.trials([asked], output)
    assert {Status.OK} == {trial.status for trial in (counted, control, slowed)}, output
    assert counted.tally is not None
    assert control.tally is not None
    assert slowed.tally is not None
    assert 17 == counted.tally.methods[RENDER].calls
    delayed = slowed.tally.methods[RENDER]
    assert delayed.calls == 10 * delayed.batches > 0
    assert delayed.injected_s >= 0.9 * delayed.calls * 50e-6
    assert (True, 0.0) == (
        control.tally.methods[RENDER].batches > 0,
        control.tally.methods[RENDER].injected_s,
    )
    # The control may have met a busier moment.
    assert slowed.values[0] > 50e-6


def test_looks_at_the_stack_of_a_real_fork_find_a_method_that_is_not_inlined(built: Workspace) -> None:
    longer = replace(step(Mode.SAMPLE, methods=[RENDER]), target_s=0.3)
    asked = block(longer, benchmark="org.example.wordbook.bench.BookBenchmark.render")
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    (trial,) = JmhSuite().trials([asked], execute(command).output)
    assert trial.tally is not None, trial.reason
    # It is all that the benchmark does; a busy machine lets it be looked at seldom.
    assert (True, 0) == (trial.tally.samples > 5, trial.tally.methods[RENDER].samples_outside)
    assert trial.tally.methods[RENDER].samples >= 0.5 * trial.tally.samples


def test_a_value_with_a_comma_is_one_value(built: Workspace) -> None:
    """JMH's own command line would execute one benchmark for each of its parts."""
    name = "org.example.wordbook.bench.BookBenchmark.checksum:turns=20,text=plum, b"
    asked = block(step(Mode.COUNT, 1, methods=[RENDER]), benchmark=name)
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    (counted,) = JmhSuite().trials([asked], execute(command).output)
    assert (Status.OK, "") == (counted.status, counted.reason)


def test_a_real_forks_delay_is_in_proportion_to_its_control(built: Workspace) -> None:
    """20 µs a call would be right if the control took a second."""
    arms = [step(Mode.CONTROL, methods=[RENDER]), step(Mode.DELAY, delay_ns=20_000.0, methods=[RENDER])]
    steps = [replace(wanted, arm=replace(wanted.arm, control_s=1.0)) for wanted in arms]
    asked = block(*steps, benchmark="org.example.wordbook.bench.BookBenchmark.render")
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    control, slowed = JmhSuite().trials([asked], execute(command).output)
    assert slowed.tally is not None
    counted = slowed.tally.methods[RENDER]
    assert counted.requested_s is not None
    assert 0 < counted.requested_s < 0.5 * counted.calls * 20e-6
    # What was requested in warm-up was not in proportion yet.
    assert slowed.values[0] < 10 * control.values[0]


def test_first_looks_share_a_real_process_until_one_calls_a_probe_or_fails(built: Workspace) -> None:
    once = replace(step(Mode.COUNT, 1, methods=[RENDER]), iterations=2)
    bench = "org.example.wordbook.bench.BookBenchmark"
    text = "turns=20,text=a [b]"
    names = [
        f"{bench}.{name}" for name in (f"checksum:{text}", "none", "render", f"checksum:{text}", "render")
    ]
    asked = [
        replace(block(once, benchmark=name), id=str(number), kind=BlockKind.FIRST_LOOK)
        for number, name in enumerate(names)
    ]
    (command,) = JmhSuite().commands(built, SETTINGS, asked)
    looks = JmhSuite().trials(asked, execute(command).output)
    assert [True, False, True, True, True] == [look.status is Status.OK for look in looks]
    calls = [look.tally.methods[RENDER].calls if look.tally else None for look in looks]
    assert [0, None, 2, 0, 2] == calls


def test_a_real_build_tells_what_benchmarks_may_call(built: Workspace) -> None:
    output = execute(plan_of(built, SETTINGS).may_call()).output
    told = {record["benchmark"]: record["methods"] for record in map(json.loads, output.splitlines())}
    bench = "org.example.wordbook.bench.BookBenchmark"
    assert told == {f"{bench}.checksum": [], f"{bench}.index": [], f"{bench}.render": [RENDER]}


def test_one_that_wants_a_jvm_of_its_own_gives_no_evidence_in_that_of_others(
    built: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "org.example.wordbook.bench.BookBenchmark.render"
    asked = replace(block(step(Mode.COUNT, 1, methods=[RENDER]), benchmark=name), kind=BlockKind.FIRST_LOOK)
    own = Entry(benchmark=name, generated="B", mode="AverageTime", in_any_jvm=False, leads_alike=True)
    monkeypatch.setattr(JmhPlan, "_listed", lambda *_: [own])
    (command,) = JmhSuite().commands(built, SETTINGS, [asked])
    (trial,) = JmhSuite().trials([asked], execute(command).output)
    assert Status.OK is not trial.status


def test_iterations_are_as_long_as_they_are_asked_to_be_but_none_is_too_short(built: Workspace) -> None:
    own = [
        replace(step(Mode.OFF), iterations=number, target_s=s)
        for number, s in ((1, 0.02), (4, 0.02), (2, 0.2))
    ]
    asked = [
        replace(
            block(wanted, benchmark="org.example.wordbook.bench.BookBenchmark.render"), id=f"length/{number}"
        )
        for number, wanted in enumerate(own)
    ]
    (command,) = JmhSuite().commands(built, SETTINGS, asked)
    records = [json.loads(line) for line in execute(command).output.splitlines()]
    results = [json.loads(record["result"])[0] for record in records]
    assert [(3, "100 ms"), (4, "50 ms"), (2, "200 ms")] == [
        (result["measurementIterations"], result["measurementTime"]) for result in results
    ]


def test_forks_have_the_same_options_as_ever_and_share_what_they_load_of_jmh(built: Workspace) -> None:
    shared = []
    for number in range(2):
        rendered = block(step(Mode.OFF), benchmark="org.example.wordbook.bench.BookBenchmark.render")
        asked = replace(rendered, id=f"options/{number}")
        (command,) = JmhSuite().commands(built, SETTINGS, [asked])
        (result,) = json.loads(json.loads(execute(command).output)["result"])
        share, *options = [
            option
            for option in result["jvmArgs"]
            if not option.startswith(("-Duser.home=", "-Djava.io.tmpdir="))
        ]
        shared.append(share.partition("="))
        assert [*JVM_OPTIONS, OPEN_CONSOLE] == options
    assert "-XX:SharedArchiveFile" == shared[-1][0]
    archive = Path(shared[-1][2])
    assert b"org/openjdk/jmh/runner/ForkedMain" in archive.read_bytes()
    _, _, jars = Path(command.argv[-2]).read_text().partition("\n")[0].split(" ")
    # It ends where it cannot map the archive.
    strict = ["-Xshare:on", f"-XX:SharedArchiveFile={archive}", "-cp", b64decode(jars).decode(), "-version"]
    subprocess.run([str(java_home(None) / "bin" / "java"), *JVM_OPTIONS, *strict], check=True)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("java.lang.NoClassDefFoundError: org/openjdk/jmh/Main\n", r"java\.lang\.NoClassDef"),
        (
            "java.lang.RuntimeException: ERROR: Unable to find the resource: /META-INF/BenchmarkList\n",
            r"its annotation processor made no list of them.*-proc:none",
        ),
    ],
)
def test_a_listing_that_fails_is_an_error(said: str, told: str) -> None:
    output = record(key="benchmarks", exit=1, log=said)
    execution = ended(output=output)
    with pytest.raises(ControlFailedError, match=f"JMH cannot list its benchmarks: {told}"):
        JmhSuite().discovery(execution)


def test_a_driver_that_says_nothing_is_an_error_and_not_a_suite_without_benchmarks() -> None:
    execution = ended(1, log="no Host")
    with pytest.raises(ControlFailedError, match=r"exit code 1\): no Host"):
        JmhSuite().discovery(execution)
