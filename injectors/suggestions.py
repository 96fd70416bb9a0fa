"""What to say of an id that no source declares: most are close to one that is."""

import difflib
from collections.abc import Callable, Iterable

SHOWN = 5
NO_SUCH = "no such method in the sources"
LISTED = f"{NO_SUCH}: list them with `abs-audit inject`"


def did_you_mean(method: str, candidates: Iterable[str], *readings: Callable[[str], str]) -> str:
    """Return which ids were probably meant; empty where none is close.

    A reading leaves something of an id out. The first under which an id reads like the method decides, so
    the strictest comes first; under none of them the one that is spelled most alike is meant.
    """
    ids = list(dict.fromkeys(candidates))
    for reading in readings:
        wanted = reading(method)
        meant = [candidate for candidate in ids if reading(candidate) == wanted]
        if meant:
            break
    else:
        meant = difflib.get_close_matches(method, ids, n=1, cutoff=0.6)
    if len(meant) > 1:
        return f"{NO_SUCH}: did you mean one of {', '.join(meant[:SHOWN])}?"
    return f"{NO_SUCH}: did you mean {meant[0]}?" if meant else ""
