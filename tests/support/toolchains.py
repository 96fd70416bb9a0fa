"""Real toolchains for tests; a test that needs one fails without it, and says how to get it."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]
BENCHSTAT = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"


def go() -> str:
    """Return a Go toolchain: the one on the PATH, else the one that `./bootstrap` installed."""
    own = _ROOT / ".tools" / "bin" / "go"
    path = str(own) if own.exists() else shutil.which("go")
    assert path, "no Go toolchain: ./bootstrap installs one"
    return path


@cache
def gofmt() -> str:
    """Return the formatter of that toolchain, built from its sources where it comes without one."""
    root = subprocess.run([go(), "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
    shipped = Path(root) / "bin" / "gofmt"
    if shipped.exists():
        return str(shipped)
    built = shared_cache() / "gofmt"
    if not built.exists():
        subprocess.run([go(), "build", "-o", str(built), "cmd/gofmt"], cwd=root, check=True)
    return str(built)


@cache
def benchstat() -> str:
    """Return Go's own reader of benchmark results, fetched once."""
    folder = shared_cache() / "benchstat"
    program = folder / "benchstat"
    if not program.exists():
        environment = {**os.environ, "GOBIN": str(folder), "GOFLAGS": "-mod=mod"}
        subprocess.run([go(), "install", BENCHSTAT], cwd=shared_cache(), env=environment, check=True)
    return str(program)


def shared_cache() -> Path:
    """Return a folder for what real builds fetch and compile, kept from one run of the tests to the next."""
    folder = _ROOT / "build" / "test-cache"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
