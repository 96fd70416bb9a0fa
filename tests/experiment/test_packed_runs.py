"""Packed runs: what goes in comes out, and sessions of former versions are read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from abs_audit.experiment.packed_runs import Stored

ADAPTER = TypeAdapter(Stored)
VALUES = st.floats(allow_nan=False)
RUNS = st.dictionaries(st.text(), st.lists(st.lists(VALUES).map(tuple)).map(tuple))


@given(RUNS)
def test_packing_keeps_every_value_of_every_run(runs: dict[str, tuple[tuple[float, ...], ...]]) -> None:
    assert runs == ADAPTER.validate_python(runs)


@given(RUNS)
def test_a_session_gives_back_what_it_was_given(runs: dict[str, tuple[tuple[float, ...], ...]]) -> None:
    assert runs == ADAPTER.validate_json(ADAPTER.dump_json(runs))
    assert runs == ADAPTER.validate_json(ADAPTER.dump_json(ADAPTER.validate_python(runs)))


def test_lists_of_former_versions_are_read() -> None:
    former = {"b": [[1e-3, 2e-3], []]}
    assert {"b": ((1e-3, 2e-3), ())} == ADAPTER.validate_json(json.dumps(former))


@pytest.mark.parametrize(
    "document", ["[]", '{"b": {"lengths": [2], "base64": "AAAAAAAA8D8="}}', '{"b": ["x"]}']
)
def test_a_damaged_record_is_told(document: str) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_json(document)


def test_a_value_takes_less_than_eleven_characters() -> None:
    runs = {"b": tuple((1 / 3,) * 10 for _ in range(100))}
    assert len(ADAPTER.dump_json(runs)) < 11 * 1000 + 500
