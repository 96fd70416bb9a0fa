"""Which Go function was meant by an id that no source declares."""

import re
from functools import partial

from abs_audit.injectors.suggestions import LISTED, did_you_mean
from abs_audit.languages.go.toolchain.catalogue import Catalogue
from abs_audit.languages.go.toolchain.layout import VENDORED


def unknown(method: str, catalogue: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    candidates = [definition.id for definition in catalogue.public() if not definition.reason]
    candidates += [name for name, entries in catalogue.all.items() if not entries[0].reason]
    # Without the path, with the package's name and without it.
    tails = (partial(_last, names=3), partial(_last, names=2))
    meant = did_you_mean(method, candidates, _bare, *tails, lambda name: _bare(name).casefold())
    if not meant and VENDORED & set(method.split("/")):
        return "vendored: the source of another project; replace it by a copy and audit that"
    return meant or LISTED


def _bare(method: str) -> str:
    """Return an id without what is easily forgotten or written differently."""
    return re.sub(r"\[[^\]]*\]|[(*)&\s]", "", method).replace("#", ".")


def _last(method: str, names: int) -> str:
    """Return the last names of an id: package, type and method."""
    return ".".join(_bare(method).rpartition("/")[2].split(".")[-names:])
