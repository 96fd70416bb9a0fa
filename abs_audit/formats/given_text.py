"""Reads the text files that a user names: whatever lies there instead ends in a message, at once."""

import json
import os
import select
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from abs_audit.errors import UsageError

LARGEST = 64 * 2**20
PATIENCE_S = 5.0
"""For what writes into a pipe, as a shell's `<(…)` is one."""


def given_text(path: Path, called: str = "file") -> str:
    """Return the text of a file or pipe; raise UsageError for anything else, or more, than a text."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected text in UTF-8, found another byte at {error.start}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot read the {called} ({getattr(error, 'strerror', error)})") from error
    if "\0" in text:
        raise UsageError(f"{path}: expected text, found a NUL character at {text.index(chr(0))}")
    return text


def entries(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a list with their numbers, without blank ones and those that begin with `#`."""
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line and not line.startswith("#"):
            yield number, line


def parsed_json(path: Path, text: str, expected: str = "JSON") -> Any:
    """Return what a JSON text holds; raise UsageError, with the line, where it holds none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}: expected {expected}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path}: expected {expected}, of usual depth and numbers: {error}") from error


def _content(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        kind = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise UsageError(
                f"{path}: expected a file, found a {'folder' if stat.S_ISDIR(kind) else 'device'}"
            )
        content, deadline = b"", time.monotonic() + PATIENCE_S
        while len(content) <= LARGEST:
            waited = max(0.0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], waited)[0]:
                raise UsageError(f"{path}: a pipe that nobody writes to; give a file")
            piece = stream.read(1 << 20)
            if not piece:
                return content
            content += piece
    raise UsageError(f"{path}: expected a text of at most {LARGEST >> 20} MiB, found more; shorten it")
