"""Reads JSON piece by piece, so that a file of any size fits into little memory; its shape is checked."""

import json
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import ijson
import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from abs_audit.errors import MismatchError
from abs_audit.formats import opening


class Shape(BaseModel):
    """What must stand in a piece of JSON; other keys are of no interest."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, populate_by_name=True)


T = TypeVar("T")
MARK = b"\xef\xbb\xbf"
DEEPEST = 200
OPENING, CLOSING = list(b"[{"), list(b"]}")
_BROKEN = (ijson.JSONError, UnicodeDecodeError, ValueError, OverflowError, RecursionError)


def items(path: Path, prefix: str, kind: type[T]) -> Iterator[T]:
    """Yield what stands at a path of the document such as `benchmarks.item`; numbers as floats.

    Raises MismatchError where the text ends early, is no JSON or has another shape, UsageError where it
    cannot be read.
    """
    with opening.binary(path) as stream:
        pieces = ijson.items(_Guarded(stream, path), prefix, use_float=True)
        while True:
            try:
                piece = next(pieces)
            except StopIteration:
                return
            except _BROKEN as error:
                raise MismatchError(f"{path}: expected whole JSON, found: {_first_line(error)}") from error
            yield shaped(piece, kind, f"{path}: {prefix.removesuffix('.item')}")


def whole(path: Path, kind: type[T]) -> T:
    """Return a document that is read at once: a small one, or one with the infinities of Python's writer."""
    with opening.text(path) as stream:
        try:
            document = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise MismatchError(f"{path}: expected whole JSON, found: {_first_line(error)}") from error
    return shaped(document, kind, str(path))


def shaped(piece: Any, kind: type[T], where: str) -> T:
    """Return a piece as what it must be; raise MismatchError that names the first thing that is not so."""
    try:
        return TypeAdapter(kind).validate_python(piece)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field_path = ".".join(map(str, first["loc"]))
        where = f"{where}.{field_path}" if field_path else where
        raise MismatchError(f"{where}: {first['msg']}, found {reprlib.repr(first['input'])[:60]}") from error
    except OverflowError as error:
        raise MismatchError(f"{where}: expected numbers of a measurement, found: {error}") from error


class _Guarded:
    """A stream without the mark that some editors put at its beginning, and of bounded depth.

    The parser keeps the whole path to where it is, so that its memory grows by the square of the depth.
    """

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream, self._path = stream, path
        self._first = True
        self._held = b""
        self._depth = self._quotes = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; raise MismatchError where they nest too deep."""
        data = self._stream.read(size)
        if self._first and data:
            self._first = False
            data = data.removeprefix(MARK) or self._stream.read(size)
        self._check(self._held + data)
        return data

    def _check(self, data: bytes) -> None:
        # An escape may be cut in two by the end of what was read.
        self._held = b"\\" if (len(data) - len(data.rstrip(b"\\"))) % 2 else b""
        plain = data.removesuffix(self._held).replace(b"\\\\", b"").replace(b'\\"', b"")
        codes = np.frombuffer(plain, dtype=np.uint8)
        if not codes.size:
            return
        quotes = self._quotes + np.cumsum(codes == ord('"'))
        opened = np.isin(codes, OPENING).astype(int) - np.isin(codes, CLOSING)
        depths = self._depth + np.cumsum(np.where(quotes % 2, 0, opened))
        self._quotes, self._depth = int(quotes[-1] % 2), int(depths[-1])
        if depths.max() > DEEPEST:
            raise MismatchError(f"{self._path}: expected results, found JSON nested more than {DEEPEST} deep")


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:120]
