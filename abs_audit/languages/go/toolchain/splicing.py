"""Texts put into Go files; every other byte stays on its line."""

from collections.abc import Iterable
from dataclasses import dataclass

from abs_audit.languages.go.toolchain.outline import Outline
from abs_audit.model.subject import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Splice:
    """Text that takes the place of the bytes from `start` to `end`; without an end, of none."""

    start: int
    end: int = 0
    text: str


def free_name(tree: SourceTree) -> str:
    """Return the beginning of a name that no source uses."""
    name = "_abs"
    while any(name in text for text in tree.values()):
        name += "_"
    return name


def importing(outline: Outline, name: str, path: str) -> Splice:
    """Return what imports a package under a name of ours."""
    # Behind the package clause, on its line: comments above imports may mean something to cgo.
    return Splice(start=outline.package_end, text=f'; import {name} "{path}"')


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Return a text with all splices in it; of equal ones, one."""
    data = text.encode("utf-8", "surrogatepass")
    pieces, last = [], 0
    for splice in sorted(dict.fromkeys(splices), key=lambda splice: splice.start):
        pieces += [data[last : splice.start], splice.text.encode("utf-8", "surrogatepass")]
        last = max(splice.start, splice.end)
    return b"".join((*pieces, data[last:])).decode("utf-8", "surrogatepass")
