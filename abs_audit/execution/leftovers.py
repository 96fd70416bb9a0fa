"""Ends what a run left in a workspace that was killed together with those who would have ended it."""

import contextlib
from pathlib import Path

import psutil

MARK = "ABS_AUDIT_WORKSPACE"
"""The variable by which a command, and whatever it starts, is known to belong to a workspace."""
ENDING_S = 5.0


def end_leftovers(root: Path) -> None:
    """Kill every process of a workspace; call it only where nobody works there."""
    left = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == str(root):
                process.kill()
                left.append(process)
    psutil.wait_procs(left, timeout=ENDING_S)
