"""The suite door for pyperf scripts, against pyperf's own Runner."""

import json
from pathlib import Path

import pytest

from abs_audit.languages.python.suites.pyperf import PyperfSuite
from abs_audit.model.experiment import Mode, Workspace
from abs_audit.model.measurement import Status
from tests.support.python_subjects import SUBJECTS, arm, block, executed, listed, step, workspace

SUITE = PyperfSuite()
BOOK = "wordbook.book.Book."
SCRIPT = "perf/bench_book.py::"
METHODS = ("wordbook.book.checksum", BOOK + "index", BOOK + "render", BOOK + "load")
EXPECTED: dict[str, list[str]] = json.loads((SUBJECTS / "pyperf" / "expected.json").read_text())


@pytest.fixture
def book(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, "pyperf", probed=True)


def test_scripts_are_listed_up_to_what_they_would_time(book: Workspace) -> None:
    discovery = listed(SUITE, book)
    assert EXPECTED["benchmarks"] == [benchmark.id for benchmark in discovery.benchmarks]
    assert {broken.id: broken.reason.split(",")[0] for broken in discovery.broken} == {
        SCRIPT + "command": "times a command in a process of its own",
        "perf/bm_broken.py": "RuntimeError: the script breaks (perf/bm_broken.py:8)",
    }


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("index a book", BOOK + "index"),
        ("checksum", "wordbook.book.checksum"),
        ("render", BOOK + "render"),
        ("statement", "wordbook.book.checksum"),
    ],
)
def test_each_kind_of_benchmark_is_measured_apart_from_its_set_up(
    book: Workspace, name: str, method: str
) -> None:
    (trial,) = executed(SUITE, book, [block("b", SCRIPT + name, step(arm(Mode.COUNT, *METHODS)))])
    assert (trial.status, trial.reason) == (Status.OK, "")
    assert trial.tally is not None
    calls = {name: (tally.calls, tally.setup_calls) for name, tally in trial.tally.methods.items()}
    assert calls == {BOOK + "load": (0, 1), method: (4, 0)}


def test_a_suite_without_warm_up_times_the_first_invocation_of_its_processes(book: Workspace) -> None:
    settings = {"warmups=0, values=2, loops=5": 10, "warmups=0, min_time=3600": None, "loops=5": 0}
    for number, options in enumerate(settings):
        text = f"import pyperf\npyperf.Runner({options}).bench_func('it', sum, range(100))\n"
        (book.tree / "perf" / f"bm_cold{number}.py").write_text(text)
    count = step(arm(Mode.COUNT, *METHODS), invocations=2, iterations=1)
    names = [f"perf/bm_cold{number}.py::it" for number in range(len(settings))]
    trials = executed(SUITE, book, [block(name, name, count) for name in names])
    fixed, for_a_time, warm = (trial.tally.from_first for trial in trials if trial.tally)
    assert (fixed, warm) == (10, 0)
    assert for_a_time == round(3 * 3600 / trials[1].values[0])


def test_a_script_runs_again_where_the_order_of_the_blocks_asks_for_it(book: Workspace) -> None:
    names = [SCRIPT + "render", SCRIPT + "checksum", SCRIPT + "render", "perf/bm_broken.py::works"]
    blocks = [block(str(number), name) for number, name in enumerate(names)]
    trials = executed(SUITE, book, blocks)
    assert {(str(number), Status.OK) for number in range(4)} == {(t.block, t.status) for t in trials}


def test_failures_are_recorded_with_their_reasons(book: Workspace) -> None:
    names = {
        "perf/bm_broken.py::raises": ("failed", "TypeError: 'str' object"),
        "perf/bm_broken.py::after": ("failed", "RuntimeError: the script breaks"),
        "perf/bench_book.py::command": ("failed", "times a command"),
        "perf/bench_book.py::unheard of": ("missing", "the suite has no such benchmark"),
        "perf/gone.py::x": ("missing", "the suite has no such benchmark"),
    }
    trials = {trial.block: trial for trial in executed(SUITE, book, [block(name, name) for name in names])}
    assert set(names) == set(trials)
    for name, (status, reason) in names.items():
        assert status == trials[name].status
        assert reason in trials[name].reason


def test_a_suite_is_detected_by_a_script_that_starts_a_runner(tmp_path: Path) -> None:
    script = tmp_path / "bm.py"
    script.write_text("import pyperf\npyperf.perf_counter()\n")
    assert not SUITE.detect(tmp_path)
    script.write_text("from pyperf import Runner\nRunner().bench_func('x', len, [])\n")
    assert SUITE.detect(tmp_path)


def test_scripts_whose_runner_a_module_of_their_suite_starts_are_listed(book: Workspace) -> None:
    folder = book.tree / "perf" / "shared"
    (folder / "kinds").mkdir(parents=True)
    for package in (folder.parent, folder, folder / "kinds"):
        (package / "__init__.py").touch()
    (folder / "common.py").write_text(
        "import pyperf\n\ndef run(name):\n    pyperf.Runner().bench_func(name, print)\n"
    )
    (folder / "kinds" / "load.py").write_text("from perf.shared.common import run\n\nrun('load')\n")
    (book.tree / "elsewhere.py").write_text("from perf.shared.common import run\n\nrun('elsewhere')\n")
    shared = [
        each.id
        for each in listed(SUITE, book).benchmarks
        if "perf/bm_" not in each.id and SCRIPT not in each.id
    ]
    assert ["perf/shared/kinds/load.py::load"] == shared


def test_names_are_quoted_for_a_shell() -> None:
    assert SUITE.filter([SCRIPT + "index a book"]) == "'perf/bench_book.py::index a book'"
