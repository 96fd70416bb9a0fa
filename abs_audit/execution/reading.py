"""Reads what commands leave behind: bounded streams, and result files that grow."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

OUTPUT_LIMIT = 64 * 2**20
LOG_LIMIT = 256 * 2**10
"""Of standard output half of it: Maven's first error may name a class path of 100 kB."""


@dataclass(slots=True)
class Capture:
    """What a stream said: its beginning up to a limit, and its end."""

    kept: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def add(self, chunk: bytes) -> None:
        """Take the next piece; what is beyond the limit is forgotten, but for the end."""
        room = OUTPUT_LIMIT - len(self.kept)
        self.kept += chunk[:room]
        self.truncated |= len(chunk) > room
        self.tail += chunk
        if len(self.tail) > 2 * LOG_LIMIT:
            # Not with every piece: each time all of it is copied.
            del self.tail[:-LOG_LIMIT]


@dataclass(slots=True)
class Follower:
    """Hands the complete lines of a growing file to a reader."""

    path: Path | None
    on_line: Callable[[str], None] | None
    offset: int = 0
    rest: bytes = b""

    def poll(self) -> bool:
        """Hand over the lines that were completed since the last time; tell whether there were any."""
        if self.path is None or self.on_line is None or not self.path.exists():
            return False
        with self.path.open("rb") as stream:
            stream.seek(self.offset)
            chunk = stream.read()
        self.offset += len(chunk)
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            self.on_line(line.decode("utf-8", "replace"))
        return bool(lines)


def log_of(out: Capture, err: Capture) -> str:
    """Return the last part of standard output and error, for messages."""
    return (out.tail[-LOG_LIMIT // 2 :] + err.tail[-LOG_LIMIT:]).decode("utf-8", "replace")


def plain_file(path: Path) -> bytes | None:
    """Return the contents of a file that foreign code wrote; None where it is missing or no plain file.

    A link would make us read for the writer what it may not read itself, and a pipe would never end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
