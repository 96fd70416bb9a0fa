"""CSV files of counters over time: read whole, or refused with line and column."""

import gzip
from pathlib import Path

import pytest

from abs_audit.analyses.chart.counters import holds_counters, read_counters
from abs_audit.errors import AbsAuditError, MismatchError, UsageError


def written(folder: Path, text: str, name: str = "run.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_column_is_a_counter_but_time_and_load(tmp_path: Path) -> None:
    run = read_counters(written(tmp_path, "time,cpu,Load,io reads/s\n12:00,1.5,100,3\n12:01,2.5,110,4\n"))
    assert "run.csv" == run.name
    assert {"cpu": [1.5, 2.5], "io reads/s": [3.0, 4.0]} == {
        name: values.tolist() for name, values in run.counters.items()
    }
    assert run.load is not None
    assert [100.0, 110.0] == run.load.tolist()


def test_a_run_without_a_load_column_has_no_load(tmp_path: Path) -> None:
    assert read_counters(written(tmp_path, "cpu\n1\n2\n")).load is None


def test_the_load_may_be_any_column(tmp_path: Path) -> None:
    run = read_counters(written(tmp_path, "cpu,requests/s\n1,10\n2,20\n"), load="requests/s")
    assert (["cpu"], [10.0, 20.0]) == (list(run.counters), run.load.tolist())  # type: ignore[union-attr]


def test_counters_may_stand_below_each_other_with_their_names(tmp_path: Path) -> None:
    text = "time,counter,load,value\n1,cpu,10,5\n1,memory,10,7\n2,cpu,20,6\n2,memory,20,8\n"
    run = read_counters(written(tmp_path, text))
    assert holds_counters(tmp_path / "run.csv")
    assert {"cpu": [5.0, 6.0], "memory": [7.0, 8.0]} == {
        name: values.tolist() for name, values in run.counters.items()
    }
    assert [10.0, 20.0] == run.load.tolist()  # type: ignore[union-attr]


def test_a_load_column_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path, "cpu,requests/s\n1,10\n")
    with pytest.raises(UsageError, match=r"--load hits: no such column in .*it has cpu, requests/s"):
        read_counters(path, load="hits")


def test_packed_files_files_with_tabs_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    packed = tmp_path / "run.csv.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbfcpu,mem\n1,2\n"))
    tabbed = written(tmp_path, "cpu\tmem\n1\t2\n", "run.tsv")
    assert ["cpu", "mem"] == list(read_counters(packed).counters) == list(read_counters(tabbed).counters)


def test_a_file_of_benchmark_results_is_not_one_of_counters(tmp_path: Path) -> None:
    results = written(tmp_path, "benchmark,value\na,1\n", "results.csv")
    counters = written(tmp_path, "cpu,memory\n1,2\n")
    assert [True, False, False, False] == [
        holds_counters(path)
        for path in (counters, results, tmp_path / "none.csv", written(tmp_path, "{}", "jmh.json"))
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "run.csv:1: expected a column for each counter, found only nothing"),
        ("time,load\n1,2\n", "run.csv:1: expected a column for each counter, found only time, load"),
        ("counter,load\ncpu,2\n", "run.csv:1: expected a column `value` beside 'counter', found none"),
        ("counter,value\n", "run.csv: expected at least one row of samples below the names, found none"),
        ("counter,value,load\na,1,5\nb,1,6\n", "run.csv: expected the same loads for all counters"),
        ("cpu,cpu\n1,2\n", "run.csv:1: column 'cpu' is there twice"),
        ("cpu,\n1,2\n", "run.csv:1: column 2 has no name"),
        ("1,2\n3,4\n", "run.csv:1: expected the names of the columns, found numbers"),
        ("cpu,memory\n", "run.csv: expected at least one row of samples below the names, found none"),
        ("cpu,memory\n1,2\n3\n", "run.csv:3: expected 2 columns, found 1"),
        ("cpu\n1\nnan\n", "run.csv:3: column 'cpu': expected a number of at least 0, found 'nan'"),
        ("cpu\n1\ninf\n", "run.csv:3: column 'cpu': expected a number of at least 0, found 'inf'"),
        ("cpu\n-1\n", "run.csv:2: column 'cpu': expected a number of at least 0, found '-1'"),
        ("cpu,load\n1,-5\n", "run.csv:2: column 'load': expected a number of at least 0, found '-5'"),
        ("cpu,mem\n1,\n", "run.csv:2: column 'mem': expected a number of at least 0, found nothing"),
        ("cpu\nfast\n", "run.csv:2: column 'cpu': expected a number of at least 0, found 'fast'"),
    ],
)
def test_what_is_no_table_of_counters_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(MismatchError) as caught:
        read_counters(written(tmp_path, text))
    assert message in str(caught.value)


def test_a_file_that_is_missing_binary_or_one_endless_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "noise.csv").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "long.csv").write_text("cpu\n" + "9" * 10_000_000)
    (tmp_path / "broken.csv.gz").write_bytes(gzip.compress(b"cpu\n1\n" * 1000)[:-20])
    for name in ("none.csv", "noise.csv", "long.csv", "broken.csv.gz"):
        with pytest.raises(AbsAuditError, match=name):
            read_counters(tmp_path / name)
