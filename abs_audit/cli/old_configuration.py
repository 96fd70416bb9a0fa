"""Reads the configuration of the Go tool of 2018: its list of functions, found again in the sources."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abs_audit.cli.methods_file import Methods
from abs_audit.errors import UsageError
from abs_audit.model.subject import ApiMethod


def functions_of(document: object) -> list[Mapping[str, Any]] | None:
    """Return the functions of such a configuration (`dynamic.functions`), None for any other document."""
    dynamic = document.get("dynamic") if isinstance(document, dict) else None
    found = dynamic.get("functions") if isinstance(dynamic, dict) else None
    return found if isinstance(found, list) else None


def found_again(path: Path, functions: Sequence[Mapping[str, Any]], known: Sequence[ApiMethod]) -> Methods:
    """Return the ids of the functions; raise UsageError for the first that the sources do not have.

    A function is told by its file, its name and the type of its receiver. The star of a pointer may be
    missing: the old tool then measured code that it had not changed, and said nothing.
    """
    ids = []
    for place, one in enumerate(functions):
        name, receiver = str(one.get("name", "")), str(one.get("recv") or "").strip("*() ")
        wanted = f"{receiver}.{name}" if receiver else name
        same = [method for method in known if _tail(method.id, bool(receiver)) == wanted]
        here = [method for method in same if method.path.endswith(str(one.get("file", "")))] or same
        if len(here) != 1:
            among = f"; found {', '.join(method.id for method in here)}" if here else ""
            raise UsageError(
                f"{path}: dynamic.functions[{place}]: expected one function {wanted} in "
                f"{one.get('file')}{among}; name its id in a methods file instead"
            )
        ids.append(here[0].id)
    return Methods(ids=tuple(dict.fromkeys(ids)), weights={})


def _tail(method: str, has_receiver: bool) -> str:
    """Return `Type.Method` or `Func` of an id, without star and import path."""
    names = method.rpartition("/")[2].replace("(*", "").replace(")", "").split(".")[1:]
    return ".".join(names) if len(names) == 1 + has_receiver else ""
