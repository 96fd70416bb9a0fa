"""What Java sources declare, as far as probes and calls need to know it."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

CONSTRUCTOR = "<init>"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeReference:
    """A type as a source writes it, without type arguments and annotations."""

    name: str
    """Dotted; a primitive type's keyword."""
    dimensions: int

    def array(self, dimensions: int) -> "TypeReference":
        """Return the type of arrays of this type."""
        return TypeReference(name=self.name, dimensions=self.dimensions + dimensions)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeVariable:
    """A type parameter with its first bound."""

    name: str
    bound: TypeReference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Places in a file, in bytes, between which a body's own statements lie."""

    start: int
    """Behind the opening brace, or behind an explicit call of a superclass's constructor."""
    end: int
    """Before the closing brace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodDeclaration:
    """A method or constructor."""

    name: str
    variables: tuple[TypeVariable, ...]
    parameters: tuple[TypeReference, ...]
    names: tuple[str, ...]
    """Those of the parameters."""
    result: TypeReference | None
    """None: a constructor."""
    modifiers: frozenset[str]
    throws: bool
    """Whether it declares exceptions."""
    line: int
    body: Body | None
    delegates: bool
    """True: a constructor that calls another one of its class, which is the one that counts."""
    node: Node = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDeclaration:
    """A class, interface, enum, record or annotation, with what is declared in it."""

    name: str
    kind: str
    """The first word of its declaration in the grammar: class, interface, enum, record, annotation."""
    modifiers: frozenset[str]
    variables: tuple[TypeVariable, ...]
    supertypes: tuple[TypeReference, ...]
    methods: tuple[MethodDeclaration, ...]
    members: tuple["TypeDeclaration", ...]
    node: Node = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import declaration."""

    name: str
    """Dotted, without the asterisk."""
    is_static: bool
    on_demand: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One compilation unit."""

    path: str
    package: str
    imports: tuple[Import, ...]
    types: tuple[TypeDeclaration, ...]
    error_line: int | None
    """Line of the first thing that is not Java; None where all is."""
    root: Node = field(repr=False, compare=False)

    @property
    def measures(self) -> bool:
        """Whether it uses JMH."""
        return any(imported.name.startswith("org.openjdk.jmh.") for imported in self.imports)

    @property
    def is_test(self) -> bool:
        """Whether it is compiled for tests only."""
        return re.search(r"(^|/)src/(test|it)/", self.path) is not None
