"""What a user installs: the wheel holds every helper source, and its program starts without the checkout."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_architecture import imports

ROOT = Path(__file__).parent.parent
PACKAGES = ("abs_audit", "injectors", "tracers")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (found,) = folder.glob("*.whl")
    return found


def tracked() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", *PACKAGES], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {
        name if name.startswith("abs_audit/") else f"abs_audit/{name}"
        for name in listed.stdout.split()
        if (ROOT / name).is_file()
    }


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    kinds = {Path(name).suffix for name in held}
    assert {".py", ".go", ".java", ".json", ".css", ".j2"} <= kinds
    assert set() == tracked() - held


def test_nothing_of_this_machine_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            assert str(ROOT).encode() not in archive.read(name), name


def test_the_installed_program_starts_and_lists_its_commands(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['abs-audit', '--help']\n"
            "import abs_audit; assert abs_audit.__file__.startswith(sys.path[0])\n"
            "from abs_audit.cli.main import main; main()",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    for command in ("audit", "score", "compare", "chart", "stop", "rootcause", "import", "export", "doctor"):
        assert command in done.stdout


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the image's build copies of a checkout, where the build finds it."""
    folder = tmp_path_factory.mktemp("context")
    for line in re.findall(r"(?m)^COPY (.+)", (ROOT / "Dockerfile").read_text()):
        *sources, target = line.split()
        for source in sources:
            found = ROOT / source
            there = folder / target / (found.name if target.endswith(("/", ".")) else "")
            there.parent.mkdir(parents=True, exist_ok=True)
            if found.is_dir():
                shutil.copytree(found, there, symlinks=True)
            else:
                shutil.copy(found, there)
    return folder


def test_the_image_builds_the_same_program(wheel: Path, context: Path) -> None:
    sources = context / "sources"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(build, cwd=sources, check=True, capture_output=True)
    (built,) = (sources / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as expected, zipfile.ZipFile(built) as held:
        assert set(expected.namelist()) == set(held.namelist())


def test_the_image_installs_nothing_that_is_not_pinned() -> None:
    installed = re.findall(r"pip install .*", (ROOT / "Dockerfile").read_text())
    assert [] == [line for line in installed if "--require-hashes" not in line and "--no-deps" not in line]


def test_an_engine_is_sent_what_the_image_copies_and_nothing_else() -> None:
    copied = re.findall(r"(?m)^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text())
    named = {source for line in copied for source in line.split()}
    ignored, *allowed = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith(("#", "**"))
    ]
    assert ("*", named) == (ignored, {line.removeprefix("!") for line in allowed})


ELSEWHERE = """\
import asyncio, psutil, signal, subprocess, sys, tempfile, uuid  # each has another part of its own there
sys.modules |= dict.fromkeys(["fcntl", "grp", "pwd", "resource", "termios"])
del signal.SIGHUP
from abs_audit.cli.main import main
main()
"""


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["compare", "go/wordbook.txt", "go/wordbook.txt"],
        ["import", "jmh/results.json"],
        ["report"],
    ],
    ids=lambda command: command[0],
)
def test_what_measures_nothing_needs_nothing_that_only_posix_has(command: list[str], tmp_path: Path) -> None:
    files = [str(ROOT / "fixtures/outputs" / word) if "/" in word else word for word in command]
    run = [sys.executable, "-W", "ignore", "-c", ELSEWHERE, *files]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Error" not in done.stderr
    assert done.returncode == {"compare": 4, "report": 2}.get(command[0], 0), done.stderr


def test_every_package_that_is_installed_is_imported() -> None:
    """What only tests need would lie in every user's environment for nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    modules = {name.partition(".")[0] for path in sources for name in imports(path)}
    offered = packages_distributions()
    imported = {canonicalize_name(package) for module in modules for package in offered.get(module, ())}
    assert set() == declared - imported
