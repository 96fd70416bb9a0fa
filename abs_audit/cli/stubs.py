"""`stubs`: a benchmark for each method that none watches."""

from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli.command import command
from abs_audit.cli.context import Rendering, each_suite, open_context
from abs_audit.cli.declaring import Declared, Writes, declared
from abs_audit.cli.options import Choosing, Common, Measuring, RecordedMethods
from abs_audit.errors import ExitCode
from abs_audit.quantities import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class StubsOptions(RecordedMethods):
    """What is asked of proposals."""

    write: Path | None = declared(
        Declared(
            flags="--write",
            kind=PATH,
            metavar="DIR",
            help="Folder to write the files to.",
            writes=Writes.FOLDER,
        )
    )


@command(records=True)
def stubs(asked: StubsOptions, measuring: Measuring, choosing: Choosing, common: Common) -> int:
    """Propose benchmarks for uncovered methods; each is run and must detect its own injection."""
    from abs_audit.analyses.stubs import measure as stubbing
    from abs_audit.analyses.stubs import text
    from abs_audit.analyses.stubs.document import StubsDocument
    from abs_audit.cli.method_selection import chosen_score

    with open_context(common, measuring, choosing, asked) as context:
        each_suite(
            context,
            common,
            lambda project: stubbing.measure(
                project, context.runtime, chosen_score(project, context.runtime), asked.write
            ),
            Rendering(text=text.summary, document=StubsDocument.read),
        )
    return ExitCode.DONE
