"""What writers of stubs say of a draft, in every language: what it rests on, and what nothing tells."""

from abs_audit.interfaces import Stub

INVENTED = "some of its values are made up from signatures: replace them by typical ones"
RECORDED = "Its arguments are those that downstream projects give."


class MissingError(Exception):
    """What nothing tells of a method, so that a person has to fill it in."""


def origin_of(known: str, *, invented: bool) -> str:
    """Return in sentences where values are from; `known`: the sentence on those that were seen."""
    return " ".join(filter(None, (known, f"S{INVENTED[1:]}." if invented else "")))


def unfinished(method: str, path: str, text: str, missing: MissingError) -> Stub:
    """Return a file that waits for a person, who is told for what."""
    reason = f"nothing tells how to call {method}: fill in {missing}"
    return Stub(method=method, path=path, text=text, benchmark=None, reason=reason)
