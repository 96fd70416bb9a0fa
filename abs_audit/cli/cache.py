"""`cache`: what is kept on this machine between commands, and away with it."""

from dataclasses import dataclass

from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, say
from abs_audit.cli.declaring import option, switch
from abs_audit.cli.options import json_switch
from abs_audit.quantities import DURATION, MEMORY, memory_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheOptions:
    """Which workspaces, and what becomes of them."""

    unused_for: float | None = option("Only those that nobody has opened for so long, such as 30d.", DURATION)
    limit: str | None = option("Only those that have to go so that the others fit, such as 20g.", MEMORY)
    remove: bool = switch("Remove them; what somebody works in stays.")
    json: bool = json_switch()


@command()
def cache(asked: CacheOptions) -> None:
    """List the copies, environments and builds that commands keep, or remove them."""
    from abs_audit.analyses.cache import document, text
    from abs_audit.execution.cache import beyond, kept, remove, unused_since

    entries = kept()
    if asked.unused_for is not None:
        entries = unused_since(entries, asked.unused_for)
    if asked.limit is not None:
        entries = beyond(entries, memory_bytes(asked.limit))
    if asked.remove:
        entries = remove(entries)
    if asked.json:
        print_documents([document.CacheDocument.read(entries)])
    else:
        say(text.removed(entries) if asked.remove else text.summary(entries))
