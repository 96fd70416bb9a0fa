"""The document of `inject`."""

import difflib
from collections.abc import Mapping
from typing import Literal, Self

from abs_audit.model.bounds import MaybeRate, Size
from abs_audit.model.subject import Patch
from abs_audit.report.document import Document, Text, Texts, named


class InjectDocument(Document):
    """What would be injected into a copy of the sources."""

    schema_: Literal["abs-audit/inject/1"] = named("abs-audit/inject/1")
    method: Text
    slowdown: Size
    injectable: bool
    reason: Text
    best_share: MaybeRate
    files: Texts
    diff: Text

    @classmethod
    def read(
        cls, patch: Patch, sources: Mapping[str, str], method: str, *, slowdown: float, share: float | None
    ) -> Self:
        """Return the document of a patch of the sources for one method."""
        reason = next((skipped.reason for skipped in patch.skipped if skipped.method == method), "")
        return cls(
            method=method,
            slowdown=slowdown,
            injectable=not reason,
            reason=reason,
            best_share=share,
            files=sorted(patch.files),
            diff=_diff(sources, patch),
        )


def _diff(sources: Mapping[str, str], patch: Patch) -> str:
    """Return the changes of the subject's own files; the probe's runtime is named, not printed."""
    parts: list[str] = []
    for path in sorted(patch.files):
        if path in sources:
            before, after = sources[path].splitlines(True), patch.files[path].splitlines(True)
            parts.extend(difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"))
    return "".join(parts)
