"""What to say of an id that no source declares: most are close to one that is."""

import difflib
import re
from collections.abc import Iterator, Sequence

from abs_audit.languages.go.toolchain.catalogue import Catalogue
from abs_audit.languages.go.toolchain.layout import VENDORED

SHOWN = 5


def unknown(method: str, catalogue: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    candidates = [method.id for method in catalogue.public() if not method.reason]
    candidates += [name for name, entries in catalogue.all.items() if not entries[0].reason]
    candidates = list(dict.fromkeys(candidates))
    meant = next((hints for hints in _hints(method, candidates) if hints), [])
    if len(meant) == 1:
        return f"no such method in the sources: did you mean {meant[0]}?"
    if meant:
        return f"no such method in the sources: did you mean one of {', '.join(meant[:SHOWN])}?"
    if VENDORED & set(method.split("/")):
        return "vendored: the source of another project; replace it by a copy and audit that"
    return "no such method in the sources: list them with `abs-audit inject`"


def _hints(method: str, candidates: Sequence[str]) -> Iterator[list[str]]:
    """Return possible meanings, the most certain first."""
    bare = _bare(method)
    yield [candidate for candidate in candidates if _bare(candidate) == bare]
    for names in (3, 2):
        # Without the path, with the package's name and without it.
        last = _last(method, names)
        yield [candidate for candidate in candidates if _last(candidate, names) == last and "." in last]
    yield [candidate for candidate in candidates if _bare(candidate).casefold() == bare.casefold()]
    yield difflib.get_close_matches(method, candidates, n=1, cutoff=0.6)


def _bare(method: str) -> str:
    """Return an id without what is easily forgotten or written differently."""
    return re.sub(r"\[[^\]]*\]|[(*)&\s]", "", method).replace("#", ".")


def _last(method: str, names: int) -> str:
    """Return the last names of an id: package, type and method."""
    return ".".join(_bare(method).rpartition("/")[2].split(".")[-names:])
