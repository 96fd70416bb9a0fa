"""What JMH executes around what it times: a call there is no call of the benchmark's, and is not slowed."""

from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from abs_audit.languages.java.toolchain.declarations import Body, SourceFile, TypeDeclaration
from abs_audit.languages.java.toolchain.layout import source_root
from abs_audit.languages.syntax import children, text_in

_AROUND = frozenset({"Setup", "TearDown"})


def fixtures(benchmarks: Iterable[SourceFile]) -> dict[str, dict[str, Sequence[Body]]]:
    """Return the bodies of set-up and tear-down by source root and path."""
    by_root: dict[str, dict[str, Sequence[Body]]] = {}
    for file in benchmarks:
        root, bodies = source_root(file), [body for declared in file.types for body in _bodies(declared)]
        if root is not None and bodies:
            by_root.setdefault(root, {})[file.path] = bodies
    return by_root


def _bodies(declared: TypeDeclaration) -> Iterator[Body]:
    for method in declared.methods:
        if method.body is not None and not _AROUND.isdisjoint(_annotations(method.node)):
            yield method.body
    for member in declared.members:
        yield from _bodies(member)


def _annotations(node: Node) -> Iterator[str]:
    """Yield the simple names of what annotates a declaration."""
    for modifiers in children(node, "modifiers"):
        yield from (text_in(annotation, "name").rpartition(".")[2] for annotation in modifiers.named_children)
