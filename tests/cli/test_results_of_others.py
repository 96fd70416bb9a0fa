"""`import`, `export` and `stop`: what other tools measured comes in, is judged, and goes out again."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from abs_audit.formats.reading import read
from tests.cli.conftest import Run
from tests.support.schemas import validate

OUTPUTS = Path(__file__).parents[2] / "fixtures" / "outputs"


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """A steady series and one that is too short for any look."""
    path = tmp_path / "series.csv"
    steady = [f"steady,{100 + index % 7 / 10}\n" for index in range(120)]
    path.write_text("series,value\n" + "".join(steady) + "short,1\nshort,2\n")
    return path


@pytest.mark.parametrize(
    "rule", ["superflow1", "superflow2", "superflow3", "pt4cloud", "metior", "cov", "rciw"]
)
def test_every_rule_replays_and_its_document_keeps_the_contract(run: Run, series: Path, rule: str) -> None:
    code, out, _ = run("stop", "--rule", rule, "--replay", str(series), "--json", "--seed", "3")
    document = json.loads(out)
    validate(document)
    steady, short = document["series"]
    assert (0, rule, "steady", None) == (code, document["rule"], steady["series"], short["stop_at"])
    assert steady["trace"][0]["n"] == 10
    assert 0 <= document["accuracy_mean"] <= 1
    again = run("stop", "--rule", rule, "--replay", str(series), "--json", "--seed", "3")[1]
    assert document == json.loads(again)


def test_a_ground_truth_of_its_own_is_taken(run: Run, tmp_path: Path, series: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("series,value\n" + "".join(f"steady,{200 + index % 5}\n" for index in range(120)))
    code, out, _ = run("stop", "--rule", "cov", "--replay", str(series), "--truth", str(truth), "--json")
    document = json.loads(out)
    assert (0, None) == (code, document["series"][1]["accuracy"])
    assert document["accuracy_mean"] < 0.05


def test_a_page_of_a_replay_is_whole_and_offline(run: Run, tmp_path: Path, series: Path) -> None:
    code, _, _ = run("stop", "--rule", "cov", "--replay", str(series), "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert 0 == code
    assert page.rstrip().endswith("</html>")
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    for rule in ("superflow1", "metior", "cov"):
        assert rule in page


def test_what_was_imported_is_exported_again_value_by_value(run: Run, tmp_path: Path) -> None:
    for name in ("pytest_benchmark/wordbook.json", "jmh/results.json", "pa/rows.csv"):
        path = OUTPUTS / name
        session, out_csv = f"{path.parent.name}.db", tmp_path / f"{path.parent.name}.csv"
        code, out, _ = run("import", str(path), "--session", session, "--json")
        validate(json.loads(out))
        assert 0 == code
        assert 0 == run("export", "--session", session, "--format", "csv", "-o", str(out_csv))[0]
        places = {(one.benchmark, one.instance, one.trial, one.fork): one.values for one in read(path)}
        back = {(one.benchmark, one.instance, one.trial, one.fork): one.values for one in read(out_csv)}
        assert places == back


@pytest.mark.parametrize(
    "shape", ["pa", "benchstat", "bmf", "github-action-benchmark", "openmetrics", "parquet"]
)
def test_every_format_is_written(run: Run, tmp_path: Path, shape: str) -> None:
    path = OUTPUTS / "go" / "wordbook.txt"
    code, _, error = run("export", str(path), "--format", shape, "-o", "out")
    # What a format cannot hold is said in one line.
    assert (0, shape not in {"pa", "parquet"}) == (code, error.startswith(f"{shape}: "))
    written = (tmp_path / "out").read_bytes()
    assert b"PAR1" == written[:4] if shape == "parquet" else b"Index" in written


def test_go_text_goes_round(run: Run, tmp_path: Path) -> None:
    path = OUTPUTS / "go" / "wordbook.txt"
    assert 0 == run("export", str(path), "--format", "benchstat", "-o", "out.txt")[0]
    before = {one.benchmark: one.values for one in read(path)}
    after = {one.benchmark: one.values for one in read(tmp_path / "out.txt")}
    assert {name: pytest.approx(values, rel=1e-5) for name, values in before.items()} == after


def test_a_broken_file_leaves_nothing_of_itself_and_everything_before_it(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("series,value\na,1\na,2\n")
    bad.write_text("benchmark,value,fork\nb,1,1\nb,2,2\nb,-3,3\n")
    code, _, error = run("import", str(good), str(bad), "--session", "s.db")
    assert (5, True) == (code, "bad.csv: b: expected finite values above 0, found -3" in error)
    assert (
        "benchmark,instance,trial,fork,iteration,value,unit\na,1,1,1,1,1.0,s\na,1,1,1,2,2.0,s\n"
        == run("export", "--session", "s.db")[1]
    )


@pytest.mark.parametrize("manifest", [None, ".git/HEAD"])
@pytest.mark.parametrize("arguments", [("export",), ("stop", "--rule", "cov", "--json")])
def test_a_checkout_stands_for_the_session_with_what_was_recorded_of_it(
    run: Run, tmp_path: Path, arguments: Sequence[str], manifest: str | None
) -> None:
    values = [f"a,1,1,1,{number},{1 + number % 2},s" for number in range(1, 31)]
    header = "benchmark,instance,trial,fork,iteration,value,unit"
    (tmp_path / "values.csv").write_text("\n".join([header, *values, ""]))
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    if manifest:
        (checkout / manifest).parent.mkdir()
        (checkout / manifest).write_text("")
        (checkout / "requirements.txt").write_text("attrs")
    run("import", str(tmp_path / "values.csv"), "--session", "s.db")
    told = run(*arguments, "--session", "s.db")
    assert told[0] == 0
    assert run(*arguments, str(checkout), "--session", "s.db")[:2] == told[:2]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["stop", "--replay", "none.csv"], 2, "none.csv: cannot read it"),
        (["stop", "--rule", "guess"], 2, "--rule guess: expected one of superflow1"),
        (["stop", "--replay", "."], 5, "expected a folder with result files"),
        (["import"], 2, "which files?"),
        (["import", "none.json"], 2, "none.json: cannot read it"),
        (["export", "none.db"], 2, "none.db: cannot read it"),
        (["export", "--format", "cobol"], 2, "--format cobol: expected one of pa"),
    ],
)
def test_bad_input_has_one_message_and_its_code(
    run: Run, arguments: list[str], code: int, message: str
) -> None:
    found, out, error = run(*arguments)
    assert (code, "", True) == (found, out, message in error), error


@pytest.mark.parametrize("text", ["Version: 2.18\n", '{"unknown": 1}'])
def test_a_file_of_no_known_format_leads_to_the_command_that_takes_its_name(
    run: Run, tmp_path: Path, text: str
) -> None:
    (tmp_path / "results.txt").write_text(text)
    code, _, error = run("compare", str(tmp_path / "results.txt"), str(tmp_path / "results.txt"))
    assert 5 == code
    # The --format of this command is that of its answer.
    assert "say which: abs-audit import FILE --format FORMAT" in error
