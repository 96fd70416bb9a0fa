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

    def head(self) -> str:
        """Return the expression that ticks, and whose value is what ends the call."""
        return f"({self.leaving} := {self.tick}) and {self.leaving}() and {self.due}()"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSource:
    """Hands out names that the module does not use."""

    prefix: str

    @classmethod
    def avoiding(cls, text: str) -> "NameSource":
        """Return names that begin with something that the text does not hold."""
        prefix, number = "_abs_", 0
        while prefix in text:
            number += 1
            prefix = f"_abs{number}_"
        return cls(prefix=prefix)

    @property
    def register(self) -> str:
        """Return the module's name for the function that registers a site."""
        return f"{self.prefix}site"

    def method(self, number: int) -> ProbeNames:
        """Return the names of the module's method `number`."""
        tick, due, site = (f"{self.prefix}{letter}{number}" for letter in "pqs")
        return ProbeNames(leaving=f"{self.prefix}c", tick=tick, due=due, site=site)
