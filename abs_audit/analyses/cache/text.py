"""What is kept between commands, for terminals."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Group

from abs_audit.advising import advised
from abs_audit.execution.cache import KeptWorkspace
from abs_audit.report.text import facts, headline, name, page, table
from abs_audit.wording import count


def summary(entries: Sequence[KeptWorkspace]) -> Group:
    """Return the workspaces with their size and last use, the longest unused first."""
    if not entries:
        return page(headline("Nothing is kept."))
    whole = sum(entry.size_bytes for entry in entries)
    rows = (
        (
            _size(entry.size_bytes),
            datetime.fromtimestamp(entry.used_at).strftime("%Y-%m-%d %H:%M"),
            name(entry.subject or str(entry.path)),
        )
        for entry in entries
    )
    return page(
        headline(f"{_size(whole)} in {count(entries, 'workspace')}."),
        table(("right", "size"), ("left", "last used"), ("fold", "subject"), rows=rows),
        facts(("next", advised("cache", "--unused-for", "30d", "--remove"))),
    )


def _size(size: int) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


def removed(entries: Sequence[KeptWorkspace]) -> Group:
    """Return what is gone."""
    size = _size(sum(entry.size_bytes for entry in entries))
    return page(headline(f"Removed {count(entries, 'workspace')}, {size}."))
