"""What a workspace is up to date with."""

import json
from pathlib import Path

from abs_audit.execution.workspace import replace_whole


class Stamps:
    """Remembers in a workspace what it is up to date with."""

    def __init__(self, path: Path) -> None:
        """Read and write a file, which need not be there yet."""
        self._path = path

    def _all(self) -> dict[str, str]:
        stamps: dict[str, str] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return stamps

    def read(self, name: str) -> str | None:
        """Return what was written under a name, or None."""
        return self._all().get(name)

    def write(self, name: str, value: str) -> None:
        """Keep a value under a name."""
        replace_whole(self._path, json.dumps(self._all() | {name: value}))
