"""Puts the switches of probes into bodies; every other byte of a file stays where it is."""

from collections.abc import Iterable
from dataclasses import dataclass

from abs_audit.languages.java.toolchain.declarations import Body
from abs_audit.languages.syntax import Splice, spliced


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A body, with what is executed before it and, however it is left, after it."""

    body: Body
    opening: str
    closing: str


def with_probe(body: Body, switches: str, number: int) -> Site:
    """Return a body that gets a probe; `switches`: qualified name of the class with its switches."""
    on, enter = f"{switches}.ON{number}", f"{switches}.enter{number}()"
    timed, leave = f"{switches}.TIMED{number}", f"{switches}.leave{number}()"
    closing = f"}} finally {{ if ({timed}) {leave}; }} "
    return Site(body=body, opening=f" if ({on}) {enter}; try {{", closing=closing)


def untimed(body: Body, probe: str) -> Site:
    """Return a body that a harness executes around what it times; `probe`: qualified name of who is told."""
    opening = f" final boolean abs_audit_untimed_ = {probe}.prepare(); try {{"
    return Site(
        body=body, opening=opening, closing=f"}} finally {{ if (abs_audit_untimed_) {probe}.prepared(); }} "
    )


def rewritten(text: str, sites: Iterable[Site]) -> str:
    """Return the text with all sites in it, on the lines where it was."""
    splices = [
        Splice(start=offset, text=written)
        for site in sites
        for offset, written in ((site.body.start, site.opening), (site.body.end, site.closing))
    ]
    return spliced(text, sorted(splices, key=lambda splice: splice.text))
