"""An interrupted command says that nothing is lost, with the code of its signal."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
from abs_audit.analyses.doctor import measure
from abs_audit.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and so is this one where nohup began it all
name, sys.argv = sys.argv[1], ["abs-audit", "doctor"]
measure.differences = lambda _: os.kill(os.getpid(), getattr(signal, name)) or signal.pause()
main.main()
"""

EARLY = """
import os, signal, sys
from abs_audit.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
name = sys.argv[1]

class Finder:
    @staticmethod
    def find_spec(module, *_):
        if module == "abs_audit.cli.commands":
            os.kill(os.getpid(), getattr(signal, name))

sys.meta_path.insert(0, Finder)
main.main()
"""
LATE = """
import os, signal, sys
from abs_audit.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
name, sys.argv = sys.argv[1], ["abs-audit", "--help"]
main._keep_printed = lambda: os.kill(os.getpid(), getattr(signal, name)) or signal.pause()
main.main()
"""
TWICE = PROGRAM.replace(
    "main.main()",
    """
say = main._say
main._say = lambda *said: os.kill(os.getpid(), getattr(signal, name)) or say(*said)
main.main()
""",
)
CODES = {signal.SIGTERM.name: 143, signal.SIGINT.name: 130, signal.SIGHUP.name: 143}


def interrupted(program: str, name: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "program", [PROGRAM, EARLY, LATE, TWICE], ids=["at work", "while importing", "at the end", "twice"]
)
@pytest.mark.parametrize("name", CODES)
def test_an_interruption_has_the_code_of_its_signal_and_no_traceback(program: str, name: str) -> None:
    code, stderr = interrupted(program, name)
    assert (CODES[name], True) == (code, "what was measured is kept" in stderr)
    assert "Traceback" not in stderr
