"""Commands that measure nothing: each of their documents satisfies its shipped schema."""

import json
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.doctor import measure
from abs_audit.experiment import preparation
from tests.cli.conftest import Run
from tests.support import builders
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


def test_quiet_tells_the_answer_and_nothing_else(run: Run, checkout: Path) -> None:
    target = Path("lib/abs-audit.toml")
    assert (0, f"python with pytest-benchmark. Wrote {target}\n", "") == run("init", "lib", "--quiet")
    code, out, err = run("init", "lib", "--quiet")
    assert (2, "") == (code, out)
    assert f"{target} exists already" in err
    injecting = ("inject", "lib", "--method", "pkg.render", "--slowdown", "0.5", "--quiet")
    answer = "pkg.render would take 1.5 times as long: a probe in pkg/__init__.py.\n"
    assert (0, answer, "") == run(*injecting)
    assert run(*injecting, "--diff")[1].startswith("--- ")


def test_what_a_listing_has_seen_of_each_benchmark_is_told(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = builders.discovery("a", "b", durations_s={"a": 2e-3, "b": 4e-3})
    monkeypatch.setattr(preparation, "listing", lambda *_: seen)
    assert run("list", "lib")[1].startswith("2 benchmarks; executing each once takes 6 ms.\n")
    document = json.loads(run("list", "lib", "--json")[1])
    assert [2e-3, 4e-3] == [benchmark["duration_s"] for benchmark in document["benchmarks"]]
    assert document["duration_s"] == pytest.approx(6e-3)
