"""Shards of one score, put together: as if one command had measured all of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.score.combining import merged
from abs_audit.analyses.score.model import Evidence
from abs_audit.experiment.choosing import part
from abs_audit.model.cells import Cells
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.builders import cell


def shard(*cells: CellVerdict, methods: tuple[str, ...] = ("m", "n"), spread: float | None = 0.1) -> Evidence:
    spreads = dict.fromkeys((made.benchmark for made in cells), spread)
    return Evidence(methods=methods, cells=Cells.of(cells), skipped=(), spreads=spreads)


def test_cells_and_spreads_of_all_shards_are_there() -> None:
    whole = merged([shard(cell("m", "a"), cell("n", "a")), shard(cell("m", "b"), cell("n", "b"))])
    assert [("m", "a"), ("n", "a"), ("m", "b"), ("n", "b")] == [
        (made.method, made.benchmark) for made in whole.cells
    ]
    assert {"a": 0.1, "b": 0.1} == whole.spreads


@pytest.mark.parametrize("order", [1, -1])
def test_what_one_shard_left_open_another_may_have_settled(order: int) -> None:
    shards = [shard(cell("m", "a", Verdict.NO_VERDICT), spread=None), shard(cell("m", "a", Verdict.MISSED))]
    whole = merged(shards[::order])
    assert [Verdict.MISSED] == [made.verdict for made in whole.cells]
    assert {"a": 0.1} == whole.spreads


@given(st.sets(st.text(min_size=1), max_size=30), st.integers(1, 8))
def test_every_benchmark_is_in_exactly_one_part_and_parts_are_of_a_size(names: set[str], shards: int) -> None:
    parts = [part(names, f"{number}/{shards}") for number in range(1, shards + 1)]
    assert sorted(names) == sorted(name for own in parts for name in own)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_what_a_reader_must_know_of_a_shard_is_known_of_the_whole_once() -> None:
    remarks = ("compiled", "only the chosen", "compiled")
    shards = [replace(shard(cell("m", "a")), remark=remark) for remark in remarks]
    assert "compiled; only the chosen" == merged(shards).remark
