"""Result files that people have: each tool's own shape, compressed or piped, and what no reader can take."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from abs_audit.errors import AbsAuditError, MismatchError, UsageError
from abs_audit.formats.reading import format_of, read

JMH = {"scoreUnit": "ns/op", "rawData": [[1.0, 2.0], [3.0, 4.0]]}
LOG = """# JMH version: 1.37
# Benchmark mode: Average time, time/op
# Benchmark: org.example.Shelf.push
# Parameters: (size = 10, kind = a)
# Fork: 1 of 2
# Warmup Iteration   1: 9.0 ns/op
Iteration   1: 5.0 ns/op
Iteration   2: 6.0 ±(99.9%) 0.1 ns/op
# Fork: 2 of 2
Iteration   1: 7.0 ns/op

Benchmark   (kind)  (size)  Mode  Cnt  Score   Error  Units
Shelf.push       a      10  avgt    3  6.000 ± 0.1    ns/op
"""
TABLE = """Benchmark              (size)   Mode  Cnt  Score   Error   Units
Shelf.push                 10  thrpt   10  2.000 ± 0.100  ops/ms
Shelf.push                N/A     ss       4.000            s/op
Shelf.push:gc.alloc        10  thrpt   10  9.000           MB/sec
"""
CSV = (
    '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit","Param: size"\n'
    '"a.B.m","avgt",1,5,2.5,0.1,"us/op",10\n"a.B.n","avgt",1,5,3.5,0.1,"us/op",\n'
)
HYPERFINE = {"results": [{"command": "sleep 1", "mean": 1.1, "times": [1.0, 1.2], "exit_codes": [0, 0]}]}
GOOGLE = {
    "context": {"library_build_type": "release"},
    "benchmarks": [
        {
            "name": "BM_a/8",
            "run_name": "BM_a/8",
            "run_type": "iteration",
            "real_time": 2.0,
            "time_unit": "us",
        },
        {
            "name": "BM_a/8",
            "run_name": "BM_a/8",
            "run_type": "iteration",
            "real_time": 3.0,
            "time_unit": "us",
        },
        {"name": "BM_a/8_mean", "run_name": "BM_a/8", "run_type": "aggregate", "real_time": 2.5},
        {"name": "BM_b", "run_type": "iteration", "error_occurred": True},
    ],
}


def launch(index: int, nanoseconds: float, stage: str = "Result") -> dict[str, object]:
    return {
        "IterationMode": "Workload",
        "IterationStage": stage,
        "LaunchIndex": index,
        "Operations": 4,
        "Nanoseconds": nanoseconds,
    }


DOTNET = {
    "HostEnvironmentInfo": {"BenchmarkDotNetCaption": "BenchmarkDotNet"},
    "Benchmarks": [
        {
            "FullName": "N.T.M(x: 1)",
            "DisplayInfo": "T.M: DefaultJob [x=1]",
            "Measurements": [launch(1, 400, "Warmup"), launch(1, 8), launch(1, 12), launch(2, 16)],
        }
    ],
}
EVENTS = "".join(
    json.dumps({"Action": "output", "Package": package, "Output": output}) + "\n"
    for package, output in (
        ("p", "pkg: p\n"),
        ("q", "pkg: q\n"),
        ("p", "BenchmarkA-2 \t"),
        ("p", "      10\t  5 ns/op\n"),
        ("q", "BenchmarkA-2 \t      10\t  7 ns/op\n"),
    )
)
BARE_EVENTS = "".join(
    json.dumps(event) + "\n"
    for event in (
        {"Action": "start"},
        {"Action": "output", "Output": "BenchmarkA-2   \t2000000\t  5 ns/op\n"},
        {"Action": "bench", "Test": "BenchmarkA-2"},
        {"Action": "pass"},
    )
)
"""What test2json makes of the output of a test binary: no package, no time."""
Values = dict[str, list[tuple[float, ...]]]


def values(path: Path) -> Values:
    by_benchmark: Values = {}
    for sample in read(path):
        rounded = tuple(float(f"{value:.9g}") for value in sample.values)
        by_benchmark.setdefault(sample.benchmark, []).append(rounded)
    return by_benchmark


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (LOG, "jmh-text", {"org.example.Shelf.push:size=10,kind=a": [(5e-9, 6e-9), (7e-9,)]}),
        (TABLE, "jmh-text", {"Shelf.push:size=10": [(5e-4,)], "Shelf.push:mode=ss": [(4.0,)]}),
        (CSV, "jmh-csv", {"a.B.m:size=10": [(2.5e-6,)], "a.B.n": [(3.5e-6,)]}),
        (json.dumps(HYPERFINE), "hyperfine", {"sleep 1": [(1.0,), (1.2,)]}),
        (json.dumps(GOOGLE), "google-benchmark", {"BM_a/8": [(2e-6, 3e-6)]}),
        (json.dumps(DOTNET), "benchmark-dotnet", {"N.T.M(x: 1)": [(2e-9, 3e-9), (4e-9,)]}),
        (EVENTS, "go-json", {"p.BenchmarkA": [(5e-9,)], "q.BenchmarkA": [(7e-9,)]}),
        (BARE_EVENTS, "go-json", {"BenchmarkA": [(5e-9,)]}),
    ],
)
def test_every_tools_own_shape_is_told_and_read(
    tmp_path: Path, text: str, name: str, expected: Values
) -> None:
    path = tmp_path / "results"
    path.write_text(text)
    packed = tmp_path / "results.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    assert (name, expected) == (format_of(path), values(path))
    assert (name, expected) == (format_of(packed), values(packed))


def test_modes_of_jmh_stay_apart_where_they_could_be_taken_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "jmh.json"
    results = [
        {"benchmark": "B.m", "mode": "avgt", "params": {"n": "1"}, "primaryMetric": JMH},
        {"benchmark": "B.m", "mode": "thrpt", "params": {"n": "1"}, "primaryMetric": JMH},
        {"benchmark": "B.m", "mode": "ss", "params": {"n": "1"}, "primaryMetric": JMH},
        {"benchmark": "B.other", "mode": "thrpt", "primaryMetric": JMH},
    ]
    path.write_text(json.dumps(results))
    assert ["B.m:n=1,mode=avgt", "B.m:n=1,mode=thrpt", "B.m:n=1,mode=ss", "B.other"] == list(values(path))


def test_numbers_of_processors_stay_apart_only_where_there_are_several(tmp_path: Path) -> None:
    path = tmp_path / "go.txt"
    path.write_text("pkg: p\nBenchmarkA \t 1\t 5 ns/op\nBenchmarkA-2 \t 1\t 3 ns/op\nPASS\n")
    assert {"p.BenchmarkA": [(5e-9,)], "p.BenchmarkA-2": [(3e-9,)]} == values(path)
    path.write_text("pkg: p\nBenchmarkA-2 \t 1\t 3 ns/op\nBenchmarkB-2 \t 1\t 3 ns/op\nPASS\n")
    assert ["p.BenchmarkA", "p.BenchmarkB"] == list(values(path))


def test_criterion_is_read_from_its_folder(tmp_path: Path) -> None:
    new = tmp_path / "criterion" / "group" / "function" / "new"
    new.mkdir(parents=True)
    (new / "sample.json").write_text('{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[5.0,8.0]}')
    (new / "estimates.json").write_text('{"mean":{"confidence_interval":{},"point_estimate":4.5}}')
    assert {"group/function": [(5e-9, 4e-9)]} == values(tmp_path)
    (new / "benchmark.json").write_text('{"full_id":"group/function/10"}')
    assert {"group/function/10": [(5e-9, 4e-9)]} == values(tmp_path)
    assert {"group/function/10": [(4.5e-9,)]} == values(new / "estimates.json")


def test_the_runs_of_a_folder_are_trials(tmp_path: Path) -> None:
    machine = tmp_path / "Linux-CPython-3.11-64bit"
    machine.mkdir()
    for number in (1, 2):
        stats = {"stats": {"data": [float(number)]}, "name": "test_a"}
        (machine / f"000{number}_run.json").write_text(
            json.dumps({"machine_info": {}, "benchmarks": [stats]})
        )
    (machine / "machine.json").write_text("{}")
    assert {"test_a": [(1.0,), (2.0,)]} == values(tmp_path)


def test_standard_input_and_pipes_are_read_like_files() -> None:
    code = (
        "from pathlib import Path; from abs_audit.formats.reading import read;"
        "print([sample.benchmark for sample in read(Path('-'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=CSV.encode(), capture_output=True, check=True)
    assert b"['a.B.m:size=10', 'a.B.n']" == done.stdout.strip()
    reading, writing = os.pipe()
    os.write(writing, CSV.encode())
    os.close(writing)
    assert ["a.B.m:size=10", "a.B.n"] == list(values(Path(f"/dev/fd/{reading}")))
    os.close(reading)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (os.mkfifo, MismatchError, "found an empty file"),
        (lambda path: path.symlink_to("/dev/zero"), UsageError, "found a device or socket"),
        (lambda path: path.mkdir(), MismatchError, "expected a folder with result files"),
        (lambda path: path.write_bytes(gzip.compress(b"a" * 99)[:-9]), MismatchError, "whole gzip file"),
        (lambda path: path.write_bytes(b"\0" * 99), MismatchError, "expected one of jmh"),
        (lambda path: path.write_text("[" * 200_000), MismatchError, "expected the JSON of"),
        (
            lambda path: path.write_text('[{"jmhVersion":' + '{"a":' * 200_000),
            MismatchError,
            "nested more than 200 deep",
        ),
    ],
)
def test_what_has_no_end_no_values_or_no_bottom_gets_one_message(
    tmp_path: Path, make: Callable[[Path], object], error: type[AbsAuditError], message: str
) -> None:
    path = tmp_path / "hostile"
    make(path)
    with pytest.raises(error, match=message) as caught:
        list(read(path))
    assert "\n" not in str(caught.value)


BROKEN = (
    "NaN",
    "-1",
    "0",
    "Infinity",
    "9" * 5000,
    "1" + "0" * 400,
    "1e400",
    '"x"',
    "null",
    "true",
    "{}",
    "[[]]",
)


@pytest.mark.parametrize("value", BROKEN, ids=lambda value: value[:8])
def test_no_number_that_is_no_measurement_passes_any_reader(tmp_path: Path, value: str) -> None:
    shapes = (
        '[{"jmhVersion":"1","benchmark":"a","mode":"avgt","primaryMetric":{"scoreUnit":"s/op","rawData":[[%s]]}}]',
        '{"metadata":{"name":"x"},"benchmarks":[{"runs":[{"values":[%s]}]}],"version":"pyperf"}',
        '{"machine_info":{},"benchmarks":[{"name":"x","stats":{"data":[%s]}}]}',
        '{"result_columns":["result","params"],"results":{"t.time_x":[[%s],[]]}}',
        '{"results":[{"command":"x","times":[%s]}]}',
        '{"sampling_mode":"Linear","iters":[1.0],"times":[%s]}',
        '{"creator":{"name":"x"},"benchmarks":[{"name":"a","stats":{"median_ns":%s,"mean_ns":0}}]}',
        "benchmark,value\na,%s\n",
        "pkg: x\nBenchmarkA-2 1 %s ns/op\n",
    )
    for shape in shapes:
        path = tmp_path / "broken"
        path.write_text(shape % value)
        with pytest.raises(AbsAuditError):
            list(read(path))


def test_a_run_that_pytest_benchmark_saved_without_its_rounds_is_its_mean(tmp_path: Path) -> None:
    path = tmp_path / "0001_run.json"
    saved = {"fullname": "tests/test_a.py::test_a", "name": "test_a", "stats": {"mean": 2.5e-7, "rounds": 9}}
    path.write_text(json.dumps({"machine_info": {}, "benchmarks": [saved]}))
    assert [(made.benchmark, made.values) for made in read(path)] == [("tests/test_a.py::test_a", (2.5e-7,))]


def test_a_brief_report_of_benchmark_dotnet_has_its_mean_and_a_name_put_together(tmp_path: Path) -> None:
    path = tmp_path / "report-brief.json"
    sleep = {"Namespace": "Shop", "Type": "Cart", "Method": "Add", "Parameters": "N=3"}
    entry = {**sleep, "Statistics": {"Mean": 250.0, "Median": 240.0}}
    path.write_text(json.dumps({"HostEnvironmentInfo": {}, "Benchmarks": [entry]}))
    (made,) = read(path)
    assert (made.benchmark, made.values) == ("Shop.Cart.Add(N=3)", (pytest.approx(2.5e-7),))
