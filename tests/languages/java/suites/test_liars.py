"""Benchmarks that tempt to a wrong verdict; benchmarks/liars.py scores them, here is what needs no clock."""

import json
from pathlib import Path

import pytest

from abs_audit.execution.workspace import checkout, source_tree
from abs_audit.injectors.java.injector import JavaInjector

LIARS = Path(__file__).parents[4] / "fixtures" / "liars" / "java"
TRUTH: dict[str, bool] = json.loads((LIARS / "truth.json").read_text())
SOURCES = source_tree(checkout(LIARS), (".java",))


def test_the_truth_is_told_of_methods_that_exist() -> None:
    listing = JavaInjector().api_methods(SOURCES)
    assert set(TRUTH) <= {method.id for method in listing.methods}
    assert len(TRUTH) >= 40


def test_each_of_them_has_work_that_can_be_made_more_by_hand() -> None:
    library = "".join(text for path, text in SOURCES.items() if path.startswith("liars/"))
    names = [method.removeprefix("org.example.liars.") for method in TRUTH]
    assert [name for name in names if library.count(f'"{name}"') != 1] == []


@pytest.mark.parametrize("stem", ["Prepared", "Keys", "Pools"])
def test_what_is_executed_around_the_timed_region_is_told_to_the_probe(stem: str) -> None:
    path = f"benchmarks/src/main/java/org/example/liars/bench/{stem}Benchmark.java"
    text = SOURCES[path]
    told = JavaInjector().instrument(SOURCES, list(TRUTH)).files[path]
    annotated = text.count("@Setup") + text.count("@TearDown")
    assert (annotated, annotated) == (told.count(".prepare();"), told.count(".prepared();"))
