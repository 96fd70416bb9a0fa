"""Ids of methods from what a JVM calls them: the class, the name and the descriptor."""

import re
from collections.abc import Sequence

from abs_audit.grouping import grouped

_PRIMITIVES = dict(
    zip("BCDFIJSZ", ["byte", "char", "double", "float", "int", "long", "short", "boolean"], strict=True)
)
_TYPE = re.compile(r"(\[*)(?:L([^;]+);|([BCDFIJSZ]))")


class Ids:
    """The methods asked about; one of a hidden class is known by the class that alone inherits it."""

    def __init__(self, methods: Sequence[str]) -> None:
        self._known = set(methods)
        of_package = [(owner.rpartition(".")[0], name + types) for owner, name, types in map(split, methods)]
        self._heirs = grouped(zip(of_package, methods, strict=True))

    def find(self, owner: str, name: str, descriptor: str) -> str | None:
        """Return the id of an executed method, None where it is not one of those asked about.

        `owner`: its class, with dots between packages.
        """
        name = f"{name}({','.join(parameter_types(descriptor))})"
        exact = f"{owner}.{name}"
        if exact in self._known:
            return exact
        if name.startswith("<init>"):
            # To that of an inner class the JVM passes the enclosing instance, which ids leave out.
            own = exact.partition(f"<init>({owner.rpartition('$')[0]}")[2]
            inner = f"{owner}.<init>({own.removeprefix(',')}"
            return inner if inner in self._known else None
        heirs = self._heirs.get((owner.rpartition(".")[0], name), [])
        return heirs[0] if len(heirs) == 1 else None


def split(method: str) -> tuple[str, str, str]:
    """Return the binary name of the class, the name, and the parameters in their brackets, of an id."""
    before, bracket, types = method.partition("(")
    owner, _, name = before.rpartition(".")
    return owner, name, f"{bracket}{types}"


def parameter_types(descriptor: str) -> list[str]:
    """Return the parameter types of a method descriptor as method ids write them."""
    parameters = descriptor[1 : descriptor.index(")")]
    return [
        (name.replace("/", ".") if name else _PRIMITIVES[letter]) + "[]" * len(dimensions)
        for dimensions, name, letter in _TYPE.findall(parameters)
    ]
