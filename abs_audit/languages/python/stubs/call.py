"""A call of an API method, in parts that stand alone."""

import ast
from dataclasses import dataclass, replace

from abs_audit.languages.python.stubs.example_sources import Origin
from abs_audit.languages.python.stubs.snippet import Snippet, merged

LONGEST = 400
"""Characters of literals above which more are not more typical."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall:
    """On what a method is called, with which arguments, and how that is known."""

    receiver: Snippet | None
    """The instance, or the class of a class method or constructor; None for functions."""
    args: tuple[Snippet, ...] = ()
    keywords: tuple[tuple[str, Snippet], ...] = ()
    origin: Origin
    where: str = ""
    """The file in which it was seen; empty if it was not seen in one."""
    is_whole: bool = True
    """False: only the receiver was seen, the call itself was not."""

    def filled(self, made: Snippet) -> "PythonCall":
        """Return it with the arguments of another call."""
        assert isinstance(made.node, ast.Call)
        pairs = ((keyword.arg, keyword.value) for keyword in made.node.keywords)
        return replace(
            self,
            args=tuple(map(made.part, made.node.args)),
            keywords=tuple((name, made.part(value)) for name, value in pairs if name),
        )

    @property
    def values(self) -> list[Snippet]:
        """Return the arguments, those by keyword last."""
        return [*self.args, *(value for _, value in self.keywords)]

    @property
    def is_of_nothing(self) -> bool:
        """Tell whether all that is handed over is None: no work is done on it."""
        nodes = [value.node for value in self.values]
        return bool(nodes) and all(isinstance(node, ast.Constant) and node.value is None for node in nodes)

    @property
    def parts(self) -> list[Snippet]:
        """Return receiver and arguments."""
        return self.values if self.receiver is None else [self.receiver, *self.values]

    @property
    def weight(self) -> tuple[int, int]:
        """Return how much data the call works on, and then how plainly it is written."""
        nodes = (node for part in self.parts for node in ast.walk(part.node))
        data = sum(len(repr(node.value)) for node in nodes if isinstance(node, ast.Constant))
        return min(LONGEST, data), -sum(len(part.text) for part in self.parts)

    def expression(self) -> Snippet:
        """Return the call of the receiver as one expression."""
        assert self.receiver is not None
        node = ast.Call(
            func=self.receiver.node,
            args=[argument.node for argument in self.args],
            keywords=[ast.keyword(arg=name, value=value.node) for name, value in self.keywords],
        )
        return merged(node, self.parts)
