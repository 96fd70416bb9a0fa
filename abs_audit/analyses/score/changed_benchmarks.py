"""Which benchmarks does a change touch? What they notice, and what they might notice now, is asked again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from abs_audit.analyses.rootcause.calls.changes import ANNOTATIONS
from abs_audit.grouping import reached
from abs_audit.model.subject import SourceTree

AT_MARGIN = re.compile(r"(?m)^(?=[^\s})\]])")
NAMED = re.compile(
    r"(?m)^(?:[\w ]+ )?(?:func|def|class|interface|enum|record|type|var|const) +(?:\([^)]*\) *)?(\w+)"
    r"|^(\w+)[^=\n]*="
)
IMPORTS = ("import", "from ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What stands between two lines at the margin: a function, a class, a constant, one import."""

    path: str
    text: str

    @property
    def name(self) -> str:
        """What others call it; empty where it declares nothing, or several things."""
        match = NAMED.search(self.text)
        return (match[1] or match[2]) if match else ""

    @property
    def words(self) -> frozenset[str]:
        """Every name in it."""
        return frozenset(re.findall(r"\w+", self.text))

    def depends_on(self, other: "Block") -> bool:
        """Tell whether it names the other one; what declares no name counts for its folder."""
        if other.name:
            return other.name in self.text and other.name in self.words
        return PurePosixPath(self.path).parent == PurePosixPath(other.path).parent


def touched(before: SourceTree, after: SourceTree) -> list[Block]:
    """Return the benchmarks that a change touches, themselves or through helpers beside them.

    `before`, `after`: files of tests and benchmarks alone. Rather too many blocks count as benchmarks.
    """
    old, new = ({block for path in tree for block in _blocks(path, tree[path])} for tree in (before, after))
    # One more import changes nothing of what was there.
    begin = [*(old - new), *(block for block in new - old if not block.text.startswith(IMPORTS))]
    every = old | new
    concerned = reached(begin, lambda changed: (block for block in every if block.depends_on(changed)))
    return [block for block in concerned if "bench" in f"{block.path}{block.text}".lower()]


def _blocks(path: str, text: str) -> Iterator[Block]:
    above = ""
    for piece in AT_MARGIN.split(text):
        if piece.startswith(IMPORTS):
            yield from (Block(path=path, text=f"import {line}") for line in piece.split("\n"))
        elif not piece.startswith(ANNOTATIONS):
            yield Block(path=path, text=f"{above}{piece}".strip())
        above = f"{above}{piece}" if piece.startswith(ANNOTATIONS) else ""
