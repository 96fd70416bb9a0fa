"""An audit in containers says what the same audit says on this machine."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.containers.conftest import PROGRAM
from tests.support.program import assert_agrees, settled
from tests.support.python_subjects import SUBJECTS

METHODS = {
    "pytest_benchmark": ("book.checksum", "book.Book.title", "book.Book.export"),
    "go_bench": (".Checksum", ".(*Book).Title", ".(*Book).Export"),
    "jmh": (".render()", ".export()"),
}
# One benchmark for each of two methods (for Java, whose forks are dear, of one), none for the last. The
# slowdown is large, so that the verdicts are clear ones on a busy machine, too; they depend on the shares,
# and those are far from a half.
EXCLUDED = ("*test_index", "*3000*", "*Index", "*turns=*", "*Push", "*Parallel", "*.index")
SETTINGS = f"exclude = {json.dumps(EXCLUDED)}\niteration_s = 0.01\n"


def answer(folder: Path, name: str, subject: str, *options: str) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(
        [str(PROGRAM), name, str(SUBJECTS / subject), "--json", "-q", *options],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    document: dict[str, Any] = json.loads(done.stdout or "{}")
    return done.returncode, document, done.stderr


IMAGES = {"pytest_benchmark": "image", "go_bench": "go_image", "jmh": "image"}


@pytest.mark.parametrize(("subject", "made"), IMAGES.items())
def test_verdicts_in_containers_are_those_of_this_machine(
    tmp_path: Path, request: pytest.FixtureRequest, subject: str, made: str
) -> None:
    image: str = request.getfixturevalue(made)
    known = json.loads((SUBJECTS / subject / "expected.json").read_text())
    asked = {
        method: verdict for method, verdict in known["methods"].items() if method.endswith(METHODS[subject])
    }
    (tmp_path / "settings.toml").write_text(SETTINGS)
    (tmp_path / "methods.txt").write_text("\n".join(asked))
    where = [*("--runner", "container"), *("--image", image), *("--memory", "1g")]
    score = [*("--methods", "methods.txt"), *("--config", "settings.toml"), *("--slowdown", "2")]
    # What is executed besides, the runs without a slowdown, goes the same way.
    score += ["--goal", "score"]

    # The tests of tests/cli hold the verdicts of this machine to the same answer.
    code, answered, _ = settled(
        lambda *session: answer(tmp_path, "score", subject, *where, *score, *session), asked
    )
    assert_agrees(code, answered, 100 / len(asked))
