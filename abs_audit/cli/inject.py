"""`inject`: what would be injected? Writes nothing."""

import contextlib
import difflib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, remark
from abs_audit.cli.declaring import option, overrides, switch
from abs_audit.cli.options import Checkout, Common
from abs_audit.errors import UsageError
from abs_audit.quantities import SLOWDOWN

if TYPE_CHECKING:
    from abs_audit.analyses.setting_up.document import InjectDocument
    from abs_audit.experiment.preparation import Project
    from abs_audit.model.subject import Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectOptions:
    """What would be injected."""

    method: str = option(
        "Id of the API method.",
        metavar="M",
        required="which method? Give its id with --method M; `abs-audit trace` finds those in use",
    )
    slowdown: float = option(
        "Extra time ÷ own time.",
        SLOWDOWN,
        required="how much slower? Give extra time ÷ own time with --slowdown D, such as 0.5 for 50 %",
    )
    diff: bool = switch("Show the changed sources.")


@command()
def inject(asked: InjectOptions, checkout: Checkout, common: Common) -> None:
    """Show what would be injected into a copy of the sources; the subject is not touched."""
    from abs_audit import config
    from abs_audit.cli.method_selection import unknown_methods
    from abs_audit.experiment.preparation import open_projects

    settings, _ = config.load(checkout.subject, common.config, overrides((checkout, common)))
    project = open_projects(checkout.subject, settings)[0]
    unknown = unknown_methods(project, [asked.method], "--method")
    if unknown:
        raise UsageError.of(unknown)
    sources = dict(project.sources())
    patch = project.language.injector.instrument(sources, [asked.method])
    remark(common, f"files of the copy: {', '.join(sorted(patch.files)) or 'none would change'}")
    document = _document(asked, patch, sources, _share(project, common, asked.method))
    if common.json:
        print_documents([document])
    else:
        sys.stdout.write(_text(asked, document, sources, quiet=common.quiet))


def _document(
    asked: InjectOptions, patch: "Patch", sources: Mapping[str, str], share: float | None
) -> "InjectDocument":
    from abs_audit.analyses.setting_up.document import InjectDocument

    reason = next((skipped.reason for skipped in patch.skipped if skipped.method == asked.method), "")
    return InjectDocument(
        method=asked.method,
        slowdown=asked.slowdown,
        injectable=not reason,
        reason=reason,
        best_share=share,
        files=sorted(patch.files),
        diff=_diff(sources, patch),
    )


def _text(
    asked: InjectOptions, document: "InjectDocument", sources: Mapping[str, str], *, quiet: bool
) -> str:
    changes = document.diff if asked.diff else ""
    if quiet:
        return changes
    if document.reason:
        return f"{asked.method} cannot be slowed down: {document.reason}\n"
    changed = [path for path in document.files if path in sources]
    share = document.best_share
    share_told = f"Its largest recorded share of a benchmark is {share:.2f}.\n" if share is not None else ""
    return (
        f"{asked.method} would take {1 + asked.slowdown:g} times as long: a probe in {', '.join(changed)}.\n"
        f"{share_told}Nothing was written.\n{changes}"
    )


def _share(project: "Project", common: Common, method: str) -> float | None:
    """Return the largest share of a benchmark that the session knows of the method, or None."""
    from abs_audit.analyses.score.record import ADAPTER, KIND
    from abs_audit.experiment.session import Session

    if not common.session.is_file():
        return None
    with contextlib.closing(Session(common.session)) as session:
        scored = session.load(project.digest, KIND, ADAPTER)
    return max(scored.shares.get(method, {}).values(), default=None) if scored else None


def _diff(sources: Mapping[str, str], patch: "Patch") -> str:
    """Return the changes of the subject's own files; the probe's runtime is named, not printed."""
    parts: list[str] = []
    for path in sorted(patch.files):
        if path in sources:
            before, after = sources[path].splitlines(True), patch.files[path].splitlines(True)
            parts.extend(difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"))
    return "".join(parts)
