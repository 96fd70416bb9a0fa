"""Reads which methods to audit: a `trace` document, or plain text with one method id a line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abs_audit.advising import advised
from abs_audit.errors import UsageError
from abs_audit.formats.given_text import entries, given_text, parsed_json
from abs_audit.quantities import echoed

MOST_CALLS = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """The methods to audit, in the order of the file, and how much each matters."""

    ids: tuple[str, ...]
    weights: Mapping[str, float]
    """Method → traced calls; empty where the file does not say."""
    source: str = "--methods"
    """Where they come from, for messages."""


def read(path: Path) -> Methods:
    """Read a methods file; raise UsageError naming the file and what is wrong in it."""
    text = given_text(path, "methods file")
    described = text.lstrip().startswith(("{", "["))
    methods = _from_document(path, text) if described else _from_lines(path, text)
    if not methods.ids:
        raise UsageError(
            f"{path}: expected at least one method id, found none; make one with: {advised('trace')}"
        )
    return methods


def _from_lines(path: Path, text: str) -> Methods:
    ids = dict.fromkeys(line for _, line in entries(text))
    return Methods(ids=tuple(ids), weights={}, source=str(path))


def _from_document(path: Path, text: str) -> Methods:
    document = parsed_json(path, text, "JSON as `abs-audit trace --json` writes it")
    listed = document.get("methods") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise UsageError(f'{path}: expected a list under "methods", as `abs-audit trace --json` writes it')
    return Methods(
        ids=tuple(dict.fromkeys(_id(path, index, entry) for index, entry in enumerate(listed))),
        weights={
            entry["method"]: float(calls)
            for entry in listed
            # JSON as Python reads it has NaN and numbers without end.
            if isinstance(entry, dict)
            and isinstance(calls := entry.get("calls"), int | float)
            and 0 <= calls <= MOST_CALLS
        },
        source=str(path),
    )


def _id(path: Path, index: int, entry: Any) -> str:
    method = entry.get("method") if isinstance(entry, dict) else entry
    if not isinstance(method, str) or not method:
        raise UsageError(
            f'{path}: methods[{index}]: expected a method id or {{"method": id}}, found {echoed(repr(entry))}'
        )
    return method
