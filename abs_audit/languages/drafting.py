"""What writers of stubs say of a draft, in every language: what it rests on, and what nothing tells."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from tree_sitter import Node

from abs_audit.grouping import commonest
from abs_audit.interfaces import Stub
from abs_audit.languages.syntax import listed, nodes, text_of

INVENTED = "some of its values are made up from signatures: replace them by typical ones"
RECORDED = "Its arguments are those that downstream projects give."

# Tests of what is no usual call.
DOUBTFUL = re.compile(
    r"Error|Err|Fail|Invalid|Panic|Bad|Wrong|Illegal|Nil|Null|Empty|Throw|Exception|NaN|Infinit|Negative"
)

Value = TypeVar("Value")
NOTICE = re.compile(r"(?:(?:(?://|#).*\n)+|/\*(?:.|\n)*?\*/\n)\n*")
LICENCE = re.compile(r"copyright|licen[cs]e|SPDX", re.IGNORECASE)
# What a new file has another of, or is not of the licence.
UNFIT = re.compile(r"@author|written by|go:build|\+build", re.IGNORECASE)
# Of Go and of Java.
LITERAL = re.compile(r"(?!func_|composite_)\w+_literal|true|false|nil")


class MissingError(Exception):
    """What nothing tells of a method, so that a person has to fill it in."""


def origin_of(seen: str, *, invented: bool) -> str:
    """Return in sentences where values are from; `seen`: the sentence on those that were seen."""
    return " ".join(filter(None, (seen, f"S{INVENTED[1:]}." if invented else "")))


def notice(texts: Iterable[str]) -> str:
    """Return the notice of a licence that most files begin with, as it stands; else nothing."""
    beginnings = [match[0] if (match := NOTICE.match(text)) else "" for text in texts]
    fit = [text for text in beginnings if LICENCE.search(text) and not UNFIT.search(text)]
    return commonest(fit) if 2 * len(fit) > len(beginnings) else ""


def unfinished(method: str, path: str, text: str, missing: MissingError) -> Stub:
    """Return a file that waits for a person, who is told for what."""
    reason = f"nothing tells how to call {method}: fill in {missing}"
    return Stub(method=method, path=path, text=text, benchmark=None, reason=reason)


def untried(drafts: Iterator[tuple[Value, str]], failed: frozenset[str]) -> tuple[Value, str]:
    """Return the first draft whose text has not failed, with that text; where each has, the first of all.

    There is one, or they raise MissingError.
    """
    first = next(drafts)
    return next((draft for draft in chain([first], drafts) if draft[1] not in failed), first)


def mostly(answers: Iterable[bool]) -> bool:
    """Tell whether more than half of some answers are yes."""
    given = list(answers)
    return 2 * sum(given) > len(given)


def complete(values: Iterable[Value | None]) -> list[Value] | None:
    """Return the values if there is one for each place, else None: a call needs all of them."""
    given = list(values)
    whole = [value for value in given if value is not None]
    return whole if len(whole) == len(given) else None


def literals(root: Node, call: str) -> Sequence[str] | None:
    """Return the arguments of the first call in a recorded text; None where not all of them are literals.

    `call`: the type of a call's node in the grammar of the language.
    """
    first = next(nodes(root, call), None)
    given = listed(first, "arguments")
    if first is None or root.has_error or not all(map(_is_literal, given)):
        return None
    return [text_of(argument) for argument in given]


def _is_literal(node: Node) -> bool:
    bare = node.named_children[0] if node.type == "unary_expression" and node.named_children else node
    return LITERAL.fullmatch(bare.type) is not None
