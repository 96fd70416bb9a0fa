"""Where pages are written: one a suite, and none over another."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.errors import UsageError

if TYPE_CHECKING:
    from abs_audit.analyses.audit.model import AuditReport


def write_pages(page: Path, reports: "Sequence[AuditReport]") -> list[Path]:
    """Write a page a suite and return where: the first as named, others with their framework's name."""
    from abs_audit.analyses.audit import page as webpage

    names = [report.subject.framework if report.subject else "" for report in reports]
    targets = [page, *(page.with_stem(f"{page.stem}-{name}") for name in names[1:])]
    for target, report in zip(targets, reports, strict=True):
        write_file(f"--html {target}", target, webpage.render(report))
    return targets


def write_page(path: Path | None, render: Callable[[], str]) -> None:
    """Write a page where one is wanted; raise UsageError where it cannot be written."""
    if path is not None:
        write_file(f"--html {path}", path, render())


def write_file(named: str, path: Path, text: str | bytes, mode: str = "wb") -> None:
    """Write a file; raise UsageError where it cannot be written, which says how it was named."""
    try:
        with path.open(mode) as stream:
            stream.write(text.encode() if isinstance(text, str) else text)
    except OSError as error:
        raise UsageError(f"{named}: cannot write it ({error.strerror})") from error
