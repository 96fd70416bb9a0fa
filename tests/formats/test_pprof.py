"""Profiles of the processor: what is written down as pprof does it is read back, anything else is refused."""

import gzip
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.formats.pprof import LARGEST, Stack, stacks

LIMIT = st.integers(0, 2**63 - 1)


def varint(value: int) -> bytes:
    head = b""
    while value > 127:
        head, value = head + bytes([value & 127 | 128]), value >> 7
    return head + bytes([value])


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def profile(found: Iterable[tuple[int, list[str], dict[str, str]]], *, packed: bool = True) -> bytes:
    """Return a profile of stacks: how often, functions from the innermost on, labels."""
    texts, message = {"": 0}, b""

    def at(text: str) -> int:
        return texts.setdefault(text, len(texts))

    for number, functions, labels in found:
        places = [at(function) for function in functions]
        for place in places:
            line = field(4, field(1, place) + field(2, 42))
            message += field(5, field(1, place) + field(2, place)) + field(4, field(1, place) + line)
        if packed:
            sample = field(1, b"".join(map(varint, places))) + field(2, varint(number) + varint(10**7))
        else:
            sample = b"".join(field(1, place) for place in places) + field(2, number)
        for key, value in labels.items():
            sample += field(3, field(1, at(key)) + field(2, at(value)))
        message += field(2, sample)
    message += b"".join(field(6, text.encode()) for text in texts)
    # What is not read may be of any kind.
    return gzip.compress(
        message + field(9, 1 << 62) + varint(20 << 3 | 1) + bytes(8) + varint(21 << 3 | 5) + bytes(4)
    )


@pytest.mark.parametrize("packed", [True, False])
def test_stacks_have_their_number_functions_and_labels(packed: bool) -> None:
    text = profile(
        [(3, ["a.F", "a.Benchmark"], {"abs-audit": "timed"}), (200, ["a.Load"], {})], packed=packed
    )
    first, second = stacks(text)
    assert (
        Stack(number=3, functions=frozenset({"a.F", "a.Benchmark"}), labels={"abs-audit": "timed"}) == first
    )
    assert (200, {"a.Load"}, {}) == (second.number, second.functions, second.labels)


@given(st.lists(st.tuples(LIMIT, st.lists(st.text(min_size=1)), st.dictionaries(st.text(), st.text()))))
def test_whatever_is_written_is_read_back(found: list[tuple[int, list[str], dict[str, str]]]) -> None:
    read = [(stack.number, stack.functions, stack.labels) for stack in stacks(profile(found))]
    assert [(number, frozenset(functions), labels) for number, functions, labels in found] == read


WHOLE = gzip.decompress(profile([(3, ["a.F"], {"abs-audit": "timed"})]))


@given(st.integers(0, len(WHOLE) - 1), st.binary(max_size=3))
def test_a_damaged_profile_is_read_as_another_or_refused(at: int, change: bytes) -> None:
    damaged = WHOLE[:at] + change + WHOLE[at + len(change) :]
    try:
        assert all(isinstance(stack.number, int) for stack in stacks(gzip.compress(damaged)))
    except ValueError as error:
        assert "expected" in str(error)


@pytest.mark.parametrize(
    "text", [b"", b"no profile", gzip.compress(WHOLE)[:-12], gzip.compress(bytes(LARGEST + 1))], ids=range(4)
)
def test_what_is_no_whole_profile_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="expected"):
        list(stacks(text))
