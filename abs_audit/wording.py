"""Numbers as people read them. Ratios of 0..1 come in; percent exists from here on only."""

import math
from collections.abc import Sequence, Sized

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def finite(number: float | None) -> float | None:
    """Return the number; None for NaN and the infinities."""
    return number if number is not None and math.isfinite(number) else None


def percent(rate: float | None) -> str:
    """Return a ratio as whole percent: "65%"; "–" for None and NaN.

    Rounding never turns "nearly all" into 100% nor "hardly any" into 0%.
    """
    if rate is None or not math.isfinite(rate):
        return "–"
    if 0 < rate < 0.01:
        return "<1%"
    if 0.99 < rate < 1:
        return ">99%"
    return f"{100 * rate:.0f}%"


def within(rate: float | None, interval: tuple[float, float] | None) -> str:
    """Return a ratio as percent and what it may be besides, where that reads otherwise: "3% (0% to 11%)"."""
    low, high = map(percent, interval or (rate, rate))
    return percent(rate) if low == high else f"{percent(rate)} ({low} to {high})"


def fine_percent(rate: float | None) -> str:
    """Return a ratio with two digits that count: "0.13%", "4.7%", "12%", "340%"; "–" for None and NaN."""
    if rate is None or not math.isfinite(rate):
        return "–"
    size = abs(100 * rate)
    if 0 < 100 * rate < 0.005:
        return "<0.01%"
    decimals = 0 if size == 0 or size >= 9.95 else 1 if size >= 0.95 else 2
    return f"{100 * rate:.{decimals}f}%".replace("-0%", "0%")


def change(difference: float | None) -> str:
    """Return a relative difference with its sign: "+12%", "-0.31%"; "–" for None and NaN."""
    text = fine_percent(difference)
    return f"+{text}" if text[0].isdigit() and text != "0%" else text


def probability(p: float) -> str:
    """Return a p value with two digits that count: "0.031"; tiny ones as "<0.0001"."""
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def quantity(value: float) -> str:
    """Return a number of any unit with four digits that count: "1234", "0.01235", "1.2e-07"."""
    return f"{value:.4g}" if math.isfinite(value) else "–"


def factor(times: float) -> str:
    """Return a ratio with at least two digits that count: "0.13", "1.2", "260"."""
    return f"{times:.2g}" if abs(times) < 99.5 else f"{times:.0f}"


def slower(slowdown: float) -> str:
    """Return what a slowdown means: "40% slower", from 100% on "2.5 times as slow"."""
    if slowdown < 1:
        return f"{percent(slowdown)} slower"
    times = 1 + slowdown
    return f"{times:.3g} times as slow" if times < 999.5 else f"{count(round(times), 'time')} as slow"


def duration(seconds: float | None) -> str:
    """Return a waiting time in the unit that people would use: "48 s", "21 min", "26 h", "3.2 days"."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if 0 < seconds < 0.01:
        return time_per_invocation(seconds)
    if seconds < 2 * _MINUTE:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds / _HOUR:.0f} h"
    return f"{seconds / _DAY:.3g} days"


def time_per_invocation(seconds: float) -> str:
    """Return a measured time with three digits: "1.02 ms"."""
    if not math.isfinite(seconds):
        return "–"
    # Three digits of what is just below a unit are a whole one of it: 999.9 µs are 1 ms.
    scale, unit = next((pair for pair in _UNITS if abs(seconds) >= 0.9995 * pair[0]), _UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def count(number: int | Sized, noun: str) -> str:
    """Return the number with its noun: "1 method", "3 methods"."""
    size = number if isinstance(number, int) else len(number)
    return f"{whole(size)} {noun}{'' if size == 1 else 's'}"


def whole(number: int) -> str:
    """Return a whole number by groups of three digits: "9", "2 100"."""
    return f"{number:,}".replace(",", " ")


def some(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, and how many follow: "a, b, c and 2 more"; empty for none."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
