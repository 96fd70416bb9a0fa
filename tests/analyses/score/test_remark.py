"""A score of chosen benchmarks is not taken for one of the suite."""

from types import SimpleNamespace
from typing import Any, cast

from abs_audit.analyses.score.measure import _remark
from abs_audit.config import Settings


def prepared(**settings: Any) -> Any:
    project = SimpleNamespace(settings=Settings(**settings))
    return cast(Any, SimpleNamespace(project=project, benchmarks=["a", "b"], remark="compiled"))


def test_a_score_of_chosen_benchmarks_says_so() -> None:
    told = "compiled; only the chosen benchmarks of the suite asked: others may notice more"
    assert told == _remark(prepared(benchmarks=("a*",)))
    assert told == _remark(prepared(exclude_benchmarks=("c",)))


def test_a_score_of_the_whole_suite_or_of_a_shard_does_not() -> None:
    assert "compiled" == _remark(prepared()) == _remark(prepared(shard="1/2"))
