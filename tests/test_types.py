"""Types, beside the other tests: before them mypy would keep one core busy and leave the others idle."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_types_hold() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert 0 == checked.returncode, checked.stdout + checked.stderr
