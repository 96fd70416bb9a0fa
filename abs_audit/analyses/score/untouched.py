"""Which of the asked methods does a change touch? For pull requests: only those are measured again."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from abs_audit.analyses.rootcause.calls.changes import ANNOTATIONS, Changes, Sources, changed
from abs_audit.analyses.rootcause.calls.inference import REFERRED, inferred, names
from abs_audit.grouping import grouped, reached
from abs_audit.model.change import FileChange, Hunk
from abs_audit.model.subject import SourceTree

SOURCES = (".py", ".go", ".java", ".pyi")
AT_MARGIN = re.compile(r"(?m)^(?=[^\s})\]])")
NAMED = re.compile(
    r"(?m)^(?:[\w ]+ )?(?:func|def|class|interface|enum|record|type|var|const) +(?:\([^)]*\) *)?(\w+)"
    r"|^(\w+)[^=\n]*="
)
IMPORTS = ("import", "from ")


def untouched(
    before: Sources, after: Sources, asked: Sequence[str], callers: Mapping[str, Collection[str]]
) -> tuple[str, ...]:
    """Return the asked methods whose verdicts a change cannot have made others, as far as sources tell.

    It touches the others themselves, or through what they call in the library, or touches a benchmark that
    calls them. `callers`: method → benchmarks that called it before.
    Who calls whom is read from the sources by bare names, which takes in rather too many than too few.
    A change outside of functions counts for all functions of its file; one of a file that is no source
    (a build file, data) for all of the library.
    """
    changes = changed(list(_differences(before.tree, after.tree)), before, after)
    if not all(path.endswith(SOURCES) for path in changes.elsewhere):
        return ()
    edges = _edges(after)
    concerned = _closure(_directly(changes, after), ((callee, caller) for caller, callee in edges))
    library = {function.path for side in (before, after) for function in side.methods}
    blocks = touched(_beside(library, before.tree), _beside(library, after.tree))
    words = frozenset().union(*(block.words for block in blocks))
    concerned |= _closure({function for function in _named(after) if words & set(names(function))}, edges)
    benchmarks = {block.name for block in blocks}
    return tuple(
        method
        for method in asked
        if method not in concerned
        and not any(benchmarks & set(re.findall(r"\w+", benchmark)) for benchmark in callers.get(method, ()))
    )


def _beside(library: Collection[str], tree: SourceTree) -> SourceTree:
    """Return the sources that hold tests and benchmarks."""
    return {
        path: text
        for path, text in tree.items()
        if path.endswith(SOURCES) and (path not in library or "bench" in path.lower())
    }


def _named(sources: Sources) -> Iterable[str]:
    return (function.id for function in sources.methods)


def _directly(changes: Changes, after: Sources) -> set[str]:
    files = set(changes.elsewhere)
    return {method.method for method in changes.methods} | {
        function.id for function in after.methods if function.path in files
    }


def _edges(sources: Sources) -> list[tuple[str, str]]:
    """Return who calls whom in the library.

    What was removed is no function any more, but the text of its former callers changed with it.
    """
    calls = dict.fromkeys(_named(sources), 1.0)
    return [
        (caller, callee) for caller, callee in inferred(calls, sources, REFERRED).edges if caller is not None
    ]


def _closure(methods: Collection[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    """Return the methods and all that edges lead to from them, directly or through others."""
    following = grouped(edges)
    return set(reached(methods, lambda method: following.get(method, ())))


def _differences(before: SourceTree, after: SourceTree) -> Iterator[FileChange]:
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old != new:
            yield FileChange(
                before=path if old is not None else None,
                after=path if new is not None else None,
                hunks=tuple(_hunks((old or "").splitlines(), (new or "").splitlines())),
            )


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            yield Hunk(before=range(old_start + 1, old_end + 1), after=range(new_start + 1, new_end + 1))


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
