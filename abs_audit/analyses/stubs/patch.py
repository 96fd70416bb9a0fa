"""Proposed benchmarks as one patch that `git apply` takes."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of one file."""

    before: str | None
    """None: the file is new."""
    after: str


def unified(changes: Mapping[str, Change], prefix: str, about: str) -> str:
    """Return one patch; empty without changes.

    Paths are told from the top of the repository, which git looks for from any folder in it. `prefix` leads
    there: empty, or ending with a slash. `about` names what the benchmarks are for.
    """
    files = [
        "".join(_file(f"{prefix}{path}", change))
        for path, change in sorted(changes.items())
        if change.before != change.after
    ]
    told = f"Proposed by abs-audit, each tried: it notices when its method of {about} becomes slower.\n\n"
    return told + "".join(files) if files else ""


def _file(path: str, change: Change) -> Iterator[str]:
    """Yield the lines about one file, with their ends."""
    yield f"diff --git a/{path} b/{path}\n"
    if change.before is None:
        yield "new file mode 100644\n"
    # A tab says where a name with blanks ends.
    end = "\t\n" if " " in path else "\n"
    yield f"--- a/{path}{end}" if change.before is not None else "--- /dev/null\n"
    yield f"+++ b/{path}{end}"
    before, after = (_lines(text or "") for text in (change.before, change.after))
    for line in list(difflib.unified_diff(before, after))[2:]:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Return lines with their ends; only a line feed ends one, as git has it."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
