"""Names that come from audited projects, made safe to show: they may hold anything at all."""

import re
from collections.abc import Sequence

LONGEST = 300
"""Longer names lose their middle wherever they are not meant to be copied."""
_ARGUMENTS = re.compile(r"\((?!\*)")


def visible(text: str) -> str:
    """Return the text with every character that is not shown as itself written as an escape."""
    # Not printable are controls (ANSI escapes, NUL), bidi overrides, surrogates, and spaces other than " ".
    return text if text.isprintable() else "".join(map(_shown, text))


def shortened(text: str, width: int) -> str:
    """Return at most `width` characters: the beginning and, as ids differ there, more of the end.

    A sentence, with a colon or a comma before the names that it is about, says first what it has to say.
    """
    if len(text) <= width:
        return text
    tail = (width if re.search("[:,] ", text) else 2 * width) // 3
    return f"{text[: width - tail - 1]}…{text[-tail:]}"


def brief_method(method: str) -> str:
    """Return what people call the method: its last two name parts, without packages of parameter types."""
    head, *arguments = _ARGUMENTS.split(method.rsplit("/", 1)[-1], maxsplit=1)
    name = ".".join(head.split(".")[-2:])
    if not arguments or not arguments[0].endswith(")"):
        return name
    types = [part.rsplit(".", 1)[-1] for part in arguments[0].rstrip(")").split(",")]
    return f"{name}({', '.join(types)})"


def bare_method(method: str) -> str:
    """Return the brief name without parameter types; overloads look alike."""
    return _ARGUMENTS.split(brief_method(method), maxsplit=1)[0]


def without_common_prefix(names: Sequence[str]) -> list[str]:
    """Return the names without the folders or packages that all of them share."""
    if len(names) < 2:
        return list(names)
    # What the first and the last in order share, all share.
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    shared = first[: next((index for index, (a, b) in pairs if a != b), len(first))]
    cut = max(shared.rfind(separator) for separator in "/.:") + 1
    return [name[cut:] for name in names]


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
