"""Which benchmarks does a change touch? What they notice, and what they might notice now, is asked again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from abs_audit.analyses.rootcause.calls.changes import ANNOTATIONS, CLOSERS, FileChange
from abs_audit.model.subject import SourceTree

NAMED = re.compile(
    r"(?m)^(?:[\w ]+ )?(?:func|def|class|interface|enum|record|type|var|const) +(?:\([^)]*\) *)?(\w+)"
    r"|^(\w+)[^=\n]*="
)
IMPORTS = ("import", "from ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What stands between two lines at the margin: a function, a class, a constant."""

    path: str
    lines: range
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

    @property
    def is_benchmark(self) -> bool:
        """Whether it may be executed by a benchmark framework: rather too many are than too few."""
        return "bench" in f"{self.path}{self.text}".lower()


def touched(files: Sequence[FileChange], before: SourceTree, after: SourceTree) -> list[Block]:
    """Return the benchmarks that a change touches, themselves or through helpers beside them.

    `before`, `after`: files of tests and benchmarks alone. What declares no name counts for its folder.
    """
    sides = [{path: list(_blocks(path, text)) for path, text in tree.items()} for tree in (before, after)]
    waiting = [block for file in files for block in _hit(file, *sides)]
    rest = [block for side in sides for blocks in side.values() for block in blocks]
    concerned: list[Block] = []
    while waiting:
        block = waiting.pop()
        concerned.append(block)
        following = [other for other in rest if other not in concerned and _depends(other, block)]
        waiting += following
        rest = [other for other in rest if other not in following]
    return [block for block in concerned if block.is_benchmark]


def _depends(block: Block, other: Block) -> bool:
    if other.name:
        return other.name in block.words
    return PurePosixPath(block.path).parent == PurePosixPath(other.path).parent


def _hit(
    file: FileChange, before: Mapping[str, Sequence[Block]], after: Mapping[str, Sequence[Block]]
) -> Iterator[Block]:
    old, new = before.get(file.before or "", ()), after.get(file.after or "", ())
    for hunk in file.hunks:
        yield from (block for block in old if _overlap(block.lines, hunk.before))
        # One more import changes nothing of what was there.
        others = (block for block in new if not block.text.startswith(IMPORTS))
        yield from (block for block in others if _overlap(block.lines, hunk.after))


def _overlap(lines: range, others: range) -> bool:
    return max(lines.start, others.start) < min(lines.stop, others.stop)


def _blocks(path: str, text: str) -> Iterator[Block]:
    lines = text.splitlines()
    starts = [1]
    for number, line in enumerate(lines[1:], start=2):
        above = lines[number - 2]
        joined = above.startswith(ANNOTATIONS) and bool(above.strip())
        if line.strip() and line[0] not in {" ", "\t", *CLOSERS} and not joined:
            starts.append(number)
    for start, stop in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        yield Block(path=path, lines=range(start, stop), text="\n".join(lines[start - 1 : stop - 1]))
