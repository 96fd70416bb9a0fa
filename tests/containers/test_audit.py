"""An audit in containers says what the same audit says on this machine."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.containers.conftest import PROGRAM
from tests.support.python_subjects import SUBJECTS

METHODS = ("wordbook.book.checksum", "wordbook.book.Book.title", "wordbook.book.Book.export")
# One benchmark for each of two methods, none for the third. The slowdown is large, so that the verdicts are
# clear ones on a busy machine, too; they depend on the shares, and those are far from a half.
SETTINGS = 'exclude = ["*test_index", "*3000*"]\niteration_s = 0.01\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "settings.toml").write_text(SETTINGS)
    (tmp_path / "methods.txt").write_text("\n".join(METHODS))
    return tmp_path


def answer(folder: Path, name: str, subject: str, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(PROGRAM), name, str(SUBJECTS / subject), "--json", "-q", *options],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def verdicts(folder: Path, *options: str) -> dict[str, str]:
    where = [*("--methods", "methods.txt"), *("--config", "settings.toml"), *("--slowdown", "2")]
    document = answer(folder, "score", "pytest_benchmark", *where, *options)
    return {one["method"]: one["verdict"] for one in document["methods"]}


def test_verdicts_in_containers_are_those_of_this_machine(folder: Path, image: str) -> None:
    known = json.loads((SUBJECTS / "pytest_benchmark" / "expected.json").read_text())["methods"]
    expected = {method: known[method] for method in METHODS}

    # tests/cli/test_known_subjects.py holds the verdicts of this machine to the same answer.
    assert expected == verdicts(folder, "--runner", "container", "--image", image, "--memory", "1g")


@pytest.mark.parametrize(("subject", "made"), [("go_bench", "go_image"), ("jmh", "java_image")])
def test_a_suite_is_compiled_and_run_with_the_toolchain_of_its_image(
    folder: Path, request: pytest.FixtureRequest, subject: str, made: str
) -> None:
    expected = json.loads((SUBJECTS / subject / "expected.json").read_text())["benchmarks"]
    image: str = request.getfixturevalue(made)

    found = answer(folder, "list", subject, "--runner", "container", "--image", image)

    assert sorted(expected) == sorted(one["id"] for one in found["benchmarks"])
