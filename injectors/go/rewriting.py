"""Puts probes into the text of a Go file; every other byte stays on its line."""

from collections.abc import Iterable
from dataclasses import dataclass

from injectors.go.outline import Outline

# Inactive, this is a load and a branch. A call is deferred in mode `time` only.
_SITE = (
    " if {name}.On{number} {{ if {name}.S{number}.Left--; {name}.S{number}.Left <= 0 {{"
    " if {name}T := {name}.S{number}.Due(); {name}T != 0 {{ defer {name}.S{number}.Exit({name}T) }} }} }};"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A body that gets a probe."""

    body_at: int
    """Offset behind the brace that opens it."""
    number: int


def rewritten(text: str, outline: Outline, sites: Iterable[Site], name: str, runtime: str) -> str:
    """Return the text with all sites in it; `name` is what the runtime's import path is called there."""
    data = text.encode("utf-8", "surrogatepass")
    splices = [(outline.package_end, f'; import {name} "{runtime}"')]
    splices += [(site.body_at, _SITE.format(name=name, number=site.number)) for site in sites]
    pieces, last = [], 0
    for place, written in sorted(splices):
        pieces += [data[last:place], written.encode()]
        last = place
    return b"".join((*pieces, data[last:])).decode("utf-8", "surrogatepass")
