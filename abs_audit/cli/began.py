"""When the process of a command began; what it imports since then is part of its time."""

from contextvars import ContextVar

BEGAN: ContextVar[float] = ContextVar("BEGAN")
