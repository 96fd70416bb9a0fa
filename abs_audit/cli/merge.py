"""`merge`: puts the sessions of several shards together."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, say
from abs_audit.cli.declaring import argument, option
from abs_audit.cli.options import json_switch
from abs_audit.cli.score import exit_code, worst
from abs_audit.errors import ExitCode, UsageError
from abs_audit.quantities import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """Which sessions, and where they go."""

    sources: tuple[Path, ...] = argument(
        "Sessions of shards of one score.",
        PATH,
        metavar="SESSION...",
        repeated=True,
        required="which sessions? Name those of all shards: abs-audit merge shard-*.db --session OUT",
    )
    session: Path = option(
        "Session to write; it must not exist yet.",
        PATH,
        required="where to? Name a session to write with --session OUT",
    )
    json: bool = json_switch()


@command(records=True)
def merge(asked: MergeOptions) -> int:
    """Put the sessions of several shards together and print the score as a whole."""
    from abs_audit.analyses.score import document, shards, text
    from abs_audit.experiment.session import Session

    if asked.session.exists():
        raise UsageError(f"--session {asked.session}: exists already; name a new file")
    absent = [str(path) for path in asked.sources if not path.is_file()]
    if absent:
        raise UsageError(f"{', '.join(absent)}: no such session")
    with contextlib.ExitStack() as opened:
        sessions = [opened.enter_context(contextlib.closing(Session(path))) for path in asked.sources]
        # Before anything is written: what does not belong together leaves no file.
        suites = shards.check(sessions)
        target = opened.enter_context(contextlib.closing(Session(asked.session)))
        records = shards.merge(sessions, suites, target)
    results = [record.result for record in records]
    if asked.json:
        print_documents([document.ScoreDocument.read(result) for result in results])
    else:
        for result in results:
            say(text.summary(result))
    if any(record.request.shard for record in records):
        return ExitCode.INCOMPLETE
    return worst(exit_code(result, None) for result in results)
