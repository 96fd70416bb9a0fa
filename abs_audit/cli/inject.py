"""`inject`: what would be injected? Writes nothing."""

import sys
from dataclasses import dataclass

from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, remark
from abs_audit.cli.declaring import option, overrides, switch
from abs_audit.cli.options import Checkout, Common
from abs_audit.errors import UsageError
from abs_audit.quantities import SLOWDOWN


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
    from abs_audit.analyses.inject import text
    from abs_audit.analyses.inject.document import InjectDocument
    from abs_audit.analyses.score.record import best_share
    from abs_audit.cli.method_selection import unknown_methods
    from abs_audit.experiment.projects import open_projects

    settings, _ = config.load(checkout.subject, common.config, overrides((checkout, common)))
    project = open_projects(checkout.subject, settings)[0]
    unknown = unknown_methods(project, [asked.method], "--method")
    if unknown:
        raise UsageError.of(unknown)
    sources = dict(project.sources())
    patch = project.language.injector.instrument(sources, [asked.method])
    remark(common, f"files of the copy: {', '.join(sorted(patch.files)) or 'none would change'}")
    share = best_share(common.session, project.digest, asked.method)
    document = InjectDocument.read(patch, sources, asked.method, slowdown=asked.slowdown, share=share)
    if common.json:
        print_documents([document])
    else:
        sys.stdout.write(text.summary(document, sources, diff=asked.diff, quiet=common.quiet))
