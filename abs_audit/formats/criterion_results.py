"""Criterion's folders (`target/criterion/…/new`): `sample.json` with every sample, or the estimates alone."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, whole
from abs_audit.formats.sample import Sample

NS = 1e-9
RUNS = ("new", "base")


class _Samples(Shape):
    iters: list[float]
    times: list[float]


class _Estimate(Shape):
    point_estimate: float


class _Estimates(Shape):
    mean: _Estimate
    slope: _Estimate | None = None


class _Benchmark(Shape):
    full_id: str = Field(min_length=1)


def read(path: Path) -> Iterator[Sample]:
    """Yield the samples of `sample.json`: nanoseconds of some invocations ÷ their number."""
    recorded = whole(path, _Samples)
    if len(recorded.iters) != len(recorded.times) or not all(count > 0 for count in recorded.iters):
        raise MismatchError(f"{path}: expected a number of iterations above 0 for each of the times")
    times = zip(recorded.times, recorded.iters, strict=True)
    yield Sample(benchmark=_name(path), values=tuple(NS * time / count for time, count in times))


def read_estimates(path: Path) -> Iterator[Sample]:
    """Yield the slope, or the mean where there is none, as the only value."""
    estimates = whole(path, _Estimates)
    yield Sample(benchmark=_name(path), values=(NS * (estimates.slope or estimates.mean).point_estimate,))


def _name(path: Path) -> str:
    """Return the id that stands beside a file, else the folders that it lies in."""
    beside = path.with_name("benchmark.json")
    if beside.is_file():
        return whole(beside, _Benchmark).full_id
    parts = path.resolve().parts[:-1]
    parts = parts[:-1] if parts[-1] in RUNS else parts
    below = parts[parts.index("criterion") + 1 :] if "criterion" in parts else parts[-1:]
    return "/".join(below)
