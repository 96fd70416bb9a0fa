"""Which packages tests and benchmarks need, as far as a checkout tells."""

from pathlib import Path

import pytest

from abs_audit.languages.python.toolchain.declarations import declared_parts, locked_versions
from abs_audit.languages.python.toolchain.requirements import for_benchmarks, for_tests
from tests.support.uv_workspaces import workspace

GROUPS = """
[project]
name = "x"
[project.optional-dependencies]
test = ["a"]
fast = ["orjson>=3; python_version > '3'"]
[dependency-groups]
bench = ["b", {include-group = "common"}]
common = ["c"]
dev = ["d"]
lint = ["e"]
"""
USES = "import os\nfrom x.formats.orjson import Converter\nimport msgpack\n"
BENCH_JOB = """on: push
jobs:
  lint:
    run: pip install -r lint.txt
  bench:
    run: |
      {}
      pytest --codspeed
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def told(tree: Path, *files: str) -> list[str]:
    """Return the parts for benchmarks, each as one line."""
    requirements = for_benchmarks(tree, [tree / name for name in files])
    parts = (requirements.required, *requirements.optional)
    return [" ".join(part).replace(f"{tree}/", "").replace(str(tree), "TREE") for part in parts if part]


CASES = {
    "extras and groups": ({"pyproject.toml": GROUPS}, ["TREE", "TREE[test]", "b c"]),
    "what a benchmark imports, wherever it is declared": (
        {"pyproject.toml": GROUPS, "bench.py": USES, "requirements/extra.txt": "msgpack==1.0  # fast\n"},
        ["TREE", "TREE[test]", "b c", 'orjson>=3; python_version > "3" msgpack==1.0'],
    ),
    "what a conftest.py above them imports": (
        {"pyproject.toml": GROUPS, "conftest.py": "import orjson"},
        ["TREE", "TREE[test]", "b c", 'orjson>=3; python_version > "3"'],
    ),
    "what a module beside it imports": (
        {
            "pyproject.toml": GROUPS,
            "bench/bench_x.py": "from bench import made",
            "bench/made.py": "import orjson",
        },
        ["TREE", "TREE[test]", "b c", 'orjson>=3; python_version > "3"'],
    ),
    "development tools only for want of better": (
        {"pyproject.toml": "[project]\nname='x'\n[dependency-groups]\ndev = ['d']\ndocs = ['s']"},
        ["TREE", "d"],
    ),
    "settings of tools are nothing to install": ({"pyproject.toml": "[tool.ruff]\n"}, []),
    "an older format": (
        {"setup.cfg": "[options.extras_require]\nbenchmarks =\n    a\ndocs = s\n"},
        ["TREE", "TREE[benchmarks]"],
    ),
    "extras of a setup.py": (
        {"setup.py": "setup(name='x', extras_require={'test': NEEDED + ['a'], 'docs': DOCS, **MORE})"},
        ["TREE", "TREE[test]"],
    ),
    "extras of a setup.py that have a name": (
        {"setup.py": "extras = {'bench': load(), 'docs': DOCS}\nsetup(extras_require=extras)"},
        ["TREE", "TREE[bench]"],
    ),
    "a name that says nothing else before one that does": (
        {"requirements/test.txt": "a", "requirements/test-mobile.txt": "b"},
        ["-r requirements/test.txt"],
    ),
    "groups of poetry": (
        {
            "pyproject.toml": "[tool.poetry.group.bench.dependencies]\n"
            'a = "^1.2"\nb = {version="*", extras=["c"]}'
        },
        ["TREE", "a>=1.2 b[c]"],
    ),
    "groups of PDM": ({"pyproject.toml": '[tool.pdm.dev-dependencies]\nbench = ["a", "-e ."]'}, ["a"]),
    "an environment of hatch": (
        {"pyproject.toml": '[tool.hatch.envs.bench]\nextra-dependencies = ["a>1"]\n'},
        ["a>1"],
    ),
    "an environment of tox, its factors and files": (
        {"tox.ini": "[testenv:bench]\ndeps =\n  py311: a\n  -r {toxinidir}/o.txt\n", "o.txt": "b"},
        ["a -r o.txt"],
    ),
    "a session of nox": (
        {
            "noxfile.py": "def bench(session):\n    session.install('-r', 'other.txt', 'a')\n",
            "other.txt": "b",
        },
        ["-r other.txt a"],
    ),
    "what the job installs that runs them": (
        {
            ".github/workflows/ci.yml": BENCH_JOB.format("pip install -r ci/all.in -c ci/all.txt"),
            "lint.txt": "l",
            "ci/all.in": "a",
            "ci/all.txt": "a==1",
        },
        ["-r ci/all.in -c ci/all.txt"],
    ),
    "extras, groups and packages that the job names": (
        {
            "pyproject.toml": GROUPS,
            ".github/workflows/ci.yml": BENCH_JOB.format(
                "uv run --with z --group dev --group lint --extra fast x"
            ),
        },
        ["TREE", "z", "d", "TREE[fast]", "TREE[test]", "b c"],
    ),
    "several extras and groups that the job names at once": (
        {
            "pyproject.toml": GROUPS + "[tool.poetry.extras]\nquick = ['q']\n",
            ".github/workflows/ci.yml": BENCH_JOB.format(
                'poetry install --extras "fast quick" --with dev,lint'
            ),
        },
        ["TREE", "TREE[fast]", "TREE[quick]", "d", "TREE[test]", "b c"],
    ),
    "all extras, where the job installs all": (
        {
            "pyproject.toml": GROUPS,
            ".github/workflows/ci.yml": BENCH_JOB.format("uv sync --no-dev --all-extras"),
        },
        ["TREE", "TREE[test]", "TREE[fast]", "b c"],
    ),
    "groups that uv installs unasked": (
        {
            "pyproject.toml": GROUPS + "[tool.uv]\ndefault-groups = ['dev', 'lint']\n",
            ".github/workflows/ci.yml": BENCH_JOB.format("uv sync"),
        },
        ["TREE", "d", "TREE[test]", "b c"],
    ),
    "all groups, where uv installs all unasked": (
        {
            "pyproject.toml": "[dependency-groups]\nnews = ['n']\nmore = ['m']\n"
            "[tool.uv]\ndefault-groups = 'all'\n",
            ".github/workflows/ci.yml": BENCH_JOB.format("uv run bench.py"),
        },
        ["n", "m"],
    ),
    "no groups that uv is told to leave out": (
        {"pyproject.toml": GROUPS, ".github/workflows/ci.yml": BENCH_JOB.format("uv sync --no-dev")},
        ["TREE", "TREE[test]", "b c"],
    ),
    "packages that the job installs without declaring them": (
        {
            "setup.py": "setup(name='x')",
            ".github/workflows/ci.yml": BENCH_JOB.format(
                "python -m pip install -U pip && pip install -q 'a<8' -f wheels b[c] ./d -c e.txt # f\n"
                "      uv pip install --pre g --index-url h -e . i==${{ matrix.i }}"
            ),
        },
        ["TREE", "a<8 b[c] g"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_a_suite_gets(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    sources = [name for name in files if name.endswith(("bench.py", "bench_x.py"))] or ["tests/test_x.py"]
    written(tmp_path, {"tests/test_x.py": ""} | files)
    assert told(tmp_path, *sources) == expected


@pytest.mark.parametrize(
    "file", ["requirements-bench.txt", "requirements/benchmark.txt", "benchmarks/requirements.txt"]
)
def test_requirement_files_of_benchmarks_are_found(tmp_path: Path, file: str) -> None:
    written(tmp_path, dict.fromkeys((file, "requirements/docs.txt", "requirements-dev.txt"), "z\n"))
    assert told(tmp_path) == [f"-r {file}"]


def test_groups_that_include_each_other_cost_nothing_else(tmp_path: Path) -> None:
    table = "[dependency-groups]\na = [{include-group='b'}]\nb = [{include-group='a'}]\ntest = ['c']\n"
    parts = declared_parts(written(tmp_path, {"pyproject.toml": table}))
    assert [part.name for part in parts] == ["test"]


def test_a_downstream_is_tested_with_what_it_runs_with(tmp_path: Path) -> None:
    written(tmp_path, {"setup.py": "", "requirements.txt": "a==1", "requirements-docs.txt": "s"})
    requirements = for_tests(tmp_path)
    assert requirements.required == (str(tmp_path),)
    assert requirements.optional == {("-r", str(tmp_path / "requirements.txt")): ("a==1",)}


def test_of_what_is_chosen_each_single_requirement_is_told(tmp_path: Path) -> None:
    extras = '[tool.poetry.dependencies]\na = "^1"\n[tool.poetry.extras]\ntest = ["a", "b"]\n'
    optional = for_benchmarks(written(tmp_path, {"pyproject.toml": extras, "bench.txt": ""}), []).optional
    assert {(f"{tmp_path}[test]",): ("a>=1", "b")} == optional


def test_locked_versions_are_those_of_the_index_that_are_unique(tmp_path: Path) -> None:
    packages = {
        "a": 'version = "1"\nsource = {registry = "index"}',
        "b": 'version = "1"\nsource = {editable = "."}',
        "c": 'version = "1"\n[[package]]\nname = "c"\nversion = "2"',
        "d": 'version = "3"',
    }
    lock = "\n".join(f'[[package]]\nname = "{name}"\n{rest}' for name, rest in packages.items())
    assert locked_versions(written(tmp_path, {"uv.lock": lock})) == ("a==1", "d==3")


def test_members_of_a_workspace_are_installed_with_their_siblings_and_not_what_is_no_package(
    tmp_path: Path,
) -> None:
    """A root that joins members may be one of them, or hold nothing that could be installed."""
    bench = '[dependency-groups]\nbench = ["b"]\n'
    workspace(tmp_path, packages__core=bench, packages__more='[dependency-groups]\nbench = ["c"]\n')
    files = [tmp_path / "packages" / "core" / "test_it.py"]
    files[0].touch()
    wanted = for_benchmarks(tmp_path, files)
    folders = tuple(str(tmp_path / "packages" / name) for name in ("core", "more"))
    assert (folders, [("b",)]) == (wanted.required, [*wanted.optional])
    (tmp_path / "pyproject.toml").write_text((tmp_path / "pyproject.toml").read_text() + "[build-system]\n")
    assert (str(tmp_path), *folders) == for_benchmarks(tmp_path, files).required
