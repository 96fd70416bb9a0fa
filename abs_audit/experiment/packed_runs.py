"""The values of many runs in little memory: eight bytes each, decoded benchmark by benchmark when asked for.

As objects a million runs of ten values take a gigabyte, and seconds to read back from a session.
"""

import base64
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

Runs = tuple[tuple[float, ...], ...]
"""One benchmark's values in each run."""


class PackedRuns(Mapping[str, Runs]):
    """Benchmark → its values in each run."""

    def __init__(self, packed: Mapping[str, tuple[tuple[int, ...], bytes]]) -> None:
        """`packed`: benchmark → how many values each run has, and all of them as little-endian doubles."""
        self.packed = packed

    def __getitem__(self, benchmark: str) -> Runs:
        """Return what was given for the benchmark."""
        lengths, encoded = self.packed[benchmark]
        values = array("d", encoded).tolist()
        return tuple(tuple(values[start:end]) for start, end in pairwise(accumulate(lengths, initial=0)))

    def __iter__(self) -> Iterator[str]:
        """Yield the benchmarks."""
        return iter(self.packed)

    def __len__(self) -> int:
        """Return how many benchmarks there are."""
        return len(self.packed)


def _packed(runs: Runs) -> tuple[tuple[int, ...], bytes]:
    return tuple(map(len, runs)), array("d", chain.from_iterable(runs)).tobytes()


def _written(runs: Mapping[str, Runs]) -> dict[str, dict[str, Any]]:
    if not isinstance(runs, PackedRuns):
        runs = PackedRuns({name: _packed(own) for name, own in runs.items()})
    return {
        name: {"lengths": list(lengths), "base64": base64.b64encode(encoded).decode()}
        for name, (lengths, encoded) in runs.packed.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Packed:
    lengths: tuple[int, ...]
    base64: str


_FORMS = TypeAdapter(dict[str, _Packed | Runs])
"""What a session holds; those of former versions hold lists of numbers."""


def _read(document: Any) -> Mapping[str, Runs]:
    packed = {}
    for name, own in _FORMS.validate_python(document).items():
        if isinstance(own, tuple):
            lengths, encoded = _packed(own)
        else:
            lengths, encoded = own.lengths, base64.b64decode(own.base64)
        if sum(lengths) * array("d").itemsize != len(encoded):
            raise ValueError(f"{name}: expected {sum(lengths)} values, found {len(encoded)} bytes")
        packed[name] = lengths, encoded
    return PackedRuns(packed)


Stored = Annotated[Mapping[str, Runs], PlainSerializer(_written), PlainValidator(_read)]
"""Runs as a session keeps them."""
