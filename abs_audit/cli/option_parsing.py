"""Reads numbers that options spell: ratios, lists of counts, percentiles."""

import math

from abs_audit.errors import UsageError


def ratio(option: str, text: str) -> float:
    """Return a ratio below 1: `0.05` or `5%`; raise UsageError for anything else."""
    number = _number(text.strip().removesuffix("%"))
    value = None if number is None else number / 100 if text.strip().endswith("%") else number
    if value is None or not 0 <= value < 1:
        raise UsageError(f"{option} {text}: expected a ratio from 0 to below 1 such as 0.05, or 5%")
    return value


def counts(option: str, text: str) -> tuple[int, ...]:
    """Return the numbers of a list such as `1,3,5`; raise UsageError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and int(part) > 0 for part in parts):
        raise UsageError(f"{option} {text}: expected numbers from 1 on such as 5, or a list such as 1,3,5")
    return tuple(dict.fromkeys(int(part) for part in parts))


def percentiles(option: str, text: str) -> tuple[float, float]:
    """Return lower and upper percentile of `5/95` or `5/50/95`; raise UsageError for anything else."""
    parts = [_number(part) for part in text.split("/")]
    match parts:
        case [float(low), float(high)] | [float(low), 50.0, float(high)] if 0 <= low < 50 < high <= 100:
            return low, high
    raise UsageError(f"{option} {text}: expected two percentiles around 50, such as 5/95, 10/90 or 1/99")


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
