"""Reads JSON piece by piece, so that a file of any size fits into little memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ijson

from abs_audit.errors import MismatchError, UsageError


def items(path: Path, prefix: str) -> Iterator[Any]:
    """Yield what stands at a path of the document such as `benchmarks.item`; numbers as floats.

    Raises MismatchError where the text ends early or is no JSON, UsageError where it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            yield from ijson.items(stream, prefix, use_float=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror})") from error
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise MismatchError(f"{path}: expected whole JSON, found: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:120]


def numbers(values: Any, where: str) -> tuple[float, ...]:
    """Return a list of numbers; raise MismatchError for anything else."""
    if not isinstance(values, list) or any(
        isinstance(value, bool) or not isinstance(value, int | float) for value in values
    ):
        raise MismatchError(f"{where}: expected a list of numbers, found {str(values)[:60]}")
    return tuple(map(float, values))
