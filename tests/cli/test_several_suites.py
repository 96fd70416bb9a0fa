"""A checkout with several suites, and a budget of time that ends before the last of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from abs_audit.cli.context import each_in_time
from abs_audit.experiment.watch import BudgetEndedError


def context(announced: list[str], *frameworks: str) -> Any:
    projects = [SimpleNamespace(subject=SimpleNamespace(framework=name)) for name in frameworks]
    return SimpleNamespace(projects=projects, runtime=SimpleNamespace(announce=announced.append))


def ending_before(framework: str) -> Any:
    def measure(project: Any) -> str:
        if project.subject.framework == framework:
            raise BudgetEndedError
        return f"answer of {project.subject.framework}"

    return measure


def test_answers_that_there_are_outlast_the_end_of_the_budget() -> None:
    announced: list[str] = []
    suites = context(announced, "asv", "pyperf", "pytest-benchmark")

    assert list(each_in_time(suites, ending_before("pyperf"))) == ["answer of asv"]
    assert announced == [
        "the time budget ended before pyperf, pytest-benchmark; the same command goes on",
    ]


def test_a_budget_without_any_answer_is_an_error() -> None:
    with pytest.raises(BudgetEndedError):
        list(each_in_time(context([], "asv", "pyperf"), ending_before("asv")))
