"""The program: commands in, exit code out. The only place that catches everything.

Nothing heavy is imported before signals have their handlers: an interruption of the first moments, too, ends
with the code of its signal and no traceback.
"""

import contextlib
import errno
import gc
import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from abs_audit import __version__
from abs_audit.cli.began import BEGAN
from abs_audit.errors import AbsAuditError, ExitCode, without_passwords

CODES = {
    signal.SIGINT: ExitCode.INTERRUPTED,
    signal.SIGTERM: ExitCode.TERMINATED,
    # Only a terminal of POSIX hangs up.
    **({signal.SIGHUP: ExitCode.TERMINATED} if hasattr(signal, "SIGHUP") else {}),
}
STDOUT, STDERR = 1, 2
LONGEST_NAME = 200
LIMITS = {
    errno.ENOSPC: "make room, or name another place (of copies: ABS_AUDIT_CACHE)",
    errno.EDQUOT: "make room",
    errno.EROFS: "name another place (of copies: ABS_AUDIT_CACHE)",
    errno.EMFILE: "allow more open files with `ulimit -n`",
    errno.EAGAIN: "allow more processes with `ulimit -u`",
    errno.ENOMEM: "end other programs",
}
"""What helps where the system refuses something, whatever it was."""
LONGEST_LINE = 1500
"""Of a message: names of the user's own files may be of any length."""
INTERRUPTED = "interrupted; what was measured is kept, the same command goes on from there"


def main() -> None:
    """Execute one command and leave with its exit code."""
    BEGAN.set(time.monotonic())
    _open_streams()
    received: list[ExitCode] = []
    _handle(_leave)
    if sys.argv[1:] == ["--version"]:
        sys.exit(_code(_tell_version, received))
    from abs_audit.cli import commands

    def interrupt(number: int, _frame: FrameType | None) -> None:
        received.append(CODES[signal.Signals(number)])
        raise KeyboardInterrupt

    _handle(interrupt)
    # A name that no encoding can hold is shown escaped: it ends no command.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _code(commands.execute, received)
    _keep_printed()
    # Else all that libraries hold is looked through for garbage once more, which takes half a second.
    gc.freeze()
    sys.exit(code or 0)


def _open_streams() -> None:
    """Let streams that are closed lead nowhere: no file that is opened may take their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open to the end


def _tell_version() -> int:
    sys.stdout.write(f"abs-audit {__version__}\n")
    return ExitCode.DONE


def _handle(handler: Callable[[int, FrameType | None], Any]) -> None:
    """Handle the signals that ask for an end; what a shell or nohup makes a job ignore stays ignored."""
    for number in CODES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Leave at once: nothing is open yet, or any more."""
    os.write(2, f"abs-audit: {INTERRUPTED}\n".encode())
    os._exit(CODES[signal.Signals(number)])


def _code(execute: Callable[[], int], received: list[ExitCode]) -> int:
    """Return the exit code of the program; what went wrong has been said."""
    try:
        try:
            code = execute()
        finally:
            # There is no work to interrupt any more, and nobody to catch an exception of a second signal.
            _handle(_leave)
        # typer turns an interruption into a code of its own.
        if received:
            return _say(INTERRUPTED, received[0])
        _flush()
    except AbsAuditError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:
        _drop_output()
        return ExitCode.UNREAD
    except SystemExit as end:
        # typer's own end: of a completion, or of writing to nobody.
        return ExitCode.UNREAD if isinstance(end.__context__, BrokenPipeError) else int(end.code or 0)
    except (KeyboardInterrupt, Exception) as error:
        # Libraries make other exceptions of an interruption.
        if received:
            return _say(INTERRUPTED, received[0])
        return _refused(error) or _say(
            f"this is a bug of abs-audit; please report it with {_log()}", ExitCode.BUG
        )
    return code


def _flush() -> None:
    """Write what is left to be; an error names where that could not be written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        error.filename = error.filename or "standard output"
        raise


def _keep_printed() -> None:
    """Remember the files that a shell led our streams to: in a checkout they are none of its sources."""
    if any(stat.S_ISREG(os.fstat(descriptor).st_mode) for descriptor in (STDOUT, STDERR)):
        from abs_audit.execution.own_files import Printed
        from abs_audit.execution.workspace import outputs

        with contextlib.suppress(OSError, KeyboardInterrupt):
            sys.stdout.flush()
            Printed(outputs()).keep()


def _drop_output() -> None:
    """Nobody can read on: neither what is left to be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(error: BaseException) -> int:
    """Tell what the system refused; return 0 where it is none of its limits."""
    if not isinstance(error, OSError):
        return 0
    name = str(error.filename)[:LONGEST_NAME] if error.filename else ""
    if error.errno == errno.ENAMETOOLONG:
        return _say(f"{name}: a file cannot have so long a name; give another", ExitCode.USAGE)
    if error.errno not in LIMITS:
        return 0
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    reason = f"{name and name + ': '}{error.strerror}; {LIMITS[error.errno]}"
    return _say(f"{reason}; what was measured is kept, the same command goes on from there", ExitCode.UNFIT)


def _say(message: str, code: int) -> int:
    """Tell people what happened, without passwords and with nothing that a terminal obeys."""
    from abs_audit.report.names import shortened, visible

    lines = [shortened(visible(line), LONGEST_LINE) for line in without_passwords(message).split("\n")]
    sys.stderr.write("abs-audit: " + "\n".join(lines) + "\n")
    return code


def _log() -> Path:
    """Write what a bug report needs and return where."""
    import tempfile
    import traceback

    text = f"abs-audit {__version__}, Python {sys.version}\n{sys.argv}\n{traceback.format_exc()}"
    with tempfile.NamedTemporaryFile("w", prefix="abs-audit-", suffix=".log", delete=False) as stream:
        stream.write(without_passwords(text))
    return Path(stream.name)
