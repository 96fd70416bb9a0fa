"""Stubs for one method of each kind: as recorded, listed by the suite, and executed by it."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from abs_audit.injectors.python.injector import PythonInjector
from abs_audit.interfaces import Stub, StubRequest, StubWriter, Suite
from abs_audit.languages.python.stubs.asv_stubs import AsvStubs
from abs_audit.languages.python.stubs.pyperf_stubs import PyperfStubs
from abs_audit.languages.python.stubs.pytest_benchmark_stubs import PytestBenchmarkStubs
from abs_audit.languages.python.suites.asv import AsvSuite
from abs_audit.languages.python.suites.pyperf import PyperfSuite
from abs_audit.languages.python.suites.pytest_benchmark import TEST_FILES, PytestBenchmarkSuite
from abs_audit.model.experiment import Mode, Workspace
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.subject import Benchmark, SourceTree
from tests.support.golden import check
from tests.support.python_subjects import arm, block, executed, listed, step

HERE = Path(__file__).parent
LARDER = HERE.parents[3] / "fixtures" / "stubs" / "larder"
TREE: SourceTree = {
    path.relative_to(LARDER).as_posix(): path.read_text()
    for path in sorted(LARDER.rglob("*"))
    if path.suffix in {".py", ".toml"}
}
FRAMEWORKS: dict[str, tuple[StubWriter, Suite, str]] = {
    "pytest-benchmark": (
        PytestBenchmarkStubs(),
        PytestBenchmarkSuite(),
        "benchmarks/test_speed.py::test_find",
    ),
    "asv": (AsvStubs(), AsvSuite(), "speed.TimeShelfSuite.time_find"),
    "pyperf": (PyperfStubs(), PyperfSuite(), "perf/bm_speed.py::find"),
}
RECORDED = {
    "larder.shelf.Shelf.find": (
        json.dumps({"receiver": "Shelf('plum', 'quince', width=40)", "args": "'quince', from_left=False"}),
        json.dumps({"receiver": None, "args": "'plum'"}),
    ),
    "larder.shelf.Shelf.weight": (
        json.dumps({"receiver": "Shelf('plum', 'quince', width=40)", "args": "'plum'"}),
    ),
}
WRITTEN = (
    "larder.errors.EmptyError.__init__",
    "larder.shelf.Unit.plural",
    "larder.shelf.count_jars",
    "larder.shelf.label",
    "larder.shelf.price",
    *(
        f"larder.shelf.Shelf.{name}"
        for name in (
            *("__init__", "parse", "is_label", "find", "sort", "take", "widest", "depth", "depth.setter"),
            *("inventory", "weight", "__eq__", "__hash__", "__len__", "__contains__", "__iter__", "__iadd__"),
            *("__getitem__", "rows", "opened", "fetch", "drain", "stream"),
        )
    ),
)
SKELETONS = {
    "larder.shelf.mystery": "values for left, right",
    "larder.shelf.Unit.describe": "values for amount",
    "larder.shelf.Cabinet.tidy": "a value of type Cabinet",
}


def stub(
    framework: str,
    method: str,
    *arguments: str,
    tree: SourceTree = TREE,
    failed: frozenset[str] = frozenset(),
) -> Stub:
    writer, _, existing = FRAMEWORKS[framework]
    request = StubRequest(
        method=method,
        arguments=arguments or RECORDED.get(method, ()),
        existing=(Benchmark(id=existing, parameters={}),),
        failed=failed,
    )
    return writer.stub(tree, request)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_stub_of_each_kind_reads_as_recorded(framework: str, request: pytest.FixtureRequest) -> None:
    accept = bool(request.config.getoption("--accept-golden"))
    stubs = [stub(framework, method) for method in (*WRITTEN, *SKELETONS)]
    shown = "\n\n".join(
        f"### {stub.path}\n### {stub.benchmark}\n### {stub.reason}\n{stub.text}" for stub in stubs
    )
    check(HERE / "recorded" / f"{framework}.txt", shown, accept=accept)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_stub_is_formatted_as_ruff_would(framework: str, tmp_path: Path) -> None:
    for method in (*WRITTEN, *SKELETONS):
        made = stub(framework, method)
        path = tmp_path / made.path
        path.parent.mkdir(exist_ok=True)
        path.write_text(made.text)
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(tmp_path)]
    done = subprocess.run(ruff, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture(scope="module", params=FRAMEWORKS)
def counted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trial]:
    """Execute every stub in a probed copy, with its own method's calls counted."""
    _, suite, _ = FRAMEWORKS[request.param]
    place = Workspace(root=tmp_path_factory.mktemp("larder"))
    shutil.copytree(LARDER, place.tree)
    patch = PythonInjector().instrument(TREE, WRITTEN)
    assert patch.skipped == ()
    stubs = [stub(request.param, method) for method in WRITTEN]
    for path, text in {**patch.files, **{stub.path: stub.text for stub in stubs}}.items():
        (place.tree / path).write_text(text)
    names = {benchmark.id for benchmark in listed(suite, place).benchmarks}
    assert names.issuperset({stub.benchmark for stub in stubs})
    blocks = [block(stub.method, stub.benchmark or "", step(arm(Mode.COUNT, stub.method))) for stub in stubs]
    return {trial.block: trial for trial in executed(suite, place, blocks)}


@pytest.mark.parametrize("method", WRITTEN)
def test_a_stub_calls_its_method_in_the_timed_region(counted: dict[str, Trial], method: str) -> None:
    trial = counted[method]
    assert (trial.status, trial.reason) == (Status.OK, "")
    assert trial.tally is not None
    assert trial.tally.methods[method].calls > 0


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("method", SKELETONS)
def test_a_benchmark_that_cannot_be_written_fails_and_says_what_is_missing(
    framework: str, method: str
) -> None:
    made = stub(framework, method)
    assert made.benchmark is None
    assert f"how to call {method}: fill in {SKELETONS[method]}" in made.reason
    raised = [node for node in ast.walk(ast.parse(made.text)) if isinstance(node, ast.Raise)]
    assert len(raised) == 1
    assert "# TODO: call" in made.text


def test_made_up_arguments_are_marked() -> None:
    made = stub("pytest-benchmark", "larder.shelf.label")
    assert made.benchmark is not None
    assert "made up" in made.reason


def test_the_most_frequent_recorded_call_is_replayed() -> None:
    text = stub("pytest-benchmark", "larder.shelf.Shelf.find").text
    assert 'shelf = Shelf("plum", "quince", width=40)' in text
    assert 'shelf.find("quince", from_left=False)' in text or '"quince", from_left=False' in text


@pytest.mark.parametrize(
    "unusable",
    [
        {"receiver": None, "args": "'a', 'b', 'c'"},
        {"receiver": None, "args": "<Jar at 0x7f>"},
        {"receiver": None, "args": "Jar('plum')"},
        {"receiver": None, "args": "None"},
    ],
    ids=["too many arguments", "no source text", "a name of nobody", "nothing to work on"],
)
def test_a_recorded_call_that_cannot_be_replayed_is_passed_over(unusable: dict[str, str]) -> None:
    replayable = json.dumps({"receiver": None, "args": "'medlar'"})
    text = stub("pytest-benchmark", "larder.shelf.Shelf.find", json.dumps(unusable), replayable).text
    assert "medlar" in text


def test_where_users_hand_over_what_cannot_be_written_down_a_test_is_a_better_example_than_none() -> None:
    nothing = json.dumps({"receiver": None, "args": "None"})
    text = stub("pytest-benchmark", "larder.shelf.Shelf.find", nothing).text
    assert "None" not in text.partition("import")[2]
    tree = {"src/pkg/__init__.py": "def shown(name=3):\n    return name\n"}
    assert "shown(None)" in stub("pytest-benchmark", "pkg.shown", nothing, tree=tree).text


def test_a_receiver_that_its_constructor_would_not_take_is_made_as_in_the_checkout() -> None:
    entry = json.dumps({"receiver": "Shelf(depth=3)", "args": "'quince'"})
    text = stub("pytest-benchmark", "larder.shelf.Shelf.find", entry).text
    assert "depth=3" not in text
    assert 'Shelf("plum", "quince", "plum", width=40)' in text


def test_arguments_that_a_test_unpacks_are_unpacked_in_the_call() -> None:
    tree = {
        "src/pkg/__init__.py": "def joined(*names):\n    return ''.join(names)\n",
        "tests/test_pkg.py": "import pkg\n\ndef test_joined():\n    pkg.joined(*['medlar', 'quince'])\n",
    }
    text = stub("pytest-benchmark", "pkg.joined", tree=tree).text
    assert ast.parse(text)
    assert "joined, *argument" in text


def test_a_call_that_cannot_be_written_down_again_is_passed_over() -> None:
    # Before Python 3.12 an expression inside an f-string must not hold a backslash.
    call = "import pkg\n\ndef test_joined():\n    end = 'a\\\\b'\n    pkg.joined(f'{end!r}')\n"
    tree = {"src/pkg/__init__.py": "def joined(name: str):\n    return name\n", "tests/test_pkg.py": call}
    assert ast.parse(stub("pytest-benchmark", "pkg.joined", tree=tree).text)


def test_calls_that_are_expected_to_fail_are_no_example() -> None:
    assert "a separator" not in stub("asv", "larder.shelf.count_jars").text


def test_an_id_that_the_sources_do_not_define_is_no_benchmark() -> None:
    made = stub("asv", "larder.shelf.Shelf.vanish")
    assert made.benchmark is None
    assert "do not show where larder.shelf.Shelf.vanish is defined" in made.reason


@pytest.mark.parametrize(
    ("folder", "file", "known"),
    [
        ("asv_bench", "speed.py", "speed.TimeShelf.time_find"),
        ("perf/asv", "inner/speed.py", "inner.speed.time_find(3)"),
    ],
)
def test_asv_s_folder_is_where_its_benchmarks_lie(folder: str, file: str, known: str) -> None:
    request = StubRequest(
        method="larder.shelf.Shelf.widest", arguments=(), existing=(Benchmark(id=known, parameters={}),)
    )
    tree = {path: text for path, text in TREE.items() if not path.startswith("asv_bench")}
    tree[f"{folder}/{file}"] = "def time_find(): ..."
    assert AsvStubs().stub(tree, request).path.startswith(f"{folder}/")


@pytest.mark.parametrize(
    ("existing", "file"),
    [
        ("benchmark.py", "test_label.py"),
        ("speed/benchmarks_of_labels.py", "speed/test_label.py"),
        ("speed/label_bench.py", "speed/abs_audit_label_bench.py"),
    ],
)
def test_a_file_is_named_so_that_the_suite_collects_it(existing: str, file: str) -> None:
    """What the suite's own files are called may not tell how: `benchmark.py`."""
    text = "def test_label(benchmark):\n    benchmark(len, 'plum')\n"
    known = Benchmark(id=f"{existing}::test_label", parameters={})
    request = StubRequest(method="larder.shelf.label", arguments=(), existing=(known,))
    made = PytestBenchmarkStubs().stub({**TREE, existing: text}, request)
    assert (made.path, made.benchmark) == (file, f"{file}::test_label")
    assert TEST_FILES.fullmatch(Path(made.path).name)


def test_methods_whose_names_differ_in_underscores_only_get_files_of_their_own() -> None:
    more = {
        **TREE,
        "src/larder/extra.py": "class A:\n    def len(self): ...\n    def __len__(self): return 0\n",
    }
    names = {stub("asv", f"larder.extra.A.{name}", tree=more).path for name in ("len", "__len__")}
    assert len(names) == 2


@pytest.mark.parametrize("star", ["larder", "tests.helping"])
def test_what_tests_import_with_a_star_is_seen(star: str) -> None:
    """From the library, or through a module of tests that does so itself."""
    test = f"from {star} import *\n\n\ndef test_mystery():\n    assert mystery('plum', 3)\n"
    helping = "from larder.shelf import *\n"
    files = {"tests/helping.py": helping, "tests/test_mystery.py": test.replace("larder ", "larder.shelf ")}
    made = stub("asv", "larder.shelf.mystery", tree={**TREE, **files})
    assert "tests/test_mystery.py" in made.text
    assert "mystery('plum', 3)" in made.text.replace('"', "'")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_does_not_run_has_a_receiver_of_its_own_for_each_call(framework: str) -> None:
    once = stub(framework, "larder.shelf.Shelf.find")
    again = stub(framework, "larder.shelf.Shelf.find", failed=frozenset({once.text}))
    assert once.text != again.text
    assert "pool" in again.text or "setup" in again.text


def test_a_suite_without_benchmarks_gets_its_first_one() -> None:
    bare = {path: text for path, text in TREE.items() if path.startswith("src/")}
    request = StubRequest(method="larder.shelf.Shelf.widest", arguments=(), existing=())
    paths = [writer.stub(bare, request).path for writer, _, _ in FRAMEWORKS.values()]
    assert paths == [
        "benchmarks/test_shelf_widest.py",
        "benchmarks/shelf_widest.py",
        "benchmarks/bench_shelf_widest.py",
    ]


def test_a_file_begins_with_the_licence_that_the_suite_files_begin_with() -> None:
    notice = "# Copyright 2026 Somebody\n# Licensed under the Apache License, Version 2.0\n\n"
    existing = "benchmarks/test_speed.py"
    made = stub("pytest-benchmark", "larder.shelf.label", tree={**TREE, existing: notice + TREE[existing]})
    assert made.text.startswith(f'{notice}"""Measures `label`.')


def test_methods_of_one_name_are_told_apart_by_their_modules() -> None:
    tree = {**TREE, "src/larder/crate.py": "def label(text: str) -> str:\n    return text\n"}
    names = [
        stub("pytest-benchmark", f"larder.{name}.label", tree=tree).benchmark for name in ("crate", "shelf")
    ]
    assert names == [f"benchmarks/test_{name}_label.py::test_{name}_label" for name in ("crate", "shelf")]


def test_names_are_written_with_their_module_where_the_suite_imports_it_whole() -> None:
    existing = "benchmarks/test_speed.py"
    whole = "import larder\n\n\ndef test_find(benchmark):\n    benchmark(larder.Shelf('plum').find, 'plum')\n"
    made = stub("pytest-benchmark", "larder.shelf.Shelf.parse", tree={**TREE, existing: whole})
    assert "import larder\n" in made.text and "benchmark(larder.Shelf.parse, " in made.text
    called = "Shelf('plum', 'pear').sort(lambda Shelf: Shelf[0])"
    hidden = f"from larder import Shelf\n\n\ndef test_sort():\n    {called}\n"
    tree = {**TREE, existing: whole, "tests/test_shelf.py": hidden}
    assert "from larder import Shelf\n" in stub("pytest-benchmark", "larder.shelf.Shelf.sort", tree=tree).text


def test_a_recorded_call_is_written_without_the_defaults_that_it_spells_out() -> None:
    module = "def cut(jar, into=2, *, side='left', deep=False):\n    return [jar] * into\n"
    tree = {**TREE, "src/larder/knife.py": module}
    recorded = json.dumps({"receiver": None, "args": "'plum', 2, side='right', deep=False"})
    made = stub("pytest-benchmark", "larder.knife.cut", recorded, tree=tree)
    assert 'cut("plum", side="right")\n' in made.text


def test_a_lambda_with_a_name_is_a_function_and_a_text_of_lines_has_them() -> None:
    module = "def cut(jar, by):\n    return [by(line) for line in jar.split()]\n"
    imported = "from larder.knife import cut\n\n\ndef test_cut():\n"
    call = f"{imported}    cut('plum of the garden\\n  quince\\npear', lambda jar: len(jar) > 2)\n"
    tree = {**TREE, "src/larder/knife.py": module, "tests/test_knife.py": call}
    made = stub("pytest-benchmark", "larder.knife.cut", tree=tree)
    assert '    jar = """plum of the garden\n  quince\npear"""\n' in made.text
    assert "    def by(jar):\n        return len(jar) > 2\n" in made.text
