"""Reads the configurations of the tools of 2018 for Go and Java: their methods, found in the sources."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abs_audit.cli.methods_file import Methods
from abs_audit.errors import UsageError
from abs_audit.model.subject import ApiMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A method as such a configuration names it."""

    place: str
    """Where in the document."""
    file: str
    """End of the path of its source file."""
    label: str
    """For messages."""
    spellings: tuple[str, ...]
    """What the end of its id looks like; the first that some id has counts."""


def methods_of(document: object) -> list[Sought] | None:
    """Return the methods of such a configuration, None for any other document.

    Go: `dynamic.functions` with `file`, `name` and `recv`. Java: `files` with `test_file` and `methods`, each
    with `name` and the types of its `params` as they are written.
    """
    if not isinstance(document, dict):
        return None
    dynamic, files = document.get("dynamic"), document.get("files")
    if isinstance(dynamic, dict) and isinstance(dynamic.get("functions"), list):
        return [_function(place, function) for place, function in enumerate(dynamic["functions"])]
    if isinstance(files, list) and any(isinstance(file, dict) and "test_file" in file for file in files):
        return list(_methods(files))
    return None


def found_again(path: Path, sought: Sequence[Sought], known: Sequence[ApiMethod]) -> Methods:
    """Return the ids of the methods; raise UsageError for the first that the sources do not have."""
    return Methods(
        ids=tuple(dict.fromkeys(_id(path, wanted, known) for wanted in sought)), weights={}, source=str(path)
    )


def _id(path: Path, wanted: Sought, known: Sequence[ApiMethod]) -> str:
    for spelling in wanted.spellings:
        same = [method for method in known if spelling in (_go_end(method.id), *_java_ends(method.id))]
        here = [method for method in same if method.path.endswith(wanted.file)] or same
        if len(here) == 1:
            return here[0].id
        if here:
            break
    among = f"; found {', '.join(method.id for method in here)}" if here else ""
    raise UsageError(
        f"{path}: {wanted.place}: expected one function {wanted.label} in {wanted.file}{among}; "
        "name its id in a methods file instead"
    )


def _function(place: int, function: Mapping[str, Any]) -> Sought:
    """Return a function of Go: the star of a receiver may be missing.

    The old tool then measured code that it had not changed, and said nothing.
    """
    name, receiver = str(function.get("name", "")), str(function.get("recv") or "").strip("*() ")
    wanted = f"{receiver}.{name}" if receiver else name
    return Sought(
        place=f"dynamic.functions[{place}]",
        file=str(function.get("file", "")),
        label=wanted,
        spellings=(wanted,),
    )


def _go_end(method: str) -> str:
    """Return `Type.Method` or `Func` of an id, without star and import path."""
    names = method.rpartition("/")[2].replace("(*", "").replace(")", "").split(".")[1:]
    return ".".join(names) if len(names) in (1, 2) else ""


def _methods(files: Sequence[Mapping[str, Any]]) -> Iterator[Sought]:
    for number, file in enumerate(files):
        for place, method in enumerate(file.get("methods") or ()):
            written = [str(each) for each in method.get("params") or ()]
            variables = method.get("typeParams") or {}
            erased = [str(variables.get(_simple(each), each)) for each in written]
            yield Sought(
                place=f"files[{number}].methods[{place}]",
                file=str(file.get("test_file", "")),
                label=f"{method.get('name')}({', '.join(written)})",
                spellings=(
                    f"{method.get('name')}({','.join(map(_simple, erased))})",
                    f"{method.get('name')}/{len(written)}",
                ),
            )


def _java_ends(method: str) -> tuple[str, str]:
    """Return `method(String,int[])` of an id, and `method/2`."""
    owner, _, types = method.removesuffix(")").partition("(")
    name = owner.rpartition(".")[2]
    listed = types.split(",") if types else []
    return f"{name}({','.join(map(_simple, listed))})", f"{name}/{len(listed)}"


def _simple(written: str) -> str:
    """Return the last word of a type without its arguments; several of it are an array."""
    bare = written.replace("...", "[]")
    while "<" in bare:
        bare, before = re.sub(r"<[^<>]*>", "", bare), bare
        if bare == before:
            break
    return re.split(r"[.$\s]", bare.strip())[-1]
