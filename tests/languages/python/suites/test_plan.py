"""Plans for the in-process driver, the driver's own sources, and a real preparation."""

import ast
import os
from pathlib import Path

import pytest

from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.plan import DRIVER, portions
from abs_audit.languages.python.suites.pytest_benchmark import PytestBenchmarkSuite
from abs_audit.model.experiment import Block, Workspace
from abs_audit.model.measurement import Status
from tests.support.python_subjects import SETTINGS, block, step, workspace

SUITE = PytestBenchmarkSuite()
DRIVER_SOURCES = sorted(DRIVER.parent.glob("*.py"))


def lasting(name: str, seconds: float) -> Block:
    return block(name, "t.py::x", *[step(iterations=1, warmup=0)] * round(seconds / 0.001), limit_s=1000.0)


def test_blocks_share_a_process_until_it_has_enough_to_do() -> None:
    blocks = [lasting("a", 20), lasting("b", 10), lasting("c", 1), lasting("d", 30)]
    assert [[wanted.id for wanted in portion] for portion in portions(blocks)] == [["a", "b"], ["c", "d"]]


def test_no_blocks_are_no_portions() -> None:
    assert list(portions([])) == []


def test_the_command_may_take_as_long_as_all_its_blocks(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark")
    (command,) = SUITE.commands(place, SETTINGS, [block("a", "t.py::x"), block("b", "t.py::y")])
    assert command.limit_s > 2 * 20.0


def test_results_of_an_interrupted_try_are_removed(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark")
    (command,) = SUITE.commands(place, SETTINGS, [block("a", "t.py::x")])
    assert command.results is not None
    command.results.write_text('{"record": "trial"')
    (again,) = SUITE.commands(place, SETTINGS, [block("a", "t.py::x")])
    assert (again.results, command.results.exists()) == (command.results, False)


def test_other_blocks_have_another_result_file(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark")
    results = {SUITE.commands(place, SETTINGS, [block(name, "t.py::x")])[0].results for name in "ab"}
    assert len(results) == 2


@pytest.mark.parametrize("path", DRIVER_SOURCES, ids=lambda path: str(path.name))
def test_the_driver_is_written_in_the_language_of_python_3_8(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_a_failure_of_the_driver_itself_leaves_no_step_without_a_record(tmp_path: Path) -> None:
    place = workspace(tmp_path, "pytest_benchmark")
    (place.tree / "src" / "pytest_benchmark").mkdir()
    (place.tree / "src" / "pytest_benchmark" / "__init__.py").write_text("raise ImportError('not this one')")
    blocks = [block("a", "benchmarks/test_book.py::test_index", step(), step())]
    (command,) = SUITE.commands(place, SETTINGS, blocks)
    trials = SUITE.trials(blocks, LocalExecutor().execute(command).output)
    assert [(trial.status, trial.reason) for trial in trials] == [
        (Status.FAILED, "ImportError: not this one")
    ] * 2


GENERATING_SETUP = """
import pathlib
from setuptools import setup
from setuptools.command.build_py import build_py

class GeneratingBuild(build_py):
    def run(self):
        super().run()
        pathlib.Path(self.build_lib, "wordbook", "_version.py").write_text("VERSION = '1'\\n")

setup(cmdclass={"build_py": GeneratingBuild}, package_dir={"": "src"}, packages=["wordbook"])
"""


@pytest.mark.toolchain("pypi")
def test_a_prepared_subject_runs_from_its_tree_with_what_its_installation_generated(tmp_path: Path) -> None:
    place: Workspace = workspace(tmp_path, "pytest_benchmark")
    (place.tree / "setup.py").write_text(GENERATING_SETUP)
    package = place.tree / "src" / "wordbook"
    with (package / "__init__.py").open("a") as stream:
        stream.write("from wordbook._version import VERSION\n")
    settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={})
    for command in SUITE.prepare(place, settings):
        execution = LocalExecutor().execute(command)
        if command.network and execution.exit_code and "CI" not in os.environ:
            pytest.skip("no package index at hand; see: python -m pip download setuptools")
        assert execution.exit_code == 0, execution.log
    assert (package / "_version.py").read_text() == "VERSION = '1'\n"
    discovery = SUITE.discovery(LocalExecutor().execute(SUITE.discover(place, settings)))
    assert (len(discovery.benchmarks), discovery.broken) == (4, ())
    blocks = [block("a", discovery.benchmarks[0].id)]
    (command,) = SUITE.commands(place, settings, blocks)
    execution = LocalExecutor().execute(command)
    assert [trial.status for trial in SUITE.trials(blocks, execution.output)] == [Status.OK]
