"""What belongs together, by what it has in common."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key; keys and values in the order given."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def reached(starts: Iterable[Key], following: Callable[[Key], Iterable[Key]]) -> list[Key]:
    """Return the starts and all that follows from them, if through others: each once, near ones first."""
    every = list(dict.fromkeys(starts))
    seen = set(every)
    for here in every:
        for there in following(here):
            if there not in seen:
                seen.add(there)
                every.append(there)
    return every


def commonest(values: Iterable[str]) -> str:
    """Return the most frequent value; the first of equals; empty if there is none."""
    counted = Counter(values).most_common(1)
    return counted[0][0] if counted else ""
