"""Which Java method was meant by an id that no source declares."""

from abs_audit.injectors.java.catalogue import Catalogue, LibraryMethod
from abs_audit.injectors.suggestions import LISTED, did_you_mean


def unknown(method: str, listed: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    inherited = {candidate.id for candidate in listed.methods if _declares(candidate, method, listed)}
    meant = did_you_mean(
        method,
        (candidate.id for candidate in listed.methods if not candidate.reason),
        _plain,
        _named,
        lambda name: "inherited" if name == method or name in inherited else name,
        # Without the package, and without the outer classes.
        lambda name: ".".join(_named(name).split(".")[-2:]),
    )
    path = next((path for path in listed.unreadable if path.endswith(_path(method))), None)
    if path is not None:
        line = listed.unreadable[path].error_line
        return f"{path}, line {line}: the file cannot be read without a compiler"
    return meant or LISTED


def _named(method: str) -> str:
    """Return an id without its parameters."""
    return _plain(method).partition("(")[0]


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
