"""The program as users start it, with --json, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.schemas import validate

PROGRAM = Path(sys.executable).parent / "abs-audit"
ATTEMPTS = 3


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


def settled(
    ask: Callable[[str, str], tuple[int, dict[str, Any], str]], verdicts: Mapping[str, str]
) -> tuple[int, dict[str, Any], str]:
    """Return a score in which each method has the given verdict.

    A busy machine may leave a method without the verdict that it has on a quiet one, never with
    another one: the first fails at once, the second asks again, with other draws in a session of its own.
    """
    for seed in range(1, ATTEMPTS + 1):
        code, document, log = ask(f"--seed={seed}", f"--session=session-{seed}.db")
        answered = {method["method"]: method["verdict"] for method in document["methods"]}
        undecided = {name for name, verdict in answered.items() if verdict == "no-verdict"}
        if dict(verdicts) == answered:
            return code, document, log
        assert verdicts == answered | {name: verdicts[name] for name in undecided & set(verdicts)}, log
    raise AssertionError(f"{sorted(undecided)}: no verdict in {ATTEMPTS} attempts\n{document}\n{log}")
