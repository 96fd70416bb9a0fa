"""What would be injected, for terminals."""

from collections.abc import Container

from abs_audit.analyses.inject.document import InjectDocument


def summary(document: InjectDocument, sources: Container[str], *, diff: bool, quiet: bool) -> str:
    """Return whether a method can be slowed down, and which of the subject's own files would change.

    `diff`: how they would change, too; `quiet`: nothing but that, or else the answer alone.
    """
    changes = document.diff if diff else ""
    if document.reason:
        return f"{document.method} cannot be slowed down: {document.reason}\n"
    if quiet and changes:
        return changes
    changed = [path for path in document.files if path in sources]
    share = document.best_share
    share_told = f"Its largest recorded share of a benchmark is {share:.2f}.\n" if share is not None else ""
    answer = (
        f"{document.method} would take {1 + document.slowdown:g} times as long: "
        f"a probe in {', '.join(changed)}.\n"
    )
    return answer if quiet else f"{answer}{share_told}Nothing was written.\n{changes}"
