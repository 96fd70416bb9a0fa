"""Texts put into Go files; every other byte stays on its line."""

from abs_audit.languages.go.toolchain.outline import Outline
from abs_audit.languages.syntax import Splice
from abs_audit.model.subject import SourceTree


def free_name(tree: SourceTree) -> str:
    """Return the beginning of a name that no source uses."""
    name = "_abs"
    while any(name in text for text in tree.values()):
        name += "_"
    return name


def importing(outline: Outline, name: str, path: str) -> Splice:
    """Return what imports a package under a name of ours."""
    # Behind the package clause, on its line: comments above imports may mean something to cgo.
    return Splice(start=outline.package_end, text=f'; import {name} "{path}"')
