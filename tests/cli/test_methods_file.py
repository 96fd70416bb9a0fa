"""Methods files: a trace document, or one id a line."""

from pathlib import Path

from abs_audit.cli.methods_file import read
from tests.cli.conftest import Run
from tests.support.builders import cell
from tests.support.recorded_scores import keep_cells


def test_plain_text_gives_its_lines_without_blanks_comments_and_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "methods.txt"
    path.write_text("# my users\npkg.a\n\n  pkg.B.__init__  \npkg.a\nimport/path.(*T).Run\n")

    assert ("pkg.a", "pkg.B.__init__", "import/path.(*T).Run") == read(path).ids


def test_a_trace_document_gives_ids_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "methods.json"
    path.write_text('{"methods": [{"method": "pkg.a", "calls": 7}, {"method": "pkg.b"}]}')

    found = read(path)

    assert (("pkg.a", "pkg.b"), {"pkg.a": 7.0}) == (found.ids, found.weights)


def test_without_any_methods_those_of_the_recorded_score_are_asked_again(run: Run, checkout: Path) -> None:
    """What a budget left open says to go on with: abs-audit score."""
    keep_cells(checkout, cell("pkg.gone", "benchmarks/test_it.py::test_render"))

    code, _, error = run("score", "lib")

    assert (2, True) == (code, "the recorded score: method 'pkg.gone'" in error), error
