"""Where a session lies: what may be there, and what killed processes left beside it."""

import contextlib
import glob
import re
import stat
from pathlib import Path

import psutil

from abs_audit.errors import UsageError
from abs_audit.formats import opening
from abs_audit.quantities import echoed

SESSION_BEGINS = b"SQLite format 3\0"
ANOTHER = "name another file with --session"
BEGUN = re.compile(r"\.(\d+)\.\d+(-journal)?")
"""What follows the name of a session in that of one which a process, of this number, is about to make."""


def is_session(source: Path) -> bool:
    """Tell whether a file is a session."""
    return not source.is_dir() and opening.head(source, len(SESSION_BEGINS)) == SESSION_BEGINS


def is_taken(path: Path) -> bool:
    """Tell whether there is a file, for which there is a folder now; raise UsageError where it is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        _make_folder(path)
        return False
    except OSError as error:
        raise UsageError(f"{echoed(path)}: cannot open it ({error.strerror}); {ANOTHER}") from error
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path}: expected a session file of abs-audit, found something else; {ANOTHER}")
    if not status.st_size:
        raise UsageError(f"{path}: expected a session file of abs-audit, found an empty file; {ANOTHER}")
    return True


def sweep(path: Path) -> None:
    """Remove what processes that were killed while they made this session left beside it."""
    for left in path.parent.glob(f"{glob.escape(path.name)}.*"):
        begun = BEGUN.fullmatch(left.name.removeprefix(path.name))
        if begun and not psutil.pid_exists(int(begun[1])):
            with contextlib.suppress(OSError):
                left.unlink()


def _make_folder(path: Path) -> None:
    """Make the folder of a session; our own `.abs-audit` keeps itself out of version control."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == ".abs-audit" and not (path.parent / ".gitignore").exists():
            (path.parent / ".gitignore").write_text("*\n")
            (path.parent / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot make the folder ({error.strerror}); {ANOTHER}") from error
