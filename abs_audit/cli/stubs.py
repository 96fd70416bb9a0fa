"""`stubs`: a benchmark for each method that none watches."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, open_context, print_documents, say
from abs_audit.cli.declaring import Writes, option
from abs_audit.cli.options import Budget, Choosing, Common, Measuring, RecordedMethods
from abs_audit.cli.pages import write_file
from abs_audit.cli.preflight import STDOUT
from abs_audit.errors import ExitCode
from abs_audit.quantities import PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from abs_audit.analyses.score.record import ScoreRecord
    from abs_audit.analyses.stubs.measure import Tried
    from abs_audit.experiment.projects import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class StubsOptions(RecordedMethods):
    """What is asked of proposals."""

    write: Path | None = option("Folder to write the files to.", PATH, metavar="DIR", writes=Writes.FOLDER)
    patch: Path | None = option(
        "File for one patch, for git apply, of those that detect; - is standard output.",
        PATH,
        writes=Writes.STREAM,
    )


@command(records=True)
def stubs(
    asked: StubsOptions, measuring: Measuring, choosing: Choosing, budget: Budget, common: Common
) -> int:
    """Propose benchmarks for uncovered methods; each is run and must detect its own injection."""
    from abs_audit.analyses.stubs import document, text
    from abs_audit.analyses.stubs import measure as stubbing
    from abs_audit.cli.method_selection import chosen_score

    patches, outcomes, left = [], [], False
    stream = sys.stderr if asked.patch == STDOUT else None
    handed_over = asked.patch is not None or asked.write is not None

    with open_context(common, measuring, choosing, asked, budget) as context:

        def proposed(project: "Project") -> "tuple[ScoreRecord, Tried]":
            scored = chosen_score(project, context.runtime)
            return scored, stubbing.measure(project, context.runtime, scored)

        for project, (scored, tried) in context.of_each(proposed):
            outcomes.append(tried.outcomes)
            left |= bool(scored.result.undecided)
            left |= any(outcome.open for outcome in tried.outcomes)
            if not common.json:
                say(text.summary(tried.outcomes, handed_over=handed_over), stream=stream)
            if asked.write is not None:
                files = {stub.path: stub.text for stub in tried.stubs}
                stubbing.write(asked.write, _formatted(context, project, files))
            if asked.patch is not None:
                patches.append(_patch(context, project, tried))
            if tried.interrupted:
                break
        if common.json:
            print_documents([document.StubsDocument(stubs=list(each)) for each in outcomes])
        if asked.patch is not None:
            _write(asked.patch, "".join(patches))
        if tried.interrupted:
            raise KeyboardInterrupt
    return ExitCode.INCOMPLETE if left or context.runtime.watch.ended else ExitCode.DONE


def _formatted(
    context: CommandContext, project: "Project", files: "Mapping[str, str]"
) -> "Mapping[str, str]":
    """Return the files in the repository's own format; say where that cannot be."""
    from abs_audit.analyses.stubs.formatting import formatted

    offered = formatted(project, context.runtime, files)
    if offered.remark:
        sys.stderr.write(f"abs-audit: {offered.remark}\n")
    return offered.files


def _patch(context: CommandContext, project: "Project", tried: "Tried") -> str:
    """Return the proven benchmarks of one suite as a patch."""
    from abs_audit.analyses.stubs.patch import Change, unified
    from abs_audit.execution.repository import folder

    root = project.subject.root
    files = _formatted(context, project, tried.proven)
    changes = {
        path: Change(
            before=(root / path).read_bytes().decode() if (root / path).is_file() else None, after=text
        )
        for path, text in files.items()
    }
    return unified(changes, folder(root) or "", project.subject.name)


def _write(target: Path, patch: str) -> None:
    """Write a patch, which may be empty; say how it is applied."""
    if not patch:
        sys.stderr.write("abs-audit: no proposed benchmark notices its method: the patch is empty\n")
    if target == STDOUT:
        sys.stdout.write(patch)
        return
    write_file(f"--patch {target}", target, patch)
    if patch:
        sys.stderr.write(f"The patch: git apply {target}\n")
