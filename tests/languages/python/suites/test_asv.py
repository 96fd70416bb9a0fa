"""The suite door for asv, against asv's own runner on fixture subjects."""

import json
import re
from pathlib import Path

import pytest

from abs_audit.errors import UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.asv import (
    AsvSuite,
    matrix_environment,
    matrix_requirements,
    read_configuration,
)
from abs_audit.model.experiment import Mode, Workspace
from abs_audit.model.measurement import Status, Trial
from tests.support.python_subjects import SUBJECTS, arm, block, executed, listed, step, values, workspace

SUITE = AsvSuite()
BOOK = "wordbook.book.Book."
EXPECTED: dict[str, list[str]] = json.loads((SUBJECTS / "asv" / "expected.json").read_text())
BAD = {
    "time_raises": ("failed", "ValueError: the benchmark breaks (benchmarks/failures.py:12)"),
    "time_exits": ("failed", "the benchmark ended its process with exit code 3"),
    "time_is_killed": ("failed", "the benchmark's process was killed by SIGKILL"),
    "time_hangs": ("timed-out", "not done after the limit of 0.3 s"),
    "SetupFails.time_it": ("failed", "RuntimeError: the setup breaks"),
    "SetupDeclines.time_it(2)": ("skipped", "its setup does not want these parameters"),
    "CacheFails.time_it": ("failed", "setup_cache: RuntimeError: the cache breaks"),
    "CannotBeMade.time_it": ("failed", "RuntimeError: the class breaks"),
    "timeraw_elsewhere": ("failed", "in processes of its own"),
    "time_unheard_of": ("missing", "the suite has no such benchmark"),
}


@pytest.fixture
def book(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, "asv", probed=True)


@pytest.fixture(scope="module")
def failed_trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    place = workspace(tmp_path_factory.mktemp("failures"), "asv_broken")
    names = [*BAD, "time_works", "SetupDeclines.time_it(1)"]
    return executed(
        SUITE, place, [block(name, "failures." + name, step(), step(), limit_s=0.3) for name in names]
    )


def test_only_timings_are_listed_a_combination_of_parameters_each(book: Workspace) -> None:
    discovery = listed(SUITE, book)
    names = [benchmark.id for benchmark in discovery.benchmarks]
    assert EXPECTED["benchmarks"] == names
    assert discovery.benchmarks[4].parameters == {"turns": "600", "text": "'[x]'"}
    assert discovery.broken == ()


def test_what_cannot_be_imported_made_or_probed_is_broken_with_a_reason(tmp_path: Path) -> None:
    discovery = listed(SUITE, workspace(tmp_path, "asv_broken"))
    reasons = {broken.id: broken.reason for broken in discovery.broken}
    assert set(reasons) == {"unimportable", "failures.timeraw_elsewhere", "failures.CannotBeMade.time_it"}
    assert "No module named 'a_package_that_nobody_has'" in reasons["unimportable"]
    assert "failures.time_works" in [benchmark.id for benchmark in discovery.benchmarks]


def test_a_suite_that_times_nothing_says_so_of_its_benchmarks(tmp_path: Path) -> None:
    place = workspace(tmp_path, "asv")
    benchmarks = place.tree / "benchmarks"
    for path in benchmarks.glob("*.py"):
        path.unlink()
    (benchmarks / "__init__.py").touch()
    (benchmarks / "sizes.py").write_text("def track_size():\n    return 3\n\ndef peakmem_size():\n    pass\n")
    broken = {broken.id: broken.reason for broken in listed(SUITE, place).broken}
    assert ["sizes.peakmem_size", "sizes.track_size"] == sorted(broken)
    assert "asv does not time it" in broken["sizes.track_size"]
    # What it tracks may well be a time that it took itself.
    assert "be it a time" in broken["sizes.track_size"]


def test_every_benchmark_is_measured_with_set_up_cache_and_environment(book: Workspace) -> None:
    names = EXPECTED["benchmarks"]
    trials = executed(SUITE, book, [block(name, name) for name in names])
    assert [(name, Status.OK, "") for name in names] == [(t.block, t.status, t.reason) for t in trials]


def test_nothing_is_written_into_the_tree(book: Workspace) -> None:
    before = sorted(book.tree.rglob("*"))
    executed(SUITE, book, [block(name, name) for name in EXPECTED["benchmarks"]])
    assert before == sorted(book.tree.rglob("*"))


def test_the_matrix_gives_the_environment_its_last_value(book: Workspace) -> None:
    count = step(arm(Mode.COUNT, "wordbook.book.checksum"))
    (trial,) = executed(SUITE, book, [block("b", "book.time_environment", count)])
    assert trial.tally is not None
    assert trial.tally.methods["wordbook.book.checksum"].calls == 4


def test_with_a_setup_every_call_is_a_region_of_its_own(book: Workspace) -> None:
    count = step(arm(Mode.COUNT, BOOK + "index", BOOK + "load"), warmup=0)
    (trial,) = executed(SUITE, book, [block("b", "book.Prepared.time_index", count)])
    assert trial.tally is not None
    calls = {name: (tally.calls, tally.setup_calls) for name, tally in trial.tally.methods.items()}
    assert calls == {BOOK + "index": (4, 0), BOOK + "load": (0, 4)}


@pytest.mark.parametrize("name", BAD)
def test_a_failure_gives_each_of_its_steps_one_record_with_the_reason(
    failed_trials: list[Trial], name: str
) -> None:
    status, reason = BAD[name]
    own = [trial for trial in failed_trials if trial.block == name]
    assert [(0, status), (1, status)] == [(trial.position, trial.status) for trial in own]
    assert all(reason in trial.reason for trial in own)


def test_after_failures_of_all_kinds_the_next_benchmark_is_measured(failed_trials: list[Trial]) -> None:
    good = [trial.status for trial in failed_trials if trial.block not in BAD]
    assert good == [Status.OK] * 4


def test_it_is_told_how_many_invocations_the_suite_times_from_the_very_first_on(tmp_path: Path) -> None:
    place = workspace(tmp_path, "asv", probed=True)
    settings = {
        "number, repeat, warmup_time = 2, 3, 0": 6,
        "number, repeat, warmup_time = 1, (1, 5, 2.0), 0": 5,
        "number, warmup_time = 2, 0": 20,
        "number, repeat = 2, 3": 0,
        "warmup_time = 0": 0,
    }
    classes = [
        f"class Case{number}:\n    {setting}\n    def time_it(self):\n        int()\n"
        for number, setting in enumerate(settings)
    ]
    (place.tree / "benchmarks" / "first.py").write_text("\n\n".join(classes))
    names = [f"first.Case{number}.time_it" for number in range(len(settings))]
    count = step(arm(Mode.COUNT, BOOK + "index"), invocations=2, iterations=1, warmup=0)
    trials = executed(SUITE, place, [block(name, name, count) for name in names])
    assert list(settings.values()) == [trial.tally.from_first for trial in trials if trial.tally]


def test_calibration_starts_at_the_suites_own_number_and_each_call_is_freshly_set_up(tmp_path: Path) -> None:
    place = workspace(tmp_path, "asv_broken")
    names = ["failures.ExplicitNumber.time_fresh", "failures.WithoutSetup.time_three"]
    trials = executed(SUITE, place, [block(name, name, step(invocations=None)) for name in names])
    assert [trial.status for trial in trials] == [Status.OK] * 2
    assert [trial.invocations % 3 for trial in trials] == [0, 0]


def test_the_filter_matches_the_chosen_benchmarks_and_no_others() -> None:
    chosen = ["book.Parameters.time_checksum(600, '[x]')", "book.time_environment"]
    pattern = SUITE.filter(chosen)
    others = [name + suffix for name in EXPECTED["benchmarks"] for suffix in ("", "x")]
    assert set(chosen) == {name for name in others if re.search(pattern, name)}


def test_comments_and_trailing_commas_are_read_and_strings_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "asv.conf.json"
    path.write_text('{"a": "http://x/*y*/,}", // c\n "b": [1, 2,], /* d\n */}')
    assert read_configuration(path) == {"a": "http://x/*y*/,}", "b": [1, 2]}


@pytest.mark.parametrize("text", ["{", "[]", '{"a": }', '{"include": 5}', '{"include": ["a"]}'])
def test_an_unreadable_configuration_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "asv.conf.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"asv\.conf\.json: expected .*correct the file"):
        read_configuration(path)


def test_the_matrix_says_which_packages_are_installed() -> None:
    new = {"matrix": {"req": {"numpy": ["1.26", "2.0"], "six": [""], "attrs": [], "nose": [None]}}}
    old = {"matrix": {"numpy": ["2.0"], "pip+cython": []}}
    assert matrix_requirements(new) == ("numpy==2.0", "six", "attrs")
    assert matrix_requirements(old) == ("numpy==2.0", "cython")
    assert matrix_requirements({}) == ()


def test_the_last_environment_beside_the_matrix_says_so_too() -> None:
    """pvlib excludes its matrix, and names all that it needs in two other environments."""
    numbers = {"python": "3.10", "numpy": "1.21.5", "ephem": "4.1.1"}
    elsewhere = {"python": "3.10", "sys_platform": "win32", "pywin32": ""}
    old = {"matrix": {}, "include": [numbers, {"python": "3.10", "numpy": "", "ephem": ""}, elsewhere]}
    assert ("numpy", "ephem") == matrix_requirements(old)
    new = {"python": "3.12", "req": {"six": "1.17", "nose": None}, "env": {"A": "2"}}
    told = {"matrix": {"req": {"nose": ["1.3"], "attrs": []}, "env": {"A": ["1"]}}, "include": [new]}
    assert ("attrs", "six==1.17") == matrix_requirements(told)
    assert {"A": "2"} == matrix_environment(told)


def test_versions_of_the_matrix_are_wishes_that_the_subject_may_have_outgrown(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    configuration = {"matrix": {"scipy": ["0.18", "0.19"], "six": [""]}}
    (tmp_path / "tree" / "asv.conf.json").write_text(json.dumps(configuration))
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={}, image="python")
    place = Workspace(root=tmp_path)
    place.home.mkdir()
    _, wished, required, *_ = (" ".join(command.argv) for command in SUITE.prepare(place, settings))
    assert wished.endswith("scipy==0.19 asv_runner scipy six")
    assert required.endswith(" asv_runner scipy six")


def test_the_matrix_says_which_variables_are_set() -> None:
    matrix = {"env": {"A": ["1", "2"], "B": None}, "env_nobuild": {"C": ["0"], "D": [None]}}
    assert matrix_environment({"matrix": matrix}) == {"A": "2", "C": "0"}


def test_a_configuration_below_the_root_is_found(tmp_path: Path) -> None:
    assert not SUITE.detect(tmp_path)
    (tmp_path / "asv_bench").mkdir()
    (tmp_path / "asv_bench" / "asv.conf.json").write_text("{}")
    assert SUITE.detect(tmp_path)


def test_the_suite_of_the_folder_that_is_meant_is_taken(tmp_path: Path) -> None:
    """A member of a workspace has a configuration of its own; `paths` may name the benchmarks, too."""
    for name in ("first", "second"):
        folder = tmp_path / "tree" / "packages" / name
        (folder / "bench").mkdir(parents=True)
        matrix = {"env": {"OWN": [name]}}
        (folder / "asv.conf.json").write_text(json.dumps({"benchmark_dir": "bench", "matrix": matrix}))
    place = Workspace(root=tmp_path)
    for named in ("packages/second", "packages/second/bench"):
        settings = BuildSettings(interpreter=None, requirements=(), paths=(named,), environment={})
        ((own,),) = SUITE.details(place, settings).values()
        assert str(place.tree / "packages/second/bench") == own["benchmark_dir"]
        assert (own["prefix"], own["environment"]["OWN"]) == ("", "second")


def test_all_suites_of_a_checkout_are_measured_each_in_its_own_environment(tmp_path: Path) -> None:
    place = Workspace(root=tmp_path)
    for name in ("first", "second"):
        folder = place.tree / "packages" / name
        (folder / "benchmarks").mkdir(parents=True)
        (folder / "asv.conf.json").write_text(json.dumps({"matrix": {"env": {"OWN": [name]}}}))
        (folder / "benchmarks" / "__init__.py").touch()
        (folder / "benchmarks" / "same.py").write_text(
            f"import os\nassert os.environ['OWN'] == '{name}'\n"
            f"def time_{name}(): pass\ndef time_both(): pass\n"
        )
    names = [
        f"packages/{name}/benchmarks::same.time_{timed}"
        for name in ("first", "second")
        for timed in ("both", name)
    ]
    assert set(names) == {benchmark.id for benchmark in listed(SUITE, place).benchmarks}
    blocks = [block(name, name, step(invocations=2, iterations=1)) for name in [*names, "gone.time_it"]]
    statuses = {trial.block: trial.status for trial in executed(SUITE, place, blocks)}
    assert statuses == {**dict.fromkeys(names, Status.OK), "gone.time_it": Status.MISSING}
    # Both have a same.time_both: which of them was chosen is told.
    assert SUITE.filter(names[1:]).splitlines() == [
        r"packages/first/benchmarks: ^(same\.time_first)$",
        r"packages/second/benchmarks: ^(same\.time_both|same\.time_second)$",
    ]


def test_a_region_takes_what_the_benchmarks_own_timer_says(tmp_path: Path) -> None:
    place = workspace(tmp_path, "asv")
    lines = (
        "import itertools\n"
        "ticks = itertools.count()\n"
        "def time_plain(): pass\n"
        "def time_prepared(): pass\n"
        "time_prepared.setup = lambda: None\n"
        "time_plain.timer = time_prepared.timer = lambda: 7.0 * next(ticks)\n"
    )
    (place.tree / "benchmarks" / "ticking.py").write_text(lines)
    names = ["ticking.time_plain", "ticking.time_prepared"]
    assert [(3.5,), (7.0,)] == values(SUITE, place, names)


def test_a_cache_of_nothing_is_no_argument_in_older_versions_of_asv_either(tmp_path: Path) -> None:
    """anndata pins asv_runner 0.2.1 and writes files in setup_cache: 151 of its 152 benchmarks failed."""
    place = workspace(tmp_path, "asv")
    lines = (
        "from asv_runner.benchmarks._base import Benchmark\n"
        "if hasattr(Benchmark, 'set_cache'): del Benchmark.set_cache\n"
        "class Cached:\n"
        "    def setup_cache(self): pass\n"
        "    def setup(self): pass\n"
        "    def time_it(self): pass\n"
    )
    (place.tree / "benchmarks" / "nothing.py").write_text(lines)
    (trial,) = executed(SUITE, place, [block("b", "nothing.Cached.time_it")])
    assert (Status.OK, "") == (trial.status, trial.reason)


def test_a_process_imports_only_modules_whose_benchmarks_are_executed(tmp_path: Path) -> None:
    """One of networkx makes graphs for half a minute."""
    place = workspace(tmp_path, "asv")
    benchmarks, imported = place.tree / "benchmarks", tmp_path / "imported"
    (benchmarks / "deep").mkdir()
    for path in ("quick.py", "quicker.py", "slow.py", "deep/__init__.py", "deep/quick.py", "deep/slow.py"):
        text = (
            f"from pathlib import Path\nwith Path({str(imported)!r}).open('a') as log: log.write('{path} ')\n"
        )
        (benchmarks / path).write_text(f"{text}class Some:\n    def time_it(self): pass\n")

    def told(*names: str) -> list[str]:
        imported.unlink(missing_ok=True)
        blocks = [block(name, name, step(invocations=1, iterations=1)) for name in names]
        assert {Status.OK} == {trial.status for trial in executed(SUITE, place, blocks)}
        return imported.read_text().split()

    assert ["quick.py"] == told("quick.Some.time_it")
    assert ["deep/__init__.py", "deep/quick.py", "quicker.py"] == told(
        "quicker.Some.time_it", "deep.quick.Some.time_it"
    )
    assert {"quick.Some.time_it", "slow.Some.time_it"} <= listed(SUITE, place).imports_s.keys()
    with (benchmarks / "quick.py").open("a") as file:
        file.write("Some.time_it.benchmark_name = 'its_own.time_it'\n")
    assert 6 == len(told("its_own.time_it"))
