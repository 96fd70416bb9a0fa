"""Which files of a checkout belong to the library, and where its sources begin."""

import re
from pathlib import PurePosixPath

from abs_audit.languages.java.toolchain.declarations import SourceFile

_NOT_LIBRARY_FOLDERS = frozenset(
    {"bin", "build", "doc", "docs", "generated", "out", "perf", "resources", "target", "versions"}
    | {"archetype-resources", "java-templates", "template", "templates"}
)
_PURPOSES = "bench benchmark demo example it jmh sample test testing tutorial"
_NOT_LIBRARY_WORDS = frozenset(f"{word}{plural}" for word in _PURPOSES.split() for plural in ("", "s", "es"))
_NEWER_DUPLICATE = re.compile(r"java-?\d+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def source_root(file: SourceFile) -> str | None:
    """Return the folder in which the packages of a file begin; None where it lies in another's folder."""
    folders = PurePosixPath(file.path).parent.parts
    packages = tuple(file.package.split(".")) if file.package else ()
    if folders[len(folders) - len(packages) :] != packages:
        return None
    return "/".join(folders[: len(folders) - len(packages)])


def is_library(file: SourceFile) -> bool:
    """Tell whether a file is a source of the library: no test, benchmark, example or template.

    Only folders above the packages count: `org.example.test` may well be an API.
    """
    path = PurePosixPath(file.path)
    root = source_root(file)
    folders = path.parent.parts if root is None else PurePosixPath(root).parts
    words = {word.lower() for folder in folders for word in _WORDS.findall(folder)}
    duplicate = any(_NEWER_DUPLICATE.fullmatch(folder) for folder in folders)
    described = path.stem in {"module-info", "package-info"}
    ours = file.package.startswith("abs_audit_probe_")
    elsewhere = words & _NOT_LIBRARY_WORDS or _NOT_LIBRARY_FOLDERS.intersection(folders)
    return not (elsewhere or duplicate or file.measures or described or ours)
