"""abs-audit: would this benchmark suite notice if a method that users depend on became slower?

From Python: `Session` reads what is recorded, `audit` records it (docs/python.md).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abs_audit.scripting import RecordedScore, Session, audit

__version__ = "0.1.0"
__all__ = ["RecordedScore", "Session", "__version__", "audit"]


def __getattr__(name: str) -> Any:
    """Import the Python interface when it is asked for: the command line does not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module 'abs_audit' has no attribute {name!r}")
    from abs_audit import scripting  # noqa: PLC0415

    return getattr(scripting, name)


def __dir__() -> list[str]:
    """Return what a notebook completes."""
    return __all__
