"""Which of the asked methods does a change touch? For pull requests: only those are measured again."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from abs_audit.analyses.rootcause.calls.changes import Changes, FileChange, Hunk, Sources, changed
from abs_audit.analyses.rootcause.calls.inference import bare, inferred
from abs_audit.analyses.score.changed_benchmarks import touched
from abs_audit.grouping import grouped, reached
from abs_audit.model.subject import SourceTree

SOURCES = (".py", ".go", ".java", ".pyi")


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
    files = list(_differences(before.tree, after.tree))
    changes = changed(files, before, after)
    if not all(path.endswith(SOURCES) for path in changes.elsewhere):
        return ()
    edges = _edges(after)
    concerned = _closure(_directly(changes, after), ((callee, caller) for caller, callee in edges))
    library = {function.path for side in (before, after) for function in side.methods}
    blocks = touched(_beside(library, before.tree), _beside(library, after.tree))
    words = frozenset().union(*(block.words for block in blocks))
    concerned |= _closure({function for function in _named(after) if bare(function) in words}, edges)
    names = {block.name for block in blocks}
    return tuple(
        method
        for method in asked
        if method not in concerned
        and not any(names & set(re.findall(r"\w+", benchmark)) for benchmark in callers.get(method, ()))
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
    return [(caller, callee) for caller, callee in inferred(calls, sources).edges if caller is not None]


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
