"""Compiles probed Java with a real JDK, starts it in each mode, and reads the tallies that it leaves."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.go_probes import write

# Tests of behaviour need no second compiler, and start faster without it.
FAST_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m")
FAST_COMPILER = tuple(f"-J{option}" for option in FAST_START)


def jdk(tool: str) -> str:
    """Return a tool of the JDK that is on the PATH."""
    path = shutil.which(tool)
    assert path, f"no {tool}: install a JDK (17 or newer), for instance openjdk-17-jdk-headless"
    return path


def complaints(folder: Path, sources: Mapping[str, str], *options: str) -> str:
    """Compile sources into the folder `classes` below; return what javac has to say, empty if nothing."""
    write(folder, sources)
    options = options or ("-Xlint:all", "-Werror")
    done = subprocess.run(
        [jdk("javac"), *FAST_COMPILER, "-encoding", "UTF-8", *options, "-d", "classes", *sources],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def compiled(folder: Path, sources: Mapping[str, str], *options: str) -> Path:
    """Return the folder of the classes; no warning is allowed."""
    said = complaints(folder, sources, *options)
    assert said == "", said
    return folder / "classes"


def environment(**probe: object) -> dict[str, str]:
    """Return an environment in which no probe is awake but as `probe` says: `mode="count"` and so on."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ABS_PROBE")}
    return plain | {f"ABS_PROBE_{name.upper()}": str(value) for name, value in probe.items()}


def started(
    classes: Iterable[Path],
    main: Sequence[str],
    variables: Mapping[str, str],
    options: Sequence[str] = FAST_START,
) -> subprocess.CompletedProcess[str]:
    """Execute a program to its end, whatever that is."""
    path = os.pathsep.join(map(str, classes))
    return subprocess.run(
        [jdk("java"), "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", *options, "-cp", path, *main],
        env=variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def parts(folder: Path, name: str = "tally") -> list[dict[str, Any]]:
    """Return the finished parts of a tally."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}.*.json"))]
