"""Sessions of shards become one, or are refused whole."""

import json
from pathlib import Path

import pytest

from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.model.verdict import Verdict
from tests.cli.conftest import Run
from tests.support.builders import cell
from tests.support.recorded_scores import record, session

FIRST = record(cell("m", "a"), cell("n", "a", Verdict.MISSED), shard="1/2")
SECOND = record(cell("m", "b", Verdict.MISSED), cell("n", "b", Verdict.UNREACHED), shard="2/2")


def test_two_shards_are_one_score(run: Run, tmp_path: Path) -> None:
    shards = [session(tmp_path / "1.db", FIRST), session(tmp_path / "2.db", SECOND)]
    code, out, err = run("merge", *map(str, shards), "--session", "whole.db", "--json")
    assert 0 == code, err
    found = json.loads(out)
    assert (50.0, 2) == (found["score"]["total"], found["score"]["methods"])
    assert {"m": "detected", "n": "missed"} == {each["method"]: each["verdict"] for each in found["methods"]}


@pytest.mark.parametrize(
    ("other", "about", "said"),
    [
        (record(cell("m", "b"), cell("x", "b"), shard="2/2"), {}, "only one of them asked about n"),
        (record(cell("m", "b"), shard="2/2"), {}, "only one of them asked about n"),
        (record(cell("m", "b"), cell("n", "b"), shard="2/2", slowdown=0.4), {}, "slowdowns of 0.5 and 0.4"),
        (SECOND, {"sources": "d2"}, "they are about different sources"),
        (SECOND, {"subject": "other"}, "they are about different sources"),
    ],
)
def test_what_does_not_belong_together_is_refused_and_nothing_is_written(
    run: Run, tmp_path: Path, other: ScoreRecord, about: dict[str, str], said: str
) -> None:
    shards = [session(tmp_path / "1.db", FIRST), session(tmp_path / "2.db", other, **about)]
    code, out, err = run("merge", *map(str, shards), "--session", "whole.db")
    assert (5, "", True) == (code, out, said in err), err
    assert not (tmp_path / "whole.db").exists()
