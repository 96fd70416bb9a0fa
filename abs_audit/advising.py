"""Commands as messages and pages advise them, with what the user gave that changes what is asked."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from abs_audit.errors import without_passwords

Given = Callable[[str], Iterable[tuple[str, ...]]]
"""Name of a command → what was given that it takes, too: each a flag, its value, or both."""
_GIVEN: ContextVar[Given] = ContextVar("_GIVEN", default=lambda command: ())


@contextmanager
def giving(given: Given) -> Iterator[None]:
    """Let every command that is advised meanwhile repeat what was given, too."""
    before = _GIVEN.get()
    token = _GIVEN.set(lambda command: (*before(command), *given(command)))
    try:
        yield
    finally:
        _GIVEN.reset(token)


def advised(command: str, *words: str) -> str:
    """Return the command as a shell takes it: what was given, but for what `words` say instead, and them."""
    repeated = [part for parts in _GIVEN.get()(command) if parts[0] not in words for part in parts]
    return shlex.join(["abs-audit", command, *map(without_passwords, repeated), *words])
