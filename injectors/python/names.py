"""The names that rewriting brings into a module."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeNames:
    """The names that one method's body uses."""

    leaving: str
    """Local: what ends the call, or None."""
    tick: str
    due: str
    site: str

    @classmethod
    def of(cls, prefix: str, number: int) -> "ProbeNames":
        """Return the names of the module's method `number`; `prefix`: what they begin with."""
        tick, due, site = (f"{prefix}{letter}{number}" for letter in "pqs")
        return cls(leaving=f"{prefix}c", tick=tick, due=due, site=site)

    def head(self) -> str:
        """Return the expression that ticks, and whose value is what ends the call."""
        return f"({self.leaving} := {self.tick}) and {self.leaving}() and {self.due}()"


def free_prefix(text: str) -> str:
    """Return what no name of a module begins with, by its text."""
    prefix, number = "_abs_", 0
    while prefix in text:
        number += 1
        prefix = f"_abs{number}_"
    return prefix
