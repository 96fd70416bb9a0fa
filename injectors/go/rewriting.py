"""Puts probes into the text of a Go file; every other byte stays on its line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from abs_audit.injectors.go.outer_timing import Relay, must_not_defer, relay
from abs_audit.languages.go.toolchain.layout import SourceFile
from abs_audit.languages.go.toolchain.outline import Function, importing
from abs_audit.languages.syntax import Splice, in_field, spliced

# Inactive, this is a load and a branch. Only in mode `time` is there anything else to do than counting.
_SITE = (
    " if {name}.On{number} {{ if {name}.S{number}.Left--; {name}.S{number}.Left <= 0 {{"
    " if {name}T := {name}.S{number}.{due}(); {name}T != 0 {{ {timed} }} }} }};"
)
_DEFERRED = "defer {name}.S{number}.Exit({name}T)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A body that gets a probe."""

    function: Function
    number: int


def rewritten(source: SourceFile, sites: Iterable[Site], name: str, runtime: str) -> str:
    """Return the text with all sites in it; `name` is what the runtime's import path is called there."""
    end = len(source.text.encode("utf-8", "surrogatepass"))
    probes = (splice for site in sites for splice in _site(site, name, end))
    return spliced(source.text, [importing(source.outline, name, runtime), *probes])


def _site(site: Site, name: str, end: int) -> Iterator[Splice]:
    """Yield the splices of a probe; bodies in which a `defer` would be dear are timed from outside."""
    body = in_field(site.function.node, "body")
    assert body is not None
    outer: Relay | None = relay(site.function, name, site.number) if must_not_defer(site.function) else None
    timed = outer.call if outer is not None else _DEFERRED.format(name=name, number=site.number)
    due = "Due" if outer is None else "DueOutside"
    text = _SITE.format(name=name, number=site.number, due=due, timed=timed)
    yield Splice(start=body.start_byte + 1, text=text)
    if outer is not None:
        yield from outer.naming
        yield Splice(start=end, text=outer.declaration)
