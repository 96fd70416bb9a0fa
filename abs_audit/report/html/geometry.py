"""From values to places on paper: axes, their ticks, and outlines."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from abs_audit.wording import change, fine_percent, percent, quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Values `low`..`high` on pixels `start`..`end`; values outside are drawn at the nearer end."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the pixel of a value, with one decimal; the start where the axis has no extent."""
        low, high = self._measure(self.low), self._measure(self.high)
        if high <= low:
            return self.start
        position = (self._measure(min(max(value, self.low), self.high)) - low) / (high - low)
        return round(self.start + position * (self.end - self.start), 1)

    def _measure(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value


def percent_ticks(axis: Axis, wanted: int = 6) -> tuple[Tick, ...]:
    """Return about `wanted` ticks at 1, 2 or 5 × a power of ten, labelled in percent."""
    step = _round_step((axis.high - axis.low) / wanted)
    decimals = max(0, -math.floor(math.log10(100 * step)))
    return tuple(
        Tick(at=axis.at(value), label=f"{100 * value:.{decimals}f}%".replace("-0%", "0%"))
        for value in _multiples(axis, step)
    )


def quantity_ticks(axis: Axis, wanted: int = 5, label: Callable[[float], str] = quantity) -> tuple[Tick, ...]:
    """Return about `wanted` ticks at 1, 2 or 5 × a power of ten, labelled with the quantity itself."""
    values = _multiples(axis, _round_step((axis.high - axis.low) / wanted, 0.0))
    return tuple(Tick(at=axis.at(value), label=label(value)) for value in values)


def _multiples(axis: Axis, step: float) -> list[float]:
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def decade_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return ticks at 1, 2 and 5 × powers of ten on a logarithmic axis of ratios, labelled in percent."""
    powers = range(math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high)) + 1)
    values = [digit * 10.0**power for digit in (1, 5, 2) for power in powers]
    return _spaced(axis, [(value, fine_percent(value)) for value in values])


def change_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return ticks on a logarithmic axis of after ÷ before: percent around 1, factors from 2 on."""
    # The roundest first, as neighbours that would touch give way.
    far = [(10.0, "10×"), (0.1, "-90%"), (2.0, "2×"), (0.5, "-50%"), (5.0, "5×"), (0.2, "-80%")]
    further = [(float(factor), f"{factor}×") for factor in (100, 1000, 10_000)]
    near = [(1 + sign * size, change(sign * size)) for size in _NEAR for sign in (1, -1)]
    return _spaced(axis, [(1.0, "0%"), *far, *further, *near])


_NEAR = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)


def _spaced(axis: Axis, marks: Sequence[tuple[float, str]], gap: float = 42.0) -> tuple[Tick, ...]:
    """Return the marks that lie on the axis and not too near to one before, in the order of the axis."""
    ticks: list[Tick] = []
    for value, label in marks:
        at = axis.at(value)
        if axis.low <= value <= axis.high and all(abs(at - tick.at) >= gap for tick in ticks):
            ticks.append(Tick(at=at, label=label))
    return tuple(sorted(ticks, key=lambda tick: tick.at))


def slowdown_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return ticks for slowdowns: percent below 100%, then factors, as people say them."""
    below = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    factors = (2, 3, 6, 11, 21, 51, 101, 1001)
    marks = [(value, percent(value)) for value in below] + [(factor - 1, f"{factor}×") for factor in factors]
    return _spaced(axis, marks, gap=0.0)


def thinned(length: int, limit: int) -> Sequence[int]:
    """Return at most `limit` indices, evenly spread and with both ends, of a sequence that long."""
    if length <= limit:
        return range(length)
    return [round(index * (length - 1) / (limit - 1)) for index in range(limit)]


def label_width(labels: Iterable[str]) -> float:
    """Return how wide the longest label is in the pictures' fixed-width type, with a margin."""
    return round(6.7 * max(map(len, labels), default=0) + 18, 1)


def _round_step(rough: float, least: float = 1e-6) -> float:
    # A range without extent still gets an axis.
    rough = max(rough, least) or 1.0
    power: float = 10.0 ** math.floor(math.log10(rough))
    return power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
