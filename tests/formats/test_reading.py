"""Result files of other tools: every level is kept, units become seconds, broken files are refused whole."""

import json
from pathlib import Path

import pytest

from abs_audit.errors import AbsAuditError, MismatchError, UsageError
from abs_audit.formats.reading import format_of, read
from abs_audit.formats.sample import Sample, in_seconds

OUTPUTS = Path(__file__).parents[2] / "fixtures" / "outputs"


def samples(path: Path) -> dict[str, list[Sample]]:
    by_benchmark: dict[str, list[Sample]] = {}
    for sample in read(path):
        by_benchmark.setdefault(sample.benchmark, []).append(sample)
    return by_benchmark


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("pytest_benchmark/wordbook.json", "pytest-benchmark"),
        ("pyperf/wordbook.json", "pyperf"),
        ("asv/results.json", "asv"),
        ("codspeed/results.json", "codspeed"),
        ("jmh/results.json", "jmh"),
        ("pa/rows.csv", "pa"),
        ("go/wordbook.txt", "go"),
    ],
)
def test_a_format_is_told_by_its_contents(path: str, name: str) -> None:
    assert name == format_of(OUTPUTS / path)
    assert all(sample.values for sample in read(OUTPUTS / path))


def test_rounds_of_pytest_benchmark_are_values_of_one_fork() -> None:
    document = json.loads((OUTPUTS / "pytest_benchmark" / "wordbook.json").read_text())
    by_name = samples(OUTPUTS / "pytest_benchmark" / "wordbook.json")
    assert {
        benchmark["fullname"]: [tuple(benchmark["stats"]["data"])] for benchmark in document["benchmarks"]
    } == {name: [part.values for part in parts] for name, parts in by_name.items()}


def test_runs_of_pyperf_are_forks_and_calibration_is_none() -> None:
    document = json.loads((OUTPUTS / "pyperf" / "wordbook.json").read_text())
    runs = [run["values"] for run in document["benchmarks"][0]["runs"] if run.get("values")]
    by_name = samples(OUTPUTS / "pyperf" / "wordbook.json")
    assert [tuple(values) for values in runs] == [fork.values for fork in by_name["index a book"]]
    assert ["1", "2", "3"][: len(runs)] == [fork.fork for fork in by_name["index a book"]]


def test_parameters_of_asv_make_benchmarks_and_failed_ones_are_left_out() -> None:
    by_name = samples(OUTPUTS / "asv" / "results.json")
    assert {
        "suite.Table.time_rows(10, 'a')": [(0.5, 0.51)],
        "suite.Table.time_rows(1000, 'a')": [(0.25,)],
        "suite.Table.time_rows(1000, 'b c')": [(0.75, 0.7)],
    } == {name: [part.values for part in parts] for name, parts in by_name.items() if "Table" in name}


def test_throughput_of_jmh_becomes_time_and_modes_stay_apart() -> None:
    by_name = samples(OUTPUTS / "jmh" / "results.json")
    push = by_name["org.example.Shelf.push:size=10,kind=a,b"]
    assert [("1", 5e-7, 4e-7, 2.5e-7), ("2", 1e-6, 5e-7, 5e-7)] == [
        (fork.fork, *map(pytest.approx, fork.values)) for fork in push
    ]
    assert [pytest.approx((5e-6, 6e-6))] == [fork.values for fork in by_name["org.example.Shelf.pop"]]
    assert [pytest.approx((5e-6, 5e-6, 5e-6, 7e-6, 6e-6, 6e-6))] == [
        fork.values for fork in by_name["org.example.Shelf.pop:mode=sample"]
    ]


def test_every_fork_of_jmh_is_read(tmp_path: Path) -> None:
    """JavaABS read the first one only (defect 7)."""
    measured = {"score": 1.5, "scoreUnit": "ns/op", "rawData": [[1.0, 1.0], [2.0, 2.0]]}
    document = [{"benchmark": "p.B.m", "mode": "avgt", "primaryMetric": measured}]
    path = tmp_path / "jmh.json"
    path.write_text(json.dumps(document))
    assert [(1e-9, 1e-9), (2e-9, 2e-9)] == [pytest.approx(fork.values) for fork in read(path)]


def test_all_five_levels_of_pa_are_kept() -> None:
    levels = samples(OUTPUTS / "pa" / "rows.csv")["org.example.Shelf.push:size=2"]
    places = [(sample.instance, sample.trial, sample.fork) for sample in levels]
    assert [(f"i{i}", str(t), str(f)) for i in (1, 2) for t in (1, 2) for f in (1, 2)] == places
    assert pytest.approx((2.1111e-7, 2.1112e-7, 2.1113e-7)) == levels[0].values


def test_every_start_of_go_test_is_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    text = (
        "goos: linux\npkg: example.com/p\nBenchmarkX-2 \t 10\t 5 ns/op\nBenchmarkX-2 \t 10\t 6 ns/op\nPASS\n"
    )
    path.write_text(2 * text)
    assert [("1", pytest.approx((5e-9, 6e-9))), ("2", pytest.approx((5e-9, 6e-9)))] == [
        (fork.fork, fork.values) for fork in samples(path)["example.com/p.BenchmarkX"]
    ]


def test_rows_of_a_plain_table_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("series,value\na,1\nb,2\na,3\n")
    assert {"a": [(1.0, 3.0)], "b": [(2.0,)]} == {
        name: [part.values for part in parts] for name, parts in samples(path).items()
    }


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (3.0, "ns/op", (3e-9, "s")),
        (2.0, "ops/ms", (5e-4, "s")),
        (4.0, "min/op", (240.0, "s")),
        (7.0, "B/op", (7.0, "B/op")),
        (0.0, "ops/s", (float("inf"), "s")),
    ],
)
def test_times_become_seconds_and_throughput_is_turned_over(
    value: float, unit: str, expected: tuple[float, str]
) -> None:
    converted = in_seconds(value, unit)
    assert (pytest.approx(expected[0]), expected[1]) == converted


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "broken"
    path.write_text(text)
    return path


PYTEST = (OUTPUTS / "pytest_benchmark" / "wordbook.json").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected measured values, found an empty file"),
        ("hello", "expected one of jmh, "),
        (PYTEST[: len(PYTEST) // 2], "expected whole JSON"),
        ('{"a": 1}', "expected the JSON of "),
        ("[1, 2", "expected whole JSON"),
        ("series,value\na,nan\n", "a: expected finite values above 0, found nan"),
        ("series,value\na,-1\n", "a: expected finite values above 0, found -1"),
        ("series,value\na,0\n", "a: expected finite values above 0, found 0"),
        ("series,value\na,x\n", ":2: expected a number, found 'x'"),
        ("series,value\na,٣\n", ":2: expected a number, found '٣'"),
        ("series,value\na,1_0\n", ":2: expected a number, found '1_0'"),
        ("series,value\na\n", ":2: expected 2 columns, found 1"),
        ("name,time\na,1\n", ":1: expected the columns benchmark and value, found name, time"),
        ("series,value\n", "found no benchmark that has any"),
        ("benchmark,value,unit\na,1,s\na,2,B\n", "a: fork 1 of trial 1 is there twice"),
        ("benchmark,value,unit,fork\na,1,s,1\na,2,B,2\n", "a: expected one unit, found s and B"),
        ("series,value\n" + "a" * 10_000_000 + ",1\n", ":2: expected a table: field larger than"),
    ],
)
def test_what_is_no_measurement_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MismatchError) as caught:
        list(read(written(tmp_path, text)))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none: cannot read it"):
        read(tmp_path / "none")


def test_one_fork_twice_is_refused(tmp_path: Path) -> None:
    rows = (OUTPUTS / "pa" / "rows.csv").read_text()
    with pytest.raises(MismatchError, match="is there twice"):
        list(read(written(tmp_path, 2 * rows)))


@pytest.mark.parametrize("path", sorted(OUTPUTS.rglob("*.json")), ids=lambda path: path.parent.name)
def test_a_file_cut_anywhere_never_ends_in_anything_but_a_message(tmp_path: Path, path: Path) -> None:
    if path.parent.name == "python_driver":
        return
    text = path.read_text().rstrip()
    for end in range(0, len(text) - 1, max(1, len(text) // 40)):
        with pytest.raises(AbsAuditError):
            list(read(written(tmp_path, text[:end]), path.parent.name.replace("_", "-")))
