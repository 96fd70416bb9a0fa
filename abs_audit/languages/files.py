"""Files that people and their tools wrote: each may be missing, or anything but UTF-8."""

from pathlib import Path


def file_text(path: Path) -> str:
    """Return the text of a file, with marks for what is not UTF-8 in it; empty where there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
