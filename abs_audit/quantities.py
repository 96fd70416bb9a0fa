"""The kinds of values that users spell, in options and configuration alike: each is read in one place.

A kind takes text or what TOML made of it, and refuses anything out of its range: `nan`, infinities,
negative and absurdly large numbers, and digits of other scripts, which `int` and `float` would take.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_DURATION = re.compile(r"(.*?)\s*(ms|s|min|m|h|d|)", re.ASCII | re.DOTALL)
_UNITS_S = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_MEMORY = re.compile(r"([0-9]{1,15})([kmg]?)b?", re.ASCII)
_MEMORY_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
SMALLEST_MEMORY = 16 * 2**20
MOST_SECONDS = 365 * 86_400.0
MOST = 1_000_000
LONGEST_ECHO = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How a kind of value is spelled and read."""

    metavar: str
    expected: str
    """What a message says was expected."""
    parse: Callable[[str], Any]
    """Return the value of a text; raise ValueError for any other."""
    choices: tuple[str, ...] = ()
    """All spellings, where they are few."""

    def read(self, value: object) -> Any:
        """Return the value; raise ValueError saying what was expected."""
        try:
            if isinstance(value, bool):
                raise ValueError
            return self.parse(str(value).strip())
        except ValueError as error:
            raise ValueError(f"expected {self.expected}") from error


def echoed(value: object) -> str:
    """Return what a user gave, short enough to be repeated in a message."""
    text = str(value)
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}…"


def choice(*names: str) -> Kind:
    """Return the kind of value that is one of these words."""
    return Kind(
        metavar="|".join(names),
        expected=f"one of {', '.join(names)}",
        parse=lambda text: names[names.index(text)],
        choices=names,
    )


def whole(least: int, most: int, metavar: str = "N") -> Kind:
    """Return the kind of whole number from `least` to `most`."""
    return Kind(
        metavar=metavar,
        expected=f"a whole number from {least} to {most}",
        parse=lambda text: _within(_whole(text), least, most),
    )


def _like(text: str, expression: str | re.Pattern[str]) -> str:
    if re.fullmatch(expression, text) is None:
        raise ValueError(text)
    return text


def _number(text: str) -> float:
    return float(_like(text, _NUMBER))


def _whole(text: str) -> int:
    return int(_like(text, r"[+-]?[0-9]{1,20}"))


def _within(number: Number, least: float, most: float) -> Number:
    if not least <= number <= most:
        raise ValueError(number)
    return number


def _slowdown(text: str) -> float:
    return _within(_number(text), 1e-6, 1000.0)


def _duration_s(text: str) -> float:
    parts = _DURATION.fullmatch(text)
    assert parts is not None
    return _within(_number(parts[1]) * _UNITS_S[parts[2]], 0.001, MOST_SECONDS)


def _ratio(text: str) -> float:
    parts = text.removesuffix("%")
    number = _number(parts.strip()) / (100 if parts != text else 1)
    if number >= 1:
        raise ValueError(text)
    return _within(number, 0.0, 1.0)


def _counts(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_within(_whole(part.strip()), 1, MOST) for part in text.split(",")))


def _percentiles(text: str) -> tuple[float, float]:
    match [_within(_number(part), 0.0, 100.0) for part in text.split("/")]:
        case [low, high] | [low, 50.0, high] if low < 50 < high:
            return low, high
    raise ValueError(text)


def _shard(text: str) -> str:
    number, _, shards = text.partition("/")
    if not 1 <= _whole(number) <= _whole(shards) <= MOST:
        raise ValueError
    return text


def _cpus(text: str) -> str:
    return ",".join(str(_within(_whole(part.strip()), 0, 4095)) for part in text.split(","))


def _memory(text: str) -> str:
    if memory_bytes(text) < SMALLEST_MEMORY:
        raise ValueError(text)
    return text


def memory_bytes(text: str) -> int:
    """Return the bytes of an amount of memory such as 512m or 2g; 0 for any other text."""
    parts = _MEMORY.fullmatch(text.strip().lower())
    return int(parts[1]) * _MEMORY_UNITS[parts[2]] if parts else 0


def _pattern(text: str) -> str:
    try:
        re.compile(text[1:-1] if is_expression(text) else "")
    except re.error as error:
        raise ValueError(text) from error
    return _like(text, r"(?s).+")


def is_expression(pattern: str) -> bool:
    """Tell whether a pattern is written as /regex/; it is a glob otherwise."""
    return len(pattern) > 2 and pattern[0] == pattern[-1] == "/"


TEXT = Kind(metavar="TEXT", expected="a text", parse=str)
PATH = Kind(metavar="FILE", expected="a path", parse=lambda text: Path(_like(text, r"[^\0]+")))
INSIDE = Kind(
    metavar="PATH",
    expected="a path within the checkout, such as benchmarks",
    parse=lambda text: _like(text, r"(?!/)(?!(.*/)?\.\.(/|$)).*"),
)
VARIABLE = Kind(
    metavar="NAME", expected="the name of a variable, without `=`", parse=lambda text: _like(text, "[^=]+")
)
SLOWDOWN = Kind(metavar="D", expected="a number above 0, at most 1000, such as 0.5 for 50 %", parse=_slowdown)
AUTO_SLOWDOWN = Kind(
    metavar="D",
    expected="`auto` or a number above 0, at most 1000, such as 0.5 for 50 %",
    parse=lambda text: text if text == "auto" else _slowdown(text),
)
DURATION = Kind(
    metavar="TIME", expected="a time above 0, at most a year, such as 60s, 5m or 1h", parse=_duration_s
)
RATIO = Kind(metavar="R", expected="a ratio from 0 to below 1 such as 0.05, or 5%", parse=_ratio)
PERCENTAGE = Kind(
    metavar="P",
    expected="a number from 0 to 100",
    parse=lambda text: _within(_number(text.removesuffix("%").strip()), 0.0, 100.0),
)
COUNT = whole(1, MOST)
RUNS = whole(1, 1000)
SEED = whole(0, 2**63 - 1)
PATTERN = Kind(
    metavar="PATTERN",
    expected="a glob such as '*parse*', or an expression such as /parse|render/",
    parse=_pattern,
)
SHARD = Kind(metavar="K/N", expected="a part such as 1/3, counted from 1", parse=_shard)
COUNTS = Kind(metavar="LIST", expected="numbers from 1 on such as 5, or a list such as 1,3,5", parse=_counts)
PERCENTILES = Kind(
    metavar="L/H", expected="two percentiles around 50, such as 5/95, 10/90 or 1/99", parse=_percentiles
)
CPUS = Kind(metavar="LIST", expected="numbers such as 1 or 0,2", parse=_cpus)
MEMORY = Kind(metavar="SIZE", expected="a size of at least 16m, such as 512m or 2g", parse=_memory)
