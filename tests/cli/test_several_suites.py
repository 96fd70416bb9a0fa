"""A checkout with several suites: what one of them lacks costs the others nothing."""

import json
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.experiment import preparation
from abs_audit.experiment.choosing import chosen
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.model.subject import Benchmark, Discovery
from tests.cli.conftest import Run


@pytest.fixture
def two_suites(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with benchmarks of pytest-benchmark and of pyperf, each of which lists one."""
    (checkout / "benchmarks" / "bench_it.py").write_text(
        "import pyperf\n\nif __name__ == '__main__':\n    pyperf.Runner().bench_func('up', str.upper, 'a')\n"
    )

    def listing(project: Project, runtime: Runtime) -> Discovery:
        benchmark = Benchmark(id=f"{project.subject.framework}.benchmark", parameters={})
        return chosen(Discovery(benchmarks=(benchmark,), broken=()), project.settings)

    monkeypatch.setattr(preparation, "listing", listing)
    monkeypatch.setattr(preparation, "kept_listing", listing)
    return checkout


def broken(monkeypatch: pytest.MonkeyPatch, *frameworks: str) -> None:
    """Let suites list nothing."""
    listing = preparation.listing

    def failing(project: Project, runtime: Runtime) -> Discovery:
        if project.subject.framework in frameworks:
            raise ControlFailedError(f"{project.subject.framework} does not run")
        return listing(project, runtime)

    monkeypatch.setattr(preparation, "listing", failing)


def test_both_are_listed(run: Run, two_suites: Path) -> None:
    code, out, _ = run("list", str(two_suites))
    assert code == 0
    assert out.index("pytest-benchmark.benchmark") < out.index("pyperf.benchmark")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_where_one_does_not_run_the_other_is_told_before(
    run: Run, two_suites: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    broken(monkeypatch, "pyperf")
    code, out, err = run("list", str(two_suites), *form)
    assert code == 3
    assert "pytest-benchmark.benchmark" in out
    assert "pyperf does not run" in err


def test_where_none_runs_all_reasons_are_told(
    run: Run, two_suites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch, "pyperf", "pytest-benchmark")
    code, out, err = run("list", str(two_suites), "--json")
    assert (code, out) == (3, "")
    assert "2 things are wrong: - pytest-benchmark does not run - pyperf does not run" in err


def test_benchmarks_that_are_chosen_may_all_be_of_one(run: Run, two_suites: Path) -> None:
    code, out, err = run("list", str(two_suites), "--json", "--benchmarks", "pytest*")
    assert (code, err) == (0, "")
    assert [each["id"] for each in json.loads(out)["benchmarks"]] == ["pytest-benchmark.benchmark"]


def test_each_pattern_may_be_of_another_suite(run: Run, two_suites: Path) -> None:
    code, out, err = run("list", str(two_suites), "--benchmarks", "pytest*", "--benchmarks", "pyperf*")
    assert (code, err) == (0, "")
    assert "pytest-benchmark.benchmark" in out
    assert "pyperf.benchmark" in out


def test_a_pattern_of_a_suite_is_no_mistake_where_what_it_matches_is_excluded(
    run: Run, two_suites: Path
) -> None:
    patterns = ("--benchmarks", "pytest*", "--benchmarks", "pyperf*", "--exclude-benchmarks", "pyperf*")
    code, out, err = run("list", str(two_suites), *patterns)
    assert (code, err) == (0, "")
    assert "pytest-benchmark.benchmark" in out


def test_a_pattern_that_no_suite_has_is_an_error_beside_one_that_is_of_a_suite(
    run: Run, two_suites: Path
) -> None:
    code, out, err = run("list", str(two_suites), "--benchmarks", "pytest*", "--benchmarks", "absent*")
    assert (code, out) == (2, "")
    assert "--benchmarks absent*: no benchmark of the suite matches" in err


def test_what_no_suite_has_is_an_error(run: Run, two_suites: Path) -> None:
    code, out, err = run("list", str(two_suites), "--benchmarks", "absent*")
    assert (code, out) == (2, "")
    assert "absent*" in err


@pytest.mark.parametrize(("chosen", "unmatched"), [((), False), (("--benchmarks", "pytest*"), True)])
def test_questions_about_a_score_that_is_not_there_say_so(
    run: Run, two_suites: Path, chosen: tuple[str, ...], unmatched: bool
) -> None:
    code, out, err = run("redundancy", str(two_suites), *chosen)
    assert (code, out) == (2, "")
    assert "no score of lib as it stands is recorded" in err
    assert ("no benchmark of the suite matches" in err) is unmatched
