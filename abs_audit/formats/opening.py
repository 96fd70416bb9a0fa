"""Opens what results come in: files, compressed ones, standard input and pipes; never what has no end."""

import contextlib
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO, TextIO

from abs_audit.errors import MismatchError, UsageError

STANDARD_INPUT = Path("-")
GZIP = b"\x1f\x8b"


@contextlib.contextmanager
def binary(path: Path) -> Iterator[BinaryIO]:
    """Yield the bytes of a file from its beginning, unpacked where they are compressed by gzip.

    `-` is standard input; it and named pipes are kept in a temporary file, so that they can be read again.
    Raises UsageError for what cannot be read or is no file, MismatchError for a broken compression.
    """
    try:
        with _plain(path) as stream:
            stream.seek(0)
            packed = stream.read(len(GZIP)) == GZIP
            stream.seek(0)
            if packed:
                with gzip.open(stream) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MismatchError(f"{path}: expected a whole gzip file, found: {error}") from error
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read it ({error.strerror}); expected a session or a result file"
        ) from error


@contextlib.contextmanager
def text(path: Path) -> Iterator[TextIO]:
    """Yield the text of a file, without a mark at its beginning; what is no UTF-8 becomes `\\ufffd`."""
    with binary(path) as stream:
        wrapped = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        yield wrapped
        wrapped.detach()


def head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file."""
    with binary(path) as stream:
        return stream.read(size)


def _plain(path: Path) -> contextlib.AbstractContextManager[BinaryIO]:
    if path == STANDARD_INPUT:
        return contextlib.nullcontext(_kept(path))
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):
        return contextlib.nullcontext(_kept(path))
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: expected a file or -, found a device or socket")
    return path.open("rb")


@cache
def _kept(path: Path) -> BinaryIO:
    """Return everything that comes through a pipe, in a temporary file; it comes only once."""
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process may read it again
    with _piped(path) as stream:
        if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
            raise UsageError(
                f"{path}: expected a file or a pipe on standard input, found a terminal or device"
            )
        shutil.copyfileobj(stream, kept)
    return kept


def _piped(path: Path) -> contextlib.AbstractContextManager[BinaryIO]:
    if path == STANDARD_INPUT:
        return contextlib.nullcontext(sys.stdin.buffer)
    # Without a writer, opening a pipe would wait for ever; reading it ends at once.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")
