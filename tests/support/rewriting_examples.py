"""Examples of rewriting: what a source shape looks like before and after, and what executing it does.

Every injector has a folder of them, one file a shape, in sections that begin with `=== name`:

    before   the text of one source file
    use      statements that execute it and return something that can be compared
    calls    method and the entries that its probe must count meanwhile (`?`: any number), one a line;
             these are the methods that can carry a probe, and no others
    skipped  methods that cannot carry one, one a line
    after    the text with every method of `calls` probed
    language the oldest version that the shape needs, where it is newer than the oldest supported one
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REQUIRED = frozenset(
    (
        "plain_function",
        "early_return",
        "exception",
        "recursion",
        "docstring_kept",
        "one_line_body",
        "names_in_use",
    )
)
"""Shapes that every language has and every injector must list an example of."""

_SECTION = re.compile(r"^=== (\w+)\n", flags=re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One source shape."""

    name: str
    before: str
    after: str
    use: str
    calls: Mapping[str, int | None]
    """Method, without its module → entries; None: any number."""
    skipped: frozenset[str]
    language: tuple[int, ...]
    """Oldest version that understands `before`; empty: any."""


def examples(folder: Path) -> tuple[Example, ...]:
    """Read all examples of a folder, in the order of their names."""
    return tuple(read_example(path) for path in sorted(folder.glob("*.txt")))


def read_example(path: Path) -> Example:
    """Read one file; a section that is left out is empty."""
    with path.open(encoding="utf-8", newline="") as stream:
        _, *parts = _SECTION.split(stream.read())
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return Example(
        name=path.stem,
        before=sections["before"],
        after=sections.get("after", ""),
        use=sections["use"],
        calls=dict(map(_call, sections["calls"].splitlines())),
        skipped=frozenset(sections.get("skipped", "").splitlines()),
        language=tuple(int(part) for part in sections.get("language", "").strip().split(".") if part),
    )


def _call(line: str) -> tuple[str, int | None]:
    method, count = line.rsplit(" ", 1)
    return method, None if count == "?" else int(count)
