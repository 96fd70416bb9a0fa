"""The habits of a suite's existing benchmark files, which a new one is to follow."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from abs_audit.grouping import commonest
from abs_audit.languages.drafting import mostly
from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.library import Function


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What most of the existing files do."""

    folder: str
    """Where they lie; empty for the root."""
    prefix: str
    """What their names begin with: `test_`, `bench_`; empty if nothing in common."""
    suffix: str
    """What their names end with: `_benchmark`; empty if nothing in common."""
    annotated: bool
    """Whether functions say `-> None`."""
    future: bool
    """Whether they begin with `from __future__ import annotations`."""

    def path(self, name: str) -> str:
        """Return the path of a new file."""
        return (PurePosixPath(self.folder) / f"{self.prefix}{name}{self.suffix}.py").as_posix()


def habits(files: Sequence[Page], default: Habits, beginnings: Sequence[str], ends: Sequence[str]) -> Habits:
    """Return the habits of the files; the default's where there are none."""
    if not files:
        return default
    stems = [PurePosixPath(page.path).stem for page in files]
    prefix = commonest(first(beginnings, stem.startswith) for stem in stems)
    suffix = "" if prefix else commonest(first(ends, stem.endswith) for stem in stems)
    functions = [node for page in files for node in ast.walk(page.body) if isinstance(node, Function)]
    return Habits(
        folder=commonest(page.folder.as_posix() for page in files).removeprefix("."),
        prefix=prefix,
        suffix=suffix,
        annotated=mostly(function.returns is not None for function in functions),
        future=mostly(page.bound.get("annotations", ("",))[0] == "__future__" for page in files),
    )


def first(parts: Sequence[str], fits: Callable[[str], bool]) -> str:
    """Return the first part that fits; empty if none does."""
    return next(filter(fits, parts), "")
