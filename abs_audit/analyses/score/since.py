"""Which of the asked methods does a change touch? For pull requests: only those are measured again."""

import difflib
from collections.abc import Iterator, Sequence

from abs_audit.analyses.rootcause.calls.changes import Changes, FileChange, Hunk, Sources, changed
from abs_audit.analyses.rootcause.calls.inference import inferred
from abs_audit.model.subject import SourceTree

SOURCES = (".py", ".go", ".java", ".pyi")


def untouched(before: Sources, after: Sources, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the asked methods that a change cannot have made slower, as far as sources tell.

    It touches the others themselves, or through what they call in the library.
    Who calls whom is read from the sources by bare names, which takes in rather too many than too few.
    A change outside of functions counts for all functions of its file; one of a file that is no source
    (a build file, data) for all of the library.
    """
    changes = changed(list(_differences(before.tree, after.tree)), before, after)
    if not all(path.endswith(SOURCES) for path in changes.elsewhere):
        return ()
    concerned = _callers(_directly(changes, after), after)
    return tuple(method for method in asked if method not in concerned)


def _directly(changes: Changes, after: Sources) -> set[str]:
    files = set(changes.elsewhere)
    return {method.method for method in changes.methods} | {
        function.id for function in after.methods if function.path in files
    }


def _callers(methods: set[str], sources: Sources) -> set[str]:
    """Return the methods and all that call them, directly or through others.

    What was removed is no function any more, but the text of its former callers changed with it.
    """
    calls = {function.id: 1.0 for function in sources.methods}
    callers: dict[str, set[str]] = {}
    for caller, callee in inferred(calls, sources).edges:
        if caller is not None:
            callers.setdefault(callee, set()).add(caller)
    concerned: set[str] = set()
    waiting = list(methods)
    while waiting:
        method = waiting.pop()
        if method not in concerned:
            concerned.add(method)
            waiting += callers.get(method, ())
    return concerned


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
