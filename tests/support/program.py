"""The program as users start it, with --json, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.schemas import validate

PROGRAM = Path(sys.executable).parent / "abs-audit"
ATTEMPTS = 3
OPEN = 1 / 4
"""Part of the methods that a machine may leave open in every attempt, if it is as busy as that."""
ROUNDING = 1e-6


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
    ask: Callable[..., tuple[int, dict[str, Any], str]], verdicts: Mapping[str, str]
) -> tuple[int, dict[str, Any], str]:
    """Return the first score, after asking on until nearly each method had the given verdict once.

    A busy machine may leave a method without the verdict that it has on a quiet one, never with
    another one: the second fails at once, the first is asked again, with other draws in its own session.
    """
    first: tuple[int, dict[str, Any], str] | None = None
    pending: list[str] = []
    for seed in range(1, ATTEMPTS + 1):
        asked = [f"--method={name}" for name in pending]
        # Another attempt is about verdicts alone, not about the runs of the whole suite.
        asked += ["--goal=score"] if pending else []
        answer = ask(f"--seed={seed}", f"--session=session-{seed}.db", *asked)
        _, document, log = answer
        assert "methods" in document, log
        first = first or answer
        answered = {method["method"]: method["verdict"] for method in document["methods"]}
        assert set(answered) == set(pending or verdicts), log
        pending = [name for name, verdict in answered.items() if verdict == "no-verdict"]
        assert {name: verdicts[name] for name in answered if name not in pending} == {
            name: verdict for name, verdict in answered.items() if name not in pending
        }, log
        if not pending:
            return first
    if len(pending) <= OPEN * len(verdicts):
        return first
    raise AssertionError(f"{sorted(pending)}: no verdict in {ATTEMPTS} attempts\n{document}\n{log}")


def assert_agrees(code: int, document: dict[str, Any], total: float) -> None:
    """Assert that a score is the one on a quiet machine; where methods are open its interval holds it."""
    undecided = any(method["verdict"] == "no-verdict" for method in document["methods"])
    low, high = document["score"]["interval"]
    if undecided:
        assert low - ROUNDING <= total <= high + ROUNDING
    else:
        assert pytest.approx(total) == document["score"]["total"]
    assert 4 == code or not undecided
