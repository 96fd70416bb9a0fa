"""A real engine and a real image: what answers here, or what a bare Debian lets root make of it."""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from abs_audit.execution import image as images
from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import Command, Execution, Workspace
from tests.support.toolchains import go

SCRIPT = Path(__file__).parent / "engine"
PROGRAM = Path(sys.executable).parent / "abs-audit"
CANNOT = 6


def script(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(SCRIPT), *arguments],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The engine that answers, else one that is started for these tests and stopped after them."""
    done = script("start")
    if done.returncode == CANNOT and "CI" not in os.environ:
        pytest.skip(done.stderr)
    assert 0 == done.returncode, done.stderr
    with closing(Engine()) as found:
        yield found
    if "started" in done.stdout:
        script("stop")


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    """An image with Java and Python, made as users without a registry make it; the engine keeps it."""
    packages = images.recipe("python").packages
    recipe = (images.folder("java") / "recipe.toml").read_text(encoding="utf-8")
    name = f"abs-audit-test:{hashlib.sha256(f'{recipe}{packages}'.encode()).hexdigest()[:12]}"
    if not engine.client.images.list(name):
        build = [str(PROGRAM), "image", "build", "java", "--offline", "--tag", name]
        build += [word for package in packages for word in ("--with", package)]
        done = subprocess.run(build, capture_output=True, text=True, timeout=900, check=False)
        assert (0, f"{name}\n") == (done.returncode, done.stdout), done.stderr
    return name


@pytest.fixture(scope="session")
def go_image(engine: Engine, image: str) -> str:
    """The same with this machine's Go, as the recipe puts it there; quicker than a bootstrap of its own."""
    root = Path(
        subprocess.run([go(), "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
    )
    name = f"abs-audit-test-go:{hashlib.sha256(f'{image}{root}'.encode()).hexdigest()[:12]}"
    if not engine.client.images.list(name):
        recipe = images.recipe("go")
        assert recipe.copied
        variables = " ".join(f"{key}={value}" for key, value in recipe.environment.items())
        dockerfile = f"FROM {image}\nCOPY go {recipe.copied.target}\nENV {variables}\n".encode()
        with tempfile.TemporaryFile() as context:
            with tarfile.open(fileobj=context, mode="w") as archive:
                entry = tarfile.TarInfo("Dockerfile")
                entry.size = len(dockerfile)
                archive.addfile(entry, io.BytesIO(dockerfile))
                for part in ("bin", "pkg", "src", "go.env", "VERSION"):
                    archive.add(root.resolve() / part, f"go/{part}")
            context.seek(0)
            engine.client.images.build(fileobj=context, custom_context=True, tag=name, rm=True, forcerm=True)
    return name


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace where workspaces belong."""
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    with workspace("a test") as opened:
        yield opened


@pytest.fixture
def executor(engine: Engine, image: str, place: Workspace) -> ContainerExecutor:
    return ContainerExecutor(engine, image, Limits(cpus=(0,), memory=128 * 2**20))


Run = Callable[..., Execution]


@pytest.fixture
def run(executor: ContainerExecutor, place: Workspace) -> Run:
    """Execute a Python program in a container."""
    return lambda program, *arguments, **others: executor.execute(
        command(place, "python3", "-c", program, *arguments, **others)
    )


def command(place: Workspace, *argv: str, **others: object) -> Command:
    return Command(
        **(
            {
                "argv": argv,
                "cwd": place.tree,
                "env": {},
                "limit_s": 30.0,
                "results": None,
                "network": False,
                "purpose": "a test",
            }
            | others
        )  # type: ignore[arg-type]
    )
