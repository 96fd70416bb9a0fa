"""Choosing among names: globs, expressions between slashes, and what is said where nothing matches."""

import difflib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from abs_audit.quantities import is_expression

NEAR = 3


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a pattern chooses.

    A glob holds for the whole name, an expression for any part of it. Brackets are part of many names (a
    test's parameters), so a glob may mean them literally, too.
    """
    if is_expression(pattern):
        expression = re.compile(pattern[1:-1])
        return [name for name in names if expression.search(name)]
    literal = pattern.replace("[", "[[]")
    return [
        name for name in names if name == pattern or fnmatchcase(name, pattern) or fnmatchcase(name, literal)
    ]


def unmatched(option: str, patterns: Iterable[str], names: Sequence[str], kind: str) -> list[str]:
    """Return what to say of each pattern of an option that chooses nothing of a kind."""
    return [
        f"{option} {pattern}: no {kind} matches; {nearest(pattern, names)}"
        for pattern in patterns
        if not matching(pattern, names)
    ]


def nearest(pattern: str, names: Sequence[str]) -> str:
    """Return what to say of a pattern that chooses nothing: the names that come close."""
    bare = _bare(pattern)
    parts = _containing(bare, names)[:NEAR]
    if parts and not is_expression(pattern):
        return f"a glob holds for the whole name: did you mean '*{bare}*'? It matches {', '.join(parts)}"
    if close := close_names(pattern, names):
        return f"close names: {', '.join(close)}"
    return f"there are {len(names)}, such as {', '.join(names[:NEAR])}" if names else "there is none"


def close_names(given: str, names: Sequence[str]) -> list[str]:
    """Return the few names that may be meant: those with it in them, then those like it."""
    bare = _bare(given)
    # An id's end is what people type.
    ends = {re.split(r"[./:]+", name)[-1]: name for name in reversed(names)}
    like = [*difflib.get_close_matches(bare, names, n=NEAR, cutoff=0.5)]
    like += [ends[end] for end in difflib.get_close_matches(bare, ends, n=NEAR, cutoff=0.6)]
    return list(dict.fromkeys([*_containing(bare, names), *like]))[:NEAR]


def _bare(pattern: str) -> str:
    return pattern.strip("/*")


def _containing(bare: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if bare and bare.lower() in name.lower()]
