"""An interrupted command says that nothing is lost, with the code of its signal."""

import signal
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, signal, sys
from abs_audit.cli import commands, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
commands.execute = lambda: os.kill(os.getpid(), getattr(signal, sys.argv[1])) or signal.pause()
main.main()
"""


def interrupted(name: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, name], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_termination_and_interruption_have_codes_of_their_own(tmp_path: Path) -> None:
    for name, code in ((signal.SIGTERM.name, 143), (signal.SIGINT.name, 130), (signal.SIGHUP.name, 143)):
        found, stderr = interrupted(name)
        assert (code, True) == (found, "what was measured is kept" in stderr)
