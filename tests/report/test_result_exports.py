"""Exported results are read back: by our own readers, and by whom they are written for."""

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from abs_audit.formats.reading import read
from abs_audit.formats.sample import Sample
from abs_audit.report.exports.benchstat import benchstat
from abs_audit.report.exports.dashboards import bmf, github_action
from abs_audit.report.exports.openmetrics import openmetrics
from abs_audit.report.exports.tables import parquet, plain_csv
from tests.support import toolchains

SAMPLES = [
    Sample(benchmark="example.com/p.BenchmarkX/a", fork="1", values=(1e-9, 2e-9)),
    Sample(benchmark="example.com/p.BenchmarkX/a", fork="2", values=(3e-9,)),
    Sample(benchmark="example.com/p.BenchmarkY", fork="1", values=(5e-9,)),
    Sample(benchmark="tests/test_a.py::test_b[é]", fork="1", values=(0.25, 0.5)),
    Sample(benchmark="tests/test_a.py::test_b[é]", fork="2", values=(0.75,)),
    Sample(benchmark='org.A.m:text="q\\', fork="1", values=(7.0, 9.0), unit="bytes"),
]
BMF = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")},
        },
    },
}
ACTION = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "unit": {"type": "string"},
            "value": {"type": "number"},
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
    },
}


def places(samples: list[Sample]) -> dict[tuple[str, str], tuple[list[str], str]]:
    """What was measured where, to twelve digits: nanoseconds and back lose the last one."""
    return {
        (sample.benchmark, sample.fork): ([f"{value:.12g}" for value in sample.values], sample.unit)
        for sample in samples
    }


@pytest.mark.parametrize("write", [benchstat, plain_csv])
def test_names_units_forks_and_values_come_back(tmp_path: Path, write: object) -> None:
    path = tmp_path / "written"
    path.write_bytes(write(SAMPLES))  # type: ignore[operator]
    assert places(SAMPLES) == places(list(read(path)))


NAMES = st.sampled_from(["p.BenchmarkA", "p.BenchmarkB/x", "q.BenchmarkA", "a.B.m:n=1", "f.py::t"])
VALUES = st.lists(st.floats(1e-12, 1e3), min_size=1, max_size=3).map(tuple)


@settings(max_examples=60)
@given(forks=st.dictionaries(NAMES, st.lists(VALUES, min_size=1, max_size=3), min_size=1))
def test_any_forks_go_round_through_benchstats_text(
    tmp_path_factory: pytest.TempPathFactory, forks: dict[str, list[tuple[float, ...]]]
) -> None:
    samples = [
        Sample(benchmark=name, fork=str(number), values=values)
        for name, own in forks.items()
        for number, values in enumerate(own, start=1)
    ]
    path = tmp_path_factory.mktemp("round") / "text"
    path.write_bytes(benchstat(samples))
    assert places(samples) == places(list(read(path)))


def test_benchstat_sees_every_value(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(benchstat(SAMPLES))
    done = subprocess.run(
        [toolchains.benchstat(), "-format", "csv", str(path)], capture_output=True, text=True, check=True
    )
    assert "X/a,2e-09" in done.stdout
    assert "/tests/test_a.py::test_b[é],0.5" in done.stdout


def test_prometheus_reads_the_medians() -> None:
    families = {
        family.name: family for family in text_string_to_metric_families(openmetrics(SAMPLES).decode())
    }
    medians = {
        sample.labels["benchmark"]: sample.value
        for family in families.values()
        for sample in family.samples
        if sample.labels["quantile"] == "0.5"
    }
    assert "seconds" == families["benchmark_time_seconds"].unit
    assert {
        "example.com/p.BenchmarkX/a": 2e-9,
        "example.com/p.BenchmarkY": 5e-9,
        "tests/test_a.py::test_b[é]": 0.5,
        'org.A.m:text="q\\': 8.0,
    } == medians


def test_dashboards_get_what_their_schemas_ask_for() -> None:
    jsonschema.validate(json.loads(bmf(SAMPLES)), BMF)
    jsonschema.validate(json.loads(github_action(SAMPLES)), ACTION)


def test_pyarrow_reads_every_value(tmp_path: Path) -> None:
    reader = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "values.parquet"
    path.write_bytes(parquet(SAMPLES))
    rows = reader.read_table(path).to_pylist()
    assert [value for sample in SAMPLES for value in sample.values] == [row["value"] for row in rows]
    assert {"s", "bytes"} == {row["unit"] for row in rows}
