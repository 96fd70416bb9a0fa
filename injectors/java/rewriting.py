"""Puts the switches of probes into bodies; every other byte of a file stays where it is."""

from collections.abc import Iterable
from dataclasses import dataclass

from abs_audit.languages.java.toolchain.declarations import Body
from abs_audit.languages.syntax import Splice, spliced


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A body that gets a probe."""

    body: Body
    switches: str
    """Qualified name of the class with its switches."""
    number: int

    @property
    def opening(self) -> str:
        """What is executed before the body."""
        on, enter = f"{self.switches}.ON{self.number}", f"{self.switches}.enter{self.number}()"
        return f" if ({on}) {enter}; try {{"

    @property
    def closing(self) -> str:
        """What is executed after it, however it is left."""
        timed, leave = f"{self.switches}.TIMED{self.number}", f"{self.switches}.leave{self.number}()"
        return f"}} finally {{ if ({timed}) {leave}; }} "


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A body that a harness executes around what it times."""

    body: Body
    probe: str
    """Qualified name of the class that is told."""

    @property
    def opening(self) -> str:
        """What is executed before the body."""
        return f" final boolean abs_audit_untimed_ = {self.probe}.prepare(); try {{"

    @property
    def closing(self) -> str:
        """What is executed after it, however it is left."""
        return f"}} finally {{ if (abs_audit_untimed_) {self.probe}.prepared(); }} "


def rewritten(text: str, sites: Iterable[Site | Fixture]) -> str:
    """Return the text with all sites in it, on the lines where it was."""
    splices = [
        Splice(start=place, text=written)
        for site in sites
        for place, written in ((site.body.start, site.opening), (site.body.end, site.closing))
    ]
    return spliced(text, sorted(splices, key=lambda splice: splice.text))
