"""Commands that measure nothing: each of their documents satisfies its shipped schema."""

import json
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.doctor import measure
from tests.cli.conftest import Run
from tests.support.schemas import validate


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("config", "show", "lib"), "config"),
        (("init", "lib"), "init"),
        (("doctor", "lib"), "doctor"),
        (("doctor",), "doctor"),
        (("inject", "lib", "--method", "pkg.render", "--slowdown", "0.5"), "inject"),
    ],
)
def test_what_is_printed_satisfies_its_schema(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    monkeypatch.setattr(measure, "_engine", lambda: ("none", {}))
    code, out, err = run(*words, "--json")
    assert 0 == code, err
    document: dict[str, Any] = json.loads(out)
    validate(document)
    assert f"abs-audit/{name}/1" == document["schema"]


def test_a_framework_that_is_called_as_its_language_is_told_once(
    run: Run, checkout: Path, tmp_path: Path
) -> None:
    (tmp_path / "golib").mkdir()
    (tmp_path / "golib" / "go.mod").write_text("module example.org/lib\n")
    source = 'package lib\n\nimport "testing"\n\nfunc BenchmarkA(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n'
    (tmp_path / "golib" / "lib_test.go").write_text(source)
    assert run("init", "golib")[1].startswith("go. Wrote ")
    assert run("init", "lib")[1].startswith("python with pytest-benchmark. Wrote ")
