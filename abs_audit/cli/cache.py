"""`cache`: what is kept on this machine between commands, and away with it."""

from dataclasses import dataclass

from abs_audit import quantities
from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, say
from abs_audit.cli.declaring import declared, switch
from abs_audit.cli.options import json_switch


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheOptions:
    """Which workspaces, and what becomes of them."""

    unused_for: float | None = declared(
        "--unused-for",
        "Only those that nobody has opened for so long, such as 30d.",
        kind=quantities.DURATION,
    )
    limit: str | None = declared(
        "--limit", "Only those that have to go so that the others fit, such as 20g.", kind=quantities.MEMORY
    )
    remove: bool = switch("--remove", "Remove them; what somebody works in stays.")
    as_json: bool = json_switch()


@command()
def cache(asked: CacheOptions) -> None:
    """List the copies, environments and builds that commands keep, or remove them."""
    from abs_audit.analyses.cache import text
    from abs_audit.analyses.cache.document import CacheDocument
    from abs_audit.execution.cache import beyond, kept, remove, unused_since

    entries = kept()
    if asked.unused_for is not None:
        entries = unused_since(entries, asked.unused_for)
    if asked.limit is not None:
        entries = beyond(entries, quantities.memory_bytes(asked.limit))
    if asked.remove:
        entries = remove(entries)
    if asked.as_json:
        print_documents([CacheDocument.read(entries)])
    else:
        say(text.removed(entries) if asked.remove else text.summary(entries))
