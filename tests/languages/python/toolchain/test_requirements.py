"""Which packages benchmarks need, as far as a checkout tells."""

from pathlib import Path

import pytest

from abs_audit.languages.python.toolchain.requirements import subject_requirements

GROUPS = """
[project]
name = "x"
[project.optional-dependencies]
test = ["a"]
fast = ["orjson>=3; python_version > '3'"]
[dependency-groups]
bench = ["b", {include-group = "common"}]
common = ["c", {include-group = "bench"}]
dev = ["d"]
lint = ["e"]
"""


def required(folder: Path, *files: str) -> list[str]:
    paths = [folder / name for name in files]
    return [entry.replace(str(folder), "TREE") for entry in subject_requirements(folder, paths)]


def test_the_subject_comes_with_what_its_tests_and_benchmarks_need(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(GROUPS)
    assert required(tmp_path) == ["TREE[test]", "b", "c"]


def test_what_a_benchmark_imports_is_installed_where_any_extra_declares_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(GROUPS)
    (tmp_path / "bench.py").write_text("import os\nfrom x.formats.orjson import Converter\n")
    assert required(tmp_path, "bench.py") == ["TREE[test]", "b", "c", "orjson>=3; python_version > '3'"]


def test_development_tools_are_taken_only_for_want_of_better(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname='x'\n[dependency-groups]\ndev = ['d']\ndocs = ['s']"
    )
    assert required(tmp_path) == ["TREE", "d"]


@pytest.mark.parametrize(
    "file",
    ["requirements-bench.txt", "requirements/benchmark.txt", "benchmarks/requirements.txt"],
)
def test_requirement_files_of_benchmarks_are_found(tmp_path: Path, file: str) -> None:
    for name in (file, "requirements/docs.txt", "requirements-dev.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("z\n")
    assert required(tmp_path) == ["-r", f"TREE/{file}"]


def test_settings_of_tools_alone_are_nothing_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    assert required(tmp_path) == []
    (tmp_path / "setup.py").write_text("")
    assert required(tmp_path) == ["TREE"]


def test_extras_of_an_older_format_are_read(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[options.extras_require]\nbenchmarks =\n    a\ndocs = s\n")
    assert required(tmp_path) == ["TREE[benchmarks]"]
