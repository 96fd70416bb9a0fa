"""What the id of a Go benchmark is made of: the import path of its package, and its name."""

import re

ID = re.compile(r"(?P<package>.*?)\.(?P<name>Benchmark(?![a-z]).*)", re.DOTALL)


def split(benchmark: str) -> tuple[str, str]:
    """Return the import path and the name of a benchmark's id."""
    parts = ID.fullmatch(benchmark)
    return (parts["package"], parts["name"]) if parts else ("", benchmark)
