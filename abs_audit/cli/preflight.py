"""What can be wrong with a command is found before it works, and told together."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abs_audit.cli.declaring import Writes, options_of, overrides
from abs_audit.errors import AbsAuditError, UsageError
from abs_audit.quantities import PATH

STDOUT = Path("-")


def check(groups: Sequence[Any], complaints: Sequence[str], *, records: bool) -> None:
    """Raise one UsageError for all complaints: those of reading the options, and those found here."""
    told = [*complaints, *_unwritable(groups)]
    session = next((group.session for group in groups if hasattr(group, "session")), None)
    if records and session is not None and (complaint := session_complaint(session)):
        told.append(complaint)
    if told:
        told += _of_the_subject(groups)
        raise UsageError.of(told)


def _of_the_subject(groups: Sequence[Any]) -> Iterator[str]:
    """Yield what would be wrong next: the configuration, the checkout, the methods."""
    from abs_audit import config
    from abs_audit.cli import method_selection

    subject = next((group.subject for group in groups if hasattr(group, "subject")), Path())
    explicit = next((group.config for group in groups if hasattr(group, "config")), None)
    try:
        settings, _ = config.load(subject, explicit, overrides(groups))
    except AbsAuditError as error:
        yield str(error)
        return
    asked = next((group for group in groups if hasattr(group, "methods")), None)
    if asked is not None:
        yield from method_selection.complaints(subject, settings, asked)


def _unwritable(groups: Sequence[Any]) -> Iterator[str]:
    for group in groups:
        for option in options_of(group):
            path = getattr(group, option.name)
            if path is None or option.writes is Writes.NOTHING:
                continue
            if option.writes is Writes.STREAM and path == STDOUT:
                if any(getattr(other, "json", False) for other in groups):
                    yield f"{option.flag} - and --json both want standard output; name a file"
                continue
            reason = (folder_complaint if option.writes is Writes.FOLDER else file_complaint)(path)
            if reason or (reason := _would_lose(path, groups)):
                yield f"{option.flag} {path}: {reason}"


def _would_lose(path: Path, groups: Sequence[Any]) -> str:
    """Return why an answer must not take a file's place; empty where it may."""
    from abs_audit.experiment.session_place import is_session

    if not path.is_file():
        return ""
    given = [
        getattr(group, option.name)
        for group in groups
        for option in options_of(group)
        if option.kind is PATH and option.writes is Writes.NOTHING
    ]
    read = [each for value in given for each in (value if isinstance(value, tuple) else (value,)) if each]
    if any(each.exists() and each.samefile(path) for each in read):
        return "the command reads this file; name another one to write"
    return "a session lies there; name another file" if is_session(path) else ""


def file_complaint(path: Path) -> str:
    """Return why a file could not be written; empty where it can. Nothing stays behind."""
    if path.is_dir():
        return "expected a file to write, found a folder; name a file in it"
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist; create it first, or name another file"
    if path.exists() and not path.is_file():
        return "" if os.access(path, os.W_OK) else "cannot write it; name another file"
    try:
        if path.exists():
            path.open("r+b").close()
        else:
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        return f"cannot write it ({error.strerror}); name another file"
    return ""


def folder_complaint(path: Path) -> str:
    """Return why files could not be written to a folder, which may have to be made; empty where they can."""
    standing = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    if not standing.is_dir():
        return f"expected a folder, but {standing} is a file; name another"
    try:
        tempfile.TemporaryFile(dir=standing).close()
    except OSError as error:
        return f"cannot write to {standing} ({error.strerror}); name another folder"
    return ""


def session_complaint(path: Path) -> str:
    """Return why nothing could be recorded in a session; empty where it can."""
    reason = _unrecordable(path)
    return f"--session {path}: {reason}" if reason else ""


def _unrecordable(path: Path) -> str:
    from abs_audit.experiment.session_place import is_session

    expected = "expected a session file of abs-audit, found"
    if path.is_dir():
        return f"{expected} a folder; name a file in it"
    if not path.exists():
        return folder_complaint(path.absolute().parent)
    complaint = file_complaint(path) if path.is_file() else ""
    if not path.is_file() or (not complaint and path.stat().st_size and not is_session(path)):
        return f"{expected} something else; name another file with --session"
    return complaint
