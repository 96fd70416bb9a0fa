"""The program as users start it, with --json, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.schemas import validate

PROGRAM = Path(sys.executable).parent / "abs-audit"


def run(
    folder: Path, arguments: tuple[str, ...], variables: Mapping[str, str], limit_s: float = 600
) -> tuple[int, dict[str, Any], str]:
    """Return exit code, document and log; a document satisfies the shipped schema."""
    done = subprocess.run(
        [str(PROGRAM), *arguments, "--json"],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    document = json.loads(done.stdout or "{}")
    if document:
        validate(document)
    return done.returncode, document, done.stderr


def methods(folder: Path, *names: str) -> str:
    """Write a methods file and return the option that names it."""
    path = folder / "methods.txt"
    path.write_text("\n".join(names))
    return f"--methods={path}"
