"""The suite door for pytest-benchmark and CodSpeed, against real pytest sessions of fixture subjects."""

import json
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.execution.local import LocalExecutor
from abs_audit.languages.python.suites.pytest_benchmark import PytestBenchmarkSuite, kept_options, using_files
from abs_audit.model.experiment import UNPROBED, Mode, Step, Workspace
from abs_audit.model.measurement import Status, Trial
from tests.support.executions import ended
from tests.support.python_subjects import (
    SETTINGS,
    SUBJECTS,
    arm,
    block,
    executed,
    listed,
    step,
    values,
    workspace,
)

SUITE = PytestBenchmarkSuite()
BOOK = "wordbook.book.Book."
FAILURES = "benchmarks/test_failures.py::"
ODD = ["a b", "[x]", "\\xe9/\\xf6", "a::b", "quote\"'", "-k"]


def expected(subject: str) -> dict[str, list[str]]:
    contents: dict[str, list[str]] = json.loads((SUBJECTS / subject / "expected.json").read_text())
    return contents


def outcome(trials: list[Trial]) -> list[tuple[Status, str]]:
    return [(trial.status, trial.reason) for trial in trials]


@pytest.fixture
def book(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, "pytest_benchmark", probed=True)


@pytest.fixture
def failures(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, "pytest_benchmark_broken")


def test_benchmarks_are_listed_under_their_node_ids(book: Workspace) -> None:
    discovery = listed(SUITE, book)
    assert expected("pytest_benchmark")["benchmarks"] == [benchmark.id for benchmark in discovery.benchmarks]
    assert discovery.benchmarks[2].parameters == {"turns": "600"}
    assert discovery.broken == ()


def test_a_file_that_cannot_be_imported_is_broken_and_the_others_are_listed(failures: Workspace) -> None:
    discovery = listed(SUITE, failures)
    assert {broken.id: broken.reason for broken in discovery.broken} == {
        "benchmarks/test_unimportable.py": "ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
        "benchmarks/test_unwanted.py": "Skipped: this file is for another platform"
        " (benchmarks/test_unwanted.py:3)",
    }
    assert FAILURES + "test_works" in [benchmark.id for benchmark in discovery.benchmarks]


def test_a_listing_that_was_cut_off_is_refused() -> None:
    cut_off = ended(
        -9,
        '{"record": "benchmark", "id": "a", "parameters": {}}\n',
        "conftest.py: no such luck",
        timed_out=True,
    )
    with pytest.raises(ControlFailedError, match=r"(?s)exit code -9.*no such luck"):
        SUITE.discovery(cut_off)


def test_an_interpreter_without_the_framework_is_told_in_one_line(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    bare = str(tmp_path / "bare" / "bin" / "python")
    place = workspace(tmp_path / "copy", "pytest_benchmark")
    plan = SUITE.discover(place, replace(SETTINGS, interpreter=bare))
    with pytest.raises(ControlFailedError) as refusal:
        SUITE.discovery(LocalExecutor().execute(plan))
    assert f"{bare} has no module pytest; install it there, or leave out --interpreter" in str(refusal.value)
    assert "Traceback" not in str(refusal.value)


def test_blocks_are_executed_in_the_order_given_however_often_a_benchmark_comes_up(book: Workspace) -> None:
    last, first = expected("pytest_benchmark")["benchmarks"][3], expected("pytest_benchmark")["benchmarks"][0]
    blocks = [block("1", last), block("2", first), block("3", first), block("4", last)]
    trials = executed(SUITE, book, blocks)
    assert [trial.block for trial in trials] == ["1", "2", "3", "4"]
    assert outcome(trials) == [(Status.OK, "")] * 4


def test_an_iteration_is_as_many_invocations_as_the_step_says(book: Workspace) -> None:
    (trial,) = executed(
        SUITE,
        book,
        [block("b", "benchmarks/test_book.py::test_index", step(arm(Mode.DELAY, BOOK + "index")))],
    )
    assert (trial.invocations, len(trial.values)) == (2, 2)
    assert trial.tally is not None
    assert trial.tally.methods[BOOK + "index"].calls == 2 * 2


def test_without_a_number_the_invocations_are_doubled_until_the_target(book: Workspace) -> None:
    free = Step(arm=UNPROBED, invocations=None, target_s=0.02, iterations=1, warmup=0)
    (trial,) = executed(SUITE, book, [block("b", "benchmarks/test_book.py::test_index", free)])
    # 2000 turns of a loop: far below the target of 20 ms, far above a microsecond.
    assert trial.invocations in {2**n for n in range(1, 15)}


def test_calls_in_fixtures_are_told_from_calls_in_the_timed_region(book: Workspace) -> None:
    both = step(arm(Mode.COUNT, BOOK + "index", BOOK + "load"))
    (trial,) = executed(SUITE, book, [block("b", "benchmarks/test_book.py::test_index", both)])
    assert trial.tally is not None
    calls = {name: (tally.calls, tally.setup_calls) for name, tally in trial.tally.methods.items()}
    assert calls == {BOOK + "index": (4, 0), BOOK + "load": (0, 1)}


def test_set_up_of_one_benchmark_is_not_counted_for_another(book: Workspace) -> None:
    count = step(arm(Mode.COUNT, BOOK + "index", BOOK + "load"))
    index, checksum = (expected("pytest_benchmark")["benchmarks"][n] for n in (0, 2))
    trials = executed(SUITE, book, [block("1", index, count), block("2", checksum, count)])
    assert trials[1].tally is not None
    assert not trials[1].tally.methods


def test_what_an_import_calls_is_told_from_what_a_benchmark_sets_up(book: Workspace) -> None:
    module = book.tree / "benchmarks" / "test_book.py"
    module.write_text(module.read_text() + "\nLOADED = Book().load()\n")
    count = step(arm(Mode.COUNT, BOOK + "load"))
    index, checksum = (expected("pytest_benchmark")["benchmarks"][n] for n in (0, 2))
    trials = executed(SUITE, book, [block("1", index, count), block("2", checksum, count)])
    load = [trial.tally.methods[BOOK + "load"] for trial in trials if trial.tally]
    assert [(2, 1), (1, 1)] == [(tally.setup_calls, tally.loading_calls) for tally in load]


def test_each_step_of_a_block_has_its_own_arm_and_tally(book: Workspace) -> None:
    steps = [
        step(arm(Mode.CONTROL, BOOK + "index")),
        step(arm(Mode.DELAY, BOOK + "index", slowed=BOOK + "index")),
        step(),
    ]
    trials = executed(SUITE, book, [block("b", "benchmarks/test_book.py::test_index", *steps)])
    entries = [trial.tally and trial.tally.methods.get(BOOK + "index") for trial in trials]
    assert [0.0, pytest.approx(4e-6), None] == [entry and entry.injected_s for entry in entries]
    first = trials[0].tally
    assert first is not None
    assert first.methods[BOOK + "index"].probe_s == pytest.approx(3e-9 * first.methods[BOOK + "index"].calls)
    assert [trial.tally and trial.tally.build_id for trial in trials] == ["fake", "fake", ""]


def test_an_arm_with_probes_fails_where_no_probe_is_loaded(failures: Workspace) -> None:
    ((status, reason),) = outcome(
        executed(
            SUITE, failures, [block("b", FAILURES + "test_works", step(arm(Mode.CONTROL, BOOK + "index")))]
        )
    )
    assert status == Status.FAILED
    assert "no probe in this process" in reason


BAD = {
    "test_raises": ("failed", "ValueError: the benchmark breaks (benchmarks/test_failures.py:20)"),
    "test_whose_setup_fails": ("failed", "RuntimeError: the fixture breaks"),
    "test_skipped": ("skipped", "not on a Tuesday"),
    "test_skips_itself": ("skipped", "not on this machine"),
    "test_asserts_wrongly": ("failed", "the test fails: assert 750 == -1"),
    "test_never_measures": ("failed", "the test never called its benchmark fixture"),
    "test_measures_twice": ("failed", "Fixture can only be used once"),
    "test_exits": ("failed", "the benchmark ended its process with exit code 3"),
    "test_is_killed": ("failed", "the benchmark's process was killed by SIGKILL"),
    "test_hangs": ("timed-out", "not done after the limit of 0.3 s"),
    "test_unheard_of": ("missing", "the suite has no such benchmark"),
}


@pytest.fixture(scope="module")
def failed_trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    place = workspace(tmp_path_factory.mktemp("failures"), "pytest_benchmark_broken")
    blocks = [block(test, FAILURES + test, step(), step(), limit_s=0.3) for test in BAD]
    return executed(SUITE, place, [*blocks, block("test_works", FAILURES + "test_works")])


@pytest.mark.parametrize("test", BAD)
def test_a_failure_gives_each_of_its_steps_one_record_with_the_reason(
    failed_trials: list[Trial], test: str
) -> None:
    status, reason = BAD[test]
    own = [trial for trial in failed_trials if trial.block == test]
    assert [(0, status), (1, status)] == [(trial.position, trial.status) for trial in own]
    assert all(reason in trial.reason for trial in own)


def test_after_failures_of_all_kinds_the_next_benchmark_is_measured(failed_trials: list[Trial]) -> None:
    (good,) = [trial for trial in failed_trials if trial.block == "test_works"]
    assert good.status == Status.OK


def test_a_suite_that_skips_its_benchmarks_unless_asked_for_them_is_asked(book: Workspace) -> None:
    """As fastapi's files do, conftest files that look at the option, and msgspec's that looks for paths."""
    skipping = (
        "import sys, pytest\nif not {'--codspeed', 'benchmarks/test_asked.py'} <= set(sys.argv):\n"
        "    pytest.skip(allow_module_level=True)\n"
    )
    (book.tree / "benchmarks" / "test_asked.py").write_text(
        f"import sys, pytest\n{skipping}def test_asked(benchmark, request):\n"
        "    assert request.config.getoption('--codspeed')\n    benchmark(int)\n"
    )
    name = "benchmarks/test_asked.py::test_asked"
    assert name in {benchmark.id for benchmark in listed(SUITE, book).benchmarks}
    (trial,) = executed(SUITE, book, [block("b", name, step(invocations=1, iterations=1))])
    assert Status.OK is trial.status


def test_a_file_that_vanished_is_missing(book: Workspace) -> None:
    assert outcome(executed(SUITE, book, [block("b", "benchmarks/test_gone.py::test_x")])) == [
        (Status.MISSING, "the suite has no such benchmark")
    ]


def test_parameters_with_odd_characters_are_found_again(failures: Workspace) -> None:
    ids = [f"{FAILURES}test_odd[{text}]" for text in ODD]
    assert set(ids) < {benchmark.id for benchmark in listed(SUITE, failures).benchmarks}
    trials = executed(SUITE, failures, [block(name, name) for name in ids])
    assert [(name, Status.OK) for name in ids] == [(trial.block, trial.status) for trial in trials]


def test_functions_and_classes_are_told_by_their_names(book: Workspace) -> None:
    """Those of one benchmark would read alike by their types; what has no name is told by its type."""
    marked = "import pytest\n\n@pytest.mark.parametrize('kind', [len, dict, object()], ids=['a', 'b', 'c'])\n"
    path = book.tree / "benchmarks" / "test_kinds.py"
    path.write_text(f"{marked}def test_kind(benchmark, kind): ...\n")
    told = [known.parameters for known in listed(SUITE, book).benchmarks if path.name in known.id]
    assert told == [{"kind": "len"}, {"kind": "dict"}, {"kind": "<object>"}]


def test_set_up_for_each_call_is_honoured_and_left_out_of_the_region(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark_broken", probed=True)
    count = step(arm(Mode.COUNT, BOOK + "index", BOOK + "load"), warmup=0)
    name = FAILURES + "TestSetUpForEachCall::test_pedantic"
    (trial,) = executed(SUITE, place, [block("b", name, count)])
    assert trial.tally is not None
    calls = {name: (tally.calls, tally.setup_calls) for name, tally in trial.tally.methods.items()}
    assert calls == {BOOK + "index": (4, 0), BOOK + "load": (0, 4)}


def test_it_is_told_how_many_invocations_the_suite_times_from_the_very_first_on(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark", probed=True)
    calls = {
        "benchmark.pedantic(int)": 1,
        "benchmark.pedantic(int, rounds=3, iterations=2)": 6,
        "benchmark.pedantic(int, setup=lambda: ((), {}), rounds=3)": 3,
        "benchmark.pedantic(int, rounds=3, warmup_rounds=1)": 0,
        "benchmark(int)": 0,
    }
    tests = [f"def test_{number}(benchmark):\n    {call}\n" for number, call in enumerate(calls)]
    (place.tree / "benchmarks" / "test_first.py").write_text("\n\n".join(tests))
    names = [f"benchmarks/test_first.py::test_{number}" for number in range(len(calls))]
    count = step(arm(Mode.COUNT, BOOK + "index"), invocations=2, iterations=1, warmup=0)
    trials = executed(SUITE, place, [block(name, name, count) for name in names])
    assert list(calls.values()) == [trial.tally.from_first for trial in trials if trial.tally]


def test_codspeed_suites_are_measured_through_either_fixture_and_as_whole_tests(tmp_path: Path) -> None:
    place = workspace(tmp_path, "codspeed", probed=True)
    names = [benchmark.id for benchmark in listed(SUITE, place).benchmarks]
    assert expected("codspeed")["benchmarks"] == names
    count = step(arm(Mode.COUNT, *(BOOK + name for name in ("index", "title", "render", "load"))))
    trials = executed(SUITE, place, [block(name, name, count) for name in names])
    assert outcome(trials) == [(Status.OK, "")] * 4
    reached = [
        {name.removeprefix(BOOK) for name, tally in trial.tally.methods.items() if tally.calls}
        for trial in trials
        if trial.tally
    ]
    assert [{"index"}, set(), {"render", "title"}, {"title"}] == reached


def test_a_region_takes_what_the_suites_own_timer_says(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark")
    lines = (
        "import itertools, pytest\n"
        "ticks = itertools.count()\n"
        "mark = pytest.mark.benchmark(timer=lambda: 7.0 * next(ticks))\n"
        "@mark\n"
        "def test_plain(benchmark): benchmark(int)\n"
        "@mark\n"
        "def test_pedantic(benchmark): benchmark.pedantic(int, setup=lambda: ((), {}))\n"
    )
    (place.tree / "benchmarks" / "test_timer.py").write_text(lines)
    names = ["benchmarks/test_timer.py::test_plain", "benchmarks/test_timer.py::test_pedantic"]
    assert [(3.5,), (7.0,)] == values(SUITE, place, names)


def test_a_whole_test_is_called_no_oftener_than_it_is_measured(tmp_path: Path) -> None:
    """One of attrs takes 100 s, and pytest would call it once more for its assertions."""
    place = workspace(tmp_path / "copy", "codspeed")
    calls = tmp_path / "calls"
    body = f"@pytest.mark.benchmark\ndef test_dear():\n    open({str(calls)!r}, 'a').write('x')\n"
    (place.tree / "tests" / "test_dear.py").write_text(f"import pytest\n\n\n{body}")
    once = step(invocations=1, iterations=1, warmup=0)
    (trial,) = executed(SUITE, place, [block("b", "tests/test_dear.py::test_dear", once)])
    assert (Status.OK, "x") == (trial.status, calls.read_text())


def test_the_filter_is_what_a_shell_takes_apart_into_node_ids() -> None:
    assert SUITE.filter(["t.py::test_odd[a b]", "t.py::test_x"]) == "'t.py::test_odd[a b]' t.py::test_x"


def test_a_suite_is_detected_by_what_its_tests_use(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_plain.py").write_text("def test_benchmarks_are_absent():\n    pass\n")
    assert not SUITE.detect(tmp_path)
    (tmp_path / "tests" / "test_fast.py").write_text("def test_x(\n    benchmark, other\n):\n    pass\n")
    assert SUITE.detect(tmp_path)


@pytest.mark.parametrize("name", ["benchmark", "microbenchmarks", "bench_x", "tests", "x_test", "test_x"])
def test_files_named_after_benchmarks_or_tests_may_hold_benchmarks(tmp_path: Path, name: str) -> None:
    for file in (name, "library"):
        (tmp_path / f"{file}.py").write_text("def test_x(benchmark): pass\n")
    assert [tmp_path / f"{name}.py"] == list(using_files(tmp_path))


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("def safe_to_repeat(benchmark: Callable) -> Callable: ...", False),  # a decorator of an asv suite
        ("class TestIt:\n    async def test_x(self, benchmark): ...", True),
        ("@pytest.fixture\ndef timed(benchmark): ...\n", True),
        ("@pytest.fixture(scope='module')\n@other\ndef timed(benchmark): ...\n", True),
        ("def perf_x(benchmark): ...", True),
        ("pytestmark = pytest.mark.benchmark\ndef perf_x(): ...", True),
    ],
)
def test_a_helper_with_a_parameter_of_that_name_is_no_suite(tmp_path: Path, text: str, uses: bool) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_functions = perf_*\n")
    (tmp_path / "bench_utils.py").write_text(text)
    assert uses == SUITE.detect(tmp_path)


def test_tests_below_a_conftest_that_wraps_the_fixture_may_hold_benchmarks(tmp_path: Path) -> None:
    for folder in ("bench", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_it.py").write_text("def test_x(timed): pass\n")
    (tmp_path / "bench" / "conftest.py").write_text("def timed(benchmark): pass\n")
    assert [tmp_path / "bench" / "test_it.py"] == list(using_files(tmp_path))


@pytest.mark.parametrize(
    ("file", "text", "kept"),
    [
        ("pytest.ini", "[pytest]\naddopts = -ra --cov=x -n auto", []),
        (
            "pytest.ini",
            "[pytest]\naddopts = --import-mode importlib -p no:cov -p myplugin -pother",
            ["--import-mode=importlib", "-p", "myplugin", "-p", "other"],
        ),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "--benchmark-disable-gc --ignore=docs --benchmark-only'
            ' --benchmark-timer=time.process_time"',
            ["--benchmark-disable-gc", "--ignore=docs", "--benchmark-timer=time.process_time"],
        ),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-l", "--ignore", "a b"]', ["--ignore=a b"]),
        ("tox.ini", "[pytest]\naddopts = --confcutdir=tests", ["--confcutdir=tests"]),
        ("setup.cfg", "[tool:pytest]\naddopts = --strict-markers", []),
    ],
)
def test_only_options_that_decide_what_can_be_collected_are_kept(
    tmp_path: Path, file: str, text: str, kept: list[str]
) -> None:
    (tmp_path / file).write_text(text)
    assert kept == kept_options(tmp_path)
