"""Reads profiles as pprof keeps them: gzipped Protocol Buffers (github.com/google/pprof, profile.proto).

Of the format only stacks, their functions and their labels are read: six kinds of fields, for which the
language's own reader would have to be compiled on the user's machine first.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LARGEST = 1 << 26
"""Bytes of a profile that is still read: what executes a benchmark may write anything."""
GZIP = 31
VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5
SAMPLE, LOCATION, FUNCTION, STRING = 2, 4, 5, 6
"""Fields of a profile; those of what it holds are named where they are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """What was found so many times."""

    number: int
    functions: frozenset[str]
    """Inlined ones among them."""
    labels: Mapping[str, str]


def stacks(profile: bytes) -> Iterator[Stack]:
    """Yield the stacks of a profile whose first value is a number; raise ValueError for anything else."""
    fields = _by_number(_unpacked(profile))
    texts = [_bytes(text).decode(errors="replace") for text in fields[STRING]]
    names = {}
    for function in map(_by_number, map(_bytes, fields[FUNCTION])):
        names[_number(function, 1)] = _at(texts, _number(function, 2))
    functions = {}
    for location in map(_by_number, map(_bytes, fields[LOCATION])):
        lines = (_by_number(_bytes(line)) for line in location[4])
        functions[_number(location, 1)] = [names.get(_number(line, 1), "") for line in lines]
    for sample in map(_by_number, map(_bytes, fields[SAMPLE])):
        labels = (_by_number(_bytes(label)) for label in sample[3])
        yield Stack(
            number=next(_numbers(sample[2]), 0),
            functions=frozenset(name for at in _numbers(sample[1]) for name in functions.get(at, ())),
            labels={_at(texts, _number(label, 1)): _at(texts, _number(label, 2)) for label in labels},
        )


def _unpacked(profile: bytes) -> bytes:
    reader = zlib.decompressobj(GZIP)
    try:
        text = reader.decompress(profile, LARGEST)
    except zlib.error as error:
        raise ValueError(f"expected a gzipped profile: {error}") from None
    if not reader.eof:
        raise ValueError(f"expected a whole profile of up to {LARGEST} bytes")
    return text


def _by_number(message: bytes) -> dict[int, list[int | bytes]]:
    """Return the values of a message by the numbers of their fields."""
    fields: dict[int, list[int | bytes]] = defaultdict(list)
    offset = 0
    while offset < len(message):
        key, offset = _varint(message, offset)
        value: int | bytes = b""
        if key & 7 == VARINT:
            value, offset = _varint(message, offset)
        else:
            size = {FIXED_64: 8, FIXED_32: 4}.get(key & 7)
            if key & 7 == BYTES:
                size, offset = _varint(message, offset)
            if size is None or offset + size > len(message):
                raise ValueError(f"expected a field of a profile at byte {offset}")
            value, offset = message[offset : offset + size], offset + size
        fields[key >> 3].append(value)
    return fields


def _varint(message: bytes, offset: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if offset >= len(message):
            break
        byte, offset = message[offset], offset + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, offset
    raise ValueError(f"expected a number of a profile at byte {offset}")


def _numbers(values: list[int | bytes]) -> Iterator[int]:
    """Yield repeated numbers, packed into one field or each in a field of its own."""
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        offset = 0
        while offset < len(value):
            number, offset = _varint(value, offset)
            yield number


def _number(message: Mapping[int, list[int | bytes]], field: int) -> int:
    return next(_numbers(message.get(field, [])), 0)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("expected a message in a profile, found a number")
    return value


def _at(texts: list[str], index: int) -> str:
    return texts[index] if index < len(texts) else ""
