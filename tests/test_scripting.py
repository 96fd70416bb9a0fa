"""The Python interface: sessions as tables, audits by the names of options, nothing imported before use."""

import subprocess
import sys
from pathlib import Path

import pytest

import abs_audit as aa
from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.model.verdict import Verdict
from tests.support.builders import cell
from tests.support.recorded_scores import record, session

HOSTILE = "lib.<script>alert(1)</script>"


@pytest.fixture
def recorded(tmp_path: Path) -> aa.Session:
    made = record(cell("lib.render", "a"), cell(HOSTILE, "a", Verdict.MISSED), cell("lib.render", "b"))
    return aa.Session(session(tmp_path / "s.db", made))


def test_a_score_is_read_as_it_was_recorded(recorded: aa.Session) -> None:
    score = recorded.score
    assert (0.5, (0.5, 0.5), "lib") == (score.total, score.interval, score.subject)
    assert {"lib.render": "detected", HOSTILE: "missed"} == score.verdicts
    assert 50.0 == score.document()["score"]["total"]
    assert ["pytest-benchmark"] == list(recorded.scores)
    assert "RecordedScore(subject='lib', framework='pytest-benchmark')" == repr(score)


def test_a_cell_is_a_row_of_a_table(recorded: aa.Session) -> None:
    column = recorded.cells["benchmark"]
    assert ["a", "a", "b"] == (column.to_pylist() if hasattr(column, "to_pylist") else list(column))


def test_without_a_library_for_tables_the_message_says_what_to_install(
    recorded: aa.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnfitEnvironmentError, match=r"pip install pyarrow"):
        _ = recorded.cells
    assert 0.5 == recorded.score.total


def test_a_notebook_shows_names_and_nothing_that_they_say_to_it(recorded: aa.Session) -> None:
    shown = recorded.score._repr_html_()
    assert ("1 of 2 methods" in shown, "<script>" in shown, "&lt;script&gt;" in shown) == (True, False, True)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no such session; measure one with: abs-audit audit"):
        aa.Session(tmp_path / "none.db")
    with pytest.raises(UsageError, match=r"slowdwn: no option of audit; expected one of .*slowdown"):
        aa.audit(tmp_path, slowdwn=0.5)
    with pytest.raises(UsageError, match=r"--slowdown nan: expected"):
        aa.audit(tmp_path, slowdown="nan")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = aa.nothing


def test_importing_the_package_imports_no_other() -> None:
    program = "import sys, abs_audit; print(sum(name.startswith('abs_audit.') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "0" == done.stdout.strip()


def test_a_notebook_completes_what_the_documentation_names() -> None:
    assert {"Session", "audit", "RecordedScore"} <= set(dir(aa))
