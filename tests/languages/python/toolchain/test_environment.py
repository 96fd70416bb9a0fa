"""Interpreters and environments for Python subjects."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.toolchain import environment as toolchain
from abs_audit.languages.python.toolchain.environment import (
    PROBE,
    PythonEnvironment,
    enclosing,
    find_interpreter,
    source_roots,
)
from abs_audit.model.experiment import Command, Workspace
from tests.support.uv_workspaces import workspace


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def environment(folder: Path, interpreter: str | None = None, **variables: str) -> PythonEnvironment:
    settings = BuildSettings(interpreter=interpreter, requirements=(), paths=(), environment=variables)
    return PythonEnvironment(workspace=Workspace(root=folder), settings=settings)


def requiring(folder: Path, version: str) -> Path:
    return written(folder, {"pyproject.toml": f'[project]\nrequires-python = "{version}"\n'})


def test_a_subject_that_supports_our_own_version_gets_it(tmp_path: Path) -> None:
    own = f">={sys.version_info.major}.{sys.version_info.minor}"
    assert find_interpreter(requiring(tmp_path, own)) == sys._base_executable  # type: ignore[attr-defined]


def test_another_version_is_taken_from_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "bin" / "python3.29"
    written(tmp_path, {"bin/python3.29": "#!/bin/sh\n"})
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert find_interpreter(requiring(tmp_path, ">=3.29,<3.30")) == str(other)


def test_of_several_the_nearest_to_our_own_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for minor in (27, 28, 29):
        written(tmp_path, {f"bin/python3.{minor}": "#!/bin/sh\n"})
        (tmp_path / "bin" / f"python3.{minor}").chmod(0o755)
    # What a version manager calls so is no version.
    written(tmp_path, {".pyenv/versions/3.27.1t/bin/python3": ""})
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_interpreter(requiring(tmp_path, ">=3.27")) == str(tmp_path / "bin" / "python3.27")


def test_a_version_that_nobody_has_makes_the_environment_unfit(tmp_path: Path) -> None:
    with pytest.raises(UnfitEnvironmentError, match=r"requires Python >=4\.9.*`interpreter`"):
        find_interpreter(requiring(tmp_path, ">=4.9"))


def test_a_version_that_cannot_be_read_is_the_users_to_correct(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pyproject\.toml: requires-python is 'new'"):
        find_interpreter(requiring(tmp_path, "new"))


def test_a_broken_project_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pyproject\.toml: expected valid TOML"):
        source_roots(written(tmp_path, {"pyproject.toml": "[project\n"}))


@pytest.mark.parametrize(
    ("files", "roots"),
    [
        ({"pkg/__init__.py": ""}, ["."]),
        ({"src/pkg/__init__.py": ""}, ["src", "."]),
        (
            {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["lib"]\n', "lib/p.py": ""},
            ["lib", "."],
        ),
        ({"pyproject.toml": '[tool.setuptools]\npackage-dir = {"" = "lib"}\n', "lib/p.py": ""}, ["lib", "."]),
        (
            {
                "pyproject.toml": '[tool.hatch.build.targets.wheel]\npackages = ["code/p"]\n',
                "code/p/__init__.py": "",
            },
            ["code", "."],
        ),
        ({"setup.cfg": "[options]\npackage_dir =\n    = lib\n", "lib/p.py": ""}, ["lib", "."]),
        ({"python/core/" + PROBE: "", "src/p.py": ""}, ["python/core", "src", "."]),
    ],
)
def test_packages_are_imported_from_the_tree(tmp_path: Path, files: dict[str, str], roots: list[str]) -> None:
    written(tmp_path, files)
    assert [(tmp_path / root).resolve() for root in roots] == list(source_roots(tmp_path))


def test_compiled_files_of_two_builds_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    prefixes = []
    for build in ("one", "two"):
        written(tmp_path, {"tree/" + PROBE: f"BUILD_ID = {build!r}\n"})
        prefixes.append(environment(tmp_path).environment()["PYTHONPYCACHEPREFIX"])
    assert len({*prefixes, str(tmp_path / "pycache" / "unprobed")}) == 3


def test_the_subjects_home_is_ours_and_the_users_variables_come_last(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    variables = environment(tmp_path, PYTHONNOUSERSITE="0").environment()
    assert variables["HOME"] == str(tmp_path / "home")
    assert variables["PYTHONNOUSERSITE"] == "0"


def test_the_users_own_interpreter_is_used_as_it_is(tmp_path: Path) -> None:
    own = environment(tmp_path, "/opt/python")
    assert (own.executable, own.installation(["x"])) == ("/opt/python", ())


def test_the_environment_is_made_in_the_phase_that_fetches(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    create, install = environment(tmp_path).installation(["pytest", "-r", "r.txt"])
    assert (create.network, install.network) == (True, True)
    assert "venv" in create.argv
    assert install.argv[-3:] == ("pytest", "-r", "r.txt")


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a uv on the PATH that installs nothing, and no other settings or installers."""
    (tmp_path / "tree").mkdir()
    program = tmp_path / "bin" / "uv"
    written(tmp_path, {"bin/uv": '#!/bin/sh\necho "uv: $*"\n'})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(toolchain.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(toolchain.sys, "prefix", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    return program


def installed_by(command: Command) -> str:
    """Return what is said where pip is not there."""
    done = subprocess.run(command.argv, capture_output=True, text=True, check=False)
    return done.stdout.partition(":")[0] or done.stderr.partition("install")[0]


def test_uv_installs_where_it_is_there_and_pip_where_that_fails(uv: Path, tmp_path: Path) -> None:
    *_, install = environment(tmp_path).installation(["pytest"])
    assert "uv" == installed_by(install)
    # Its option for that has another name in each of its releases.
    assert {"UV_NATIVE_TLS", "UV_SYSTEM_CERTS"} <= install.env.keys()
    assert "-tls" not in install.argv[2]
    uv.write_text("#!/bin/sh\nexit 1\n")
    assert "uv" != installed_by(install)
    assert "-m pip" in install.argv[2]


def test_what_cannot_be_had_costs_nothing_that_is_wanted_with_it(uv: Path, tmp_path: Path) -> None:
    """Such as a package that has to be compiled, in an extra or a file of requirements."""
    uv.write_text('#!/bin/sh\ncase "$*" in *bad*) exit 1;; esac; shift 6; echo "got $*"\n')
    parts = {("-r", "bad.txt"): ("a; python_version > '3'", "bad", "b"), ("c",): ("c",), ("bad",): ("bad",)}
    commands = environment(tmp_path).installation(["x"], parts)[2:]
    done = [subprocess.run(command.argv, capture_output=True, text=True, check=True) for command in commands]
    assert ["x", "a; python_version > '3'", "b", "c"] == re.findall(
        "got (.*)", "".join(run.stdout for run in done)
    )
    said = re.findall("abs-audit: (.*)", "".join(run.stderr for run in done))
    assert ["could not install: -r bad.txt", "nor by itself: bad", "could not install: bad"] == said


def test_what_asks_for_an_older_version_of_the_subject_gets_the_subject(uv: Path, tmp_path: Path) -> None:
    """As pytest does, whose requirement has an upper bound, where pluggy is the subject."""
    written(tmp_path / "tree", {"pyproject.toml": '[project]\nname = "pluggy"\n'})
    place = environment(tmp_path)
    tree = place.workspace.tree
    everything, required = ["pytest", str(tree), f"{tree}[fast,small]", f"{tree}s"], [str(tree)]
    scripts = [place.addition("{call}", words).argv[2].split() for words in (everything, required)]
    files = [Path(words[words.index("--override") + 1]).read_text() for words in scripts]
    assert files == [f"pluggy[{extras}] @ {tree.as_uri()}\n" for extras in ("fast,small", "")]
    assert "--override" not in place.addition("{call}", ["pytest"]).argv[2]


def test_a_setup_py_that_needs_an_old_setuptools_is_built_by_one(tmp_path: Path) -> None:
    written(tmp_path / "tree", {"setup.py": "from pkg_resources import parse_version\n"})
    env = environment(tmp_path).addition("{call}", ["."]).env
    files = {env[name] for name in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT", "UV_BUILD_CONSTRAINT")}
    assert [url2pathname(urlsplit(file).path) for file in files] == [
        str(tmp_path / "results" / "build-constraint.txt")
    ]
    written(tmp_path / "tree", {"setup.py": "import setuptools\n"})
    assert "PIP_CONSTRAINT" not in environment(tmp_path).addition("{call}", ["."]).env


SETTINGS = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_CONSTRAINT")


@pytest.mark.parametrize("setting", SETTINGS)
def test_uv_does_not_go_past_what_pip_is_told(
    uv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(setting, "x")
    *_, install = environment(tmp_path).installation(["pytest"])
    assert str(uv) not in install.argv[2]


def test_uv_does_not_go_past_pips_configuration(uv: Path, tmp_path: Path) -> None:
    written(tmp_path, {".config/pip/pip.conf": "[global]\nindex-url = wheels\n"})
    *_, install = environment(tmp_path).installation(["pytest"])
    assert str(uv) not in install.argv[2]


def test_a_member_of_a_workspace_is_taken_with_its_siblings(tmp_path: Path) -> None:
    workspace(tmp_path, packages__core="", packages__more="", packages__apart="")
    names = ("core", "more")
    core, more = (tmp_path / "packages" / name for name in names)
    for folder in (core / "src", more / "src"):
        folder.mkdir()
    assert [tmp_path, tmp_path] == [enclosing(core), enclosing(more)]
    apart = tmp_path / "packages" / "apart"
    assert [apart, tmp_path] == [enclosing(apart), enclosing(tmp_path)]
    assert (core / "src", more / "src", tmp_path) == source_roots(tmp_path)
    (more / "src").rmdir()
    # What is installed of a member that keeps its packages beside its own file has no probes.
    assert (core / "src", more, tmp_path) == source_roots(tmp_path)
