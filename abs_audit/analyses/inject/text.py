"""What would be injected, for terminals."""

from collections.abc import Container

from abs_audit.analyses.inject.document import InjectDocument


def summary(document: InjectDocument, sources: Container[str], *, diff: bool, quiet: bool) -> str:
    """Return whether a method can be slowed down, and which of the subject's own files would change.

    `diff`: how they would change, too; `quiet`: nothing but that.
    """
    changes = document.diff if diff else ""
    if quiet:
        return changes
    if document.reason:
        return f"{document.method} cannot be slowed down: {document.reason}\n"
    changed = [path for path in document.files if path in sources]
    share = document.best_share
    share_told = f"Its largest recorded share of a benchmark is {share:.2f}.\n" if share is not None else ""
    return (
        f"{document.method} would take {1 + document.slowdown:g} times as long: "
        f"a probe in {', '.join(changed)}.\n{share_told}Nothing was written.\n{changes}"
    )
