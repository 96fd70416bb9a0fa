"""Which methods did a commit change? Hunks of a diff, laid over the lines of the methods."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.model.change import FileChange
from abs_audit.model.subject import ApiMethod, SourceTree

CLOSERS = ("}", ")", "]")
PARAMETERS = re.compile(r"[\[(]|(?<!:):(?!:)|/(?=[^.]*$)")
"""What the parameters of a benchmark, or the name of a part of it, begin with in its id."""
ANNOTATIONS = ("@", "#[", "//", "#", "/*", "*")


class MethodChange(StrEnum):
    """What a commit did to a method's text."""

    MODIFIED = "modified"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """One side of a commit: texts, and the methods found in them."""

    tree: SourceTree
    methods: tuple[ApiMethod, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedMethod:
    """A method whose text a commit changed."""

    method: str
    change: MethodChange
    path: str
    line: int
    """After the commit; before it where the method was removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A commit in terms of methods."""

    methods: tuple[ChangedMethod, ...]
    elsewhere: tuple[str, ...]
    """Changed files with lines that belong to no method: constants, configuration, data, build files."""


def changed(files: Sequence[FileChange], before: Sources, after: Sources) -> Changes:
    """Return the methods that the hunks touch, and the files that changed outside of methods.

    A method extends from the annotations and comments above its first line to the last line that is
    indented deeper, closing brackets included. That holds for every language that is formatted usually.
    """
    old, new = _Side(before), _Side(after)
    touched: dict[str, ChangedMethod] = {}
    elsewhere: dict[str, None] = {}
    for file in files:
        outside = not file.hunks
        for hunk in file.hunks:
            hit_old = old.hit(file.before, hunk.before)
            hit_new = new.hit(file.after, hunk.after)
            for method in {**hit_old, **hit_new}:
                touched.setdefault(method, _changed_method(method, old, new))
            outside |= old.outside(file.before, hunk.before, hit_old.values())
            outside |= new.outside(file.after, hunk.after, hit_new.values())
        if outside:
            elsewhere[file.path] = None
    return Changes(methods=tuple(touched.values()), elsewhere=tuple(elsewhere))


def rewritten(
    files: Sequence[FileChange], before: Sources, after: Sources, benchmark: str
) -> tuple[str, ...]:
    """Return the files in which the benchmark itself was changed, as far as its name tells.

    The last two words of its id stand for it: its function, and the class, package or file that it is in.
    """
    words = re.findall(r"\w+", PARAMETERS.split(benchmark, maxsplit=1)[0])[-2:]
    written = (
        (file, _written(before.tree, file.before, words), _written(after.tree, file.after, words))
        for file in files
    )
    return tuple(
        file.path
        for file, old, new in written
        if any(_overlap(hunk.before, old) or _overlap(hunk.after, new) for hunk in file.hunks)
    )


def _written(tree: SourceTree, path: str | None, words: Sequence[str]) -> range:
    """Return the lines of a file that a benchmark has, all where its name is a text; none in another file."""
    text = tree.get(path or "", "")
    if not {*re.findall(r"\w+", f"{path} {text}")}.issuperset(words):
        return range(0)
    lines = text.splitlines()
    defining = re.compile(rf"\b{words[-1]}\(")
    first = next((number for number, line in enumerate(lines, 1) if defining.search(line)), None)
    return range(1, len(lines) + 1) if first is None else _span(lines, first)


def _changed_method(method: str, old: "_Side", new: "_Side") -> ChangedMethod:
    defined = new.places.get(method) or old.places[method]
    change = MethodChange.MODIFIED
    if method not in new.places:
        change = MethodChange.REMOVED
    elif method not in old.places:
        change = MethodChange.ADDED
    return ChangedMethod(method=method, change=change, path=defined.path, line=defined.line)


class _Side:
    """Methods of one side by file and line."""

    def __init__(self, sources: Sources) -> None:
        self._tree = sources.tree
        self._spans: dict[str, dict[str, range]] = {}
        self.places: dict[str, ApiMethod] = {method.id: method for method in sources.methods}

    def outside(self, path: str | None, lines: range, hit: Iterable[range]) -> bool:
        """Tell whether some of the lines lie in none of the methods; empty ones lie nowhere."""
        inside = {line for own in hit for line in own}
        empty = {
            n for n, line in enumerate(self._tree.get(path or "", "").splitlines(), 1) if not line.strip()
        }
        return any(line not in inside and line not in empty for line in lines)

    def hit(self, path: str | None, lines: range) -> Mapping[str, range]:
        """Return the methods of a file that the lines touch, with all their lines."""
        if path is None or path not in self._tree:
            return {}
        if path not in self._spans:
            own = [method for method in self.places.values() if method.path == path]
            self._spans[path] = spans(self._tree[path], own)
        return {method: span for method, span in self._spans[path].items() if _overlap(span, lines)}


def _overlap(lines: range, others: range) -> bool:
    return max(lines.start, others.start) < min(lines.stop, others.stop)


def spans(text: str, methods: Sequence[ApiMethod]) -> dict[str, range]:
    """Return method → its lines in the text, counted from 1."""
    lines = text.splitlines()
    return {method.id: _span(lines, method.line) for method in methods if 1 <= method.line <= len(lines)}


def _span(lines: Sequence[str], line: int) -> range:
    depth = _indent(lines[line - 1])
    first = line
    while first > 1 and _indent(above := lines[first - 2]) == depth and above.strip().startswith(ANNOTATIONS):
        first -= 1
    last = line
    for number in range(line + 1, len(lines) + 1):
        content = lines[number - 1]
        if content.strip():
            closing = _indent(content) == depth and content.strip().startswith(CLOSERS)
            if _indent(content) <= depth and not closing:
                break
            last = number
    return range(first, last + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
