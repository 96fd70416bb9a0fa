"""Tables that lie beside their code in TOML: words and values that are changed without reading any."""

import tomllib
from importlib import resources
from typing import Any


def table(path: str) -> dict[str, Any]:
    """Return the table at a path of this package, such as `model/lint.toml`."""
    return tomllib.loads(resources.files("abs_audit").joinpath(path).read_text(encoding="utf-8"))
