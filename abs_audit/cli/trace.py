"""`trace`: which API methods do downstream projects call?"""

import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.advising import advised
from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import open_context, print_documents, say
from abs_audit.cli.declaring import Writes, option, setting
from abs_audit.cli.options import Common, Measuring
from abs_audit.cli.pages import write_file
from abs_audit.errors import UsageError
from abs_audit.quantities import COUNT, PATH, choice


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """Whose tests are traced, and what is kept."""

    downstream: tuple[str, ...] | None = options.downstream()
    top: int | None = setting("Methods to keep of the ranking.", COUNT)
    caller: str = option("any: the counting of the paper.", choice("direct", "any"), "direct", asks=True)
    output: Path = option("Methods file to write.", PATH, "methods.json", writes=Writes.FILE)


@command(records=True)
def trace(asked: TraceOptions, measuring: Measuring, common: Common) -> None:
    """Run the unit tests of downstream projects and rank the API methods that they call."""
    from abs_audit.analyses.trace import measure as tracing
    from abs_audit.analyses.trace import text
    from abs_audit.analyses.trace.document import TraceDocument
    from abs_audit.model.trace import Ranking
    from abs_audit.report.document import dumps

    with open_context(common, measuring, asked) as context:
        settings = context.settings
        if not settings.downstream:
            raise UsageError("which downstream projects? Give them with --downstream DIR_OR_GIT_URL")
        # Which suite measures the library is all the same to its users' tests.
        result = tracing.measure(
            context.projects[0],
            context.runtime,
            settings.downstream,
            Ranking(top=settings.top, caller=asked.caller),
        ).result
        document = TraceDocument.of(result)
        write_file(str(asked.output), asked.output, dumps(document) + "\n")
    if common.json:
        print_documents([document])
    else:
        say(text.summary(result))
        following = advised("score", "--methods", str(asked.output))
        sys.stdout.write(f"\nWritten to {asked.output}; next: {following}\n")
