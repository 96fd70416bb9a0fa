"""What to say of an id that no source declares: most are close to one that is."""

import difflib
from collections.abc import Iterator

from abs_audit.injectors.java.catalogue import Catalogue, LibraryMethod


def unknown(method: str, listed: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    candidates = list(dict.fromkeys(candidate.id for candidate in listed.methods if not candidate.reason))
    meant = next((hints for hints in _hints(method, listed, candidates) if hints), [])
    if len(meant) == 1:
        return f"no such method in the sources: did you mean {meant[0]}?"
    if meant:
        return f"no such method in the sources: did you mean one of {', '.join(meant[:5])}?"
    path = next((path for path in listed.unreadable if path.endswith(_path(method))), None)
    if path is not None:
        return (
            f"{path}, line {listed.unreadable[path].error_line}: the file cannot be read without a compiler"
        )
    return "no such method in the sources: list them with `abs-audit inject`"


def _hints(method: str, listed: Catalogue, candidates: list[str]) -> Iterator[list[str]]:
    """Return possible meanings, the most certain first."""
    plain = _plain(method)
    yield [candidate for candidate in candidates if _plain(candidate) == plain]
    name = plain.partition("(")[0]
    yield [candidate for candidate in candidates if _plain(candidate).partition("(")[0] == name]
    yield [
        candidate.id
        for candidate in listed.methods
        if not candidate.reason and _declares(candidate, method, listed)
    ]
    # Without the package, and without the outer classes.
    short = ".".join(name.split(".")[-2:])
    yield [
        candidate
        for candidate in candidates
        if ".".join(_plain(candidate).partition("(")[0].split(".")[-2:]) == short
    ]
    yield difflib.get_close_matches(method, candidates, n=1, cutoff=0.6)


def _plain(method: str) -> str:
    """Return an id without what people write otherwise: `$`, blanks, type arguments, varargs."""
    text = method.replace("$", ".").replace(" ", "").replace("...", "[]").replace("#", ".")
    while "<" in text.replace("<init>", ""):
        start = text.replace("<init>", "@init@").rindex("<")
        end = text.replace("<init>", "@init@").find(">", start)
        if end < 0:
            break
        text = text[:start] + text[end + 1 :]
    return text


def _declares(candidate: LibraryMethod, method: str, listed: Catalogue) -> bool:
    """Tell whether a method is what a type inherits under an id."""
    owner, _, signature = method.partition("(")[0].rpartition(".")
    if signature != candidate.declaration.name or owner not in listed.names.types:
        return False
    inherits = candidate.owner.binary in listed.names.lineage(owner)
    return inherits and candidate.id.partition("(")[2] == method.partition("(")[2]


def _path(method: str) -> str:
    owner = method.partition("(")[0].rpartition(".")[0].partition("$")[0]
    return f"{owner.replace('.', '/')}.java"
