"""The program on tiny Go modules with a known answer: real builds, real clocks, whole commands."""

import json
import shutil
from pathlib import Path
from typing import Any

from git import Repo

from tests.support import program
from tests.support.go_subjects import SUBJECTS, settings
from tests.support.program import assert_agrees, methods, settled
from tests.support.toolchains import go

AUTHOR = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.com")


def run(folder: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Run a command with a cache of its own."""
    variables = {"ABS_AUDIT_CACHE": str(folder / "cache"), "ABS_AUDIT_INTERPRETER": go()}
    return program.run(folder, arguments, variables)


def checkout(folder: Path, name: str, *left_out: str) -> Path:
    """Return a copy of a subject; compiled packages are shared with everything else on this machine."""
    copy = folder / name
    shutil.copytree(SUBJECTS / name, copy, ignore=shutil.ignore_patterns(*left_out))
    compiled = settings().environment["GOCACHE"]
    (copy / "abs-audit.toml").write_text(f"environment = {{ GOCACHE = {json.dumps(compiled)} }}\n")
    return copy


def dirty_and_read_only(copy: Path) -> None:
    """Make a checkout a repository with uncommitted changes that nobody may write to."""
    repository = Repo.init(copy)
    repository.git.add(all=True)
    repository.git.execute(["git", *AUTHOR, "commit", "--quiet", "--message=all"])
    with (copy / "book.go").open("a") as stream:
        stream.write("\n// Not committed yet.\n")
    for path in [*copy.rglob("*"), copy]:
        path.chmod(path.stat().st_mode & 0o555)


def state(copy: Path) -> dict[Path, tuple[int, int, bytes]]:
    """Return mode, time and contents of everything, the repository's index among it."""
    return {
        path: (found.st_mode, found.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in [copy, *copy.rglob("*")]
        for found in (path.stat(),)
    }


def test_every_method_of_a_known_subject_gets_its_known_verdict(tmp_path: Path) -> None:
    """GoABS reset the checkout with git, and gave no score (defects 9 and 18)."""
    copy = checkout(tmp_path, "go_bench")
    known = json.loads((copy / "expected.json").read_text())
    dirty_and_read_only(copy)
    before = state(copy)
    code, listed, log = run(tmp_path, "list", str(copy))
    assert (0, known["benchmarks"]) == (code, [one["id"] for one in listed["benchmarks"]]), log
    asked = methods(tmp_path, *known["methods"])
    score = ("score", str(copy), asked, "--slowdown", str(known["slowdown"]))
    code, answer, _ = settled(lambda *session: run(tmp_path, *score, *session), known["methods"])
    assert_agrees(code, answer, 100 * known["score"])
    assert before == state(copy)


def test_a_constructor_that_costs_nothing_until_a_probe_lies_in_it_gets_no_verdict(tmp_path: Path) -> None:
    """Without probes it is inlined and its digest stays on the stack; that is the program people run."""
    copy = checkout(tmp_path, "go_bench_inlined")
    constructor = "example.com/inlined.New"
    code, found, log = run(tmp_path, "score", str(copy), methods(tmp_path, constructor), "--slowdown", "0.5")
    ((verdict, reason),) = ((one["verdict"], one["reason"]) for one in found["cells"])
    assert ("no-verdict", True) == (verdict, "times as slow with probes in it" in reason), log
    assert ([0.0, 100.0], 4) == (found["score"]["interval"], code)


def test_packages_that_do_not_compile_leave_the_others_their_verdicts(tmp_path: Path) -> None:
    copy = checkout(tmp_path, "go_bench_broken", "failures")
    work = "example.com/broken.Work"
    score = ("score", str(copy), methods(tmp_path, work), "--slowdown", "0.5")
    code, answer, _ = settled(lambda *session: run(tmp_path, *score, *session), {work: "detected"})
    undecided = [cell for cell in answer["cells"] if cell["verdict"] == "no-verdict"]
    reasons = {cell["benchmark"]: cell["reason"] for cell in undecided}
    assert (
        reasons["example.com/broken/unwritten.BenchmarkNobody"]
        == "failed: does not compile: unwritten/unwritten_test.go:6:2: undefined: nobodyWroteThis"
    )
    assert 4 == code


def test_a_subject_of_which_nothing_compiles_is_refused_with_the_compilers_first_error(
    tmp_path: Path,
) -> None:
    copy = checkout(tmp_path, "go_bench_broken", "failures", "leaving", "startup", "broken_test.go")
    code, _, log = run(tmp_path, "list", str(copy))
    assert 3 == code
    assert "unwritten_test.go:6:2: undefined: nobodyWroteThis" in log
    assert "Traceback" not in log


def test_go_sources_without_benchmarks_are_refused(tmp_path: Path) -> None:
    left_out = ("failures", "leaving", "startup", "unwritten", "broken_test.go")
    code, _, log = run(tmp_path, "list", str(checkout(tmp_path, "go_bench_broken", *left_out)))
    assert 2 == code
    assert "no benchmark suite found" in log


def test_an_interpreter_that_is_no_go_makes_the_environment_unfit(tmp_path: Path) -> None:
    copy = checkout(tmp_path, "go_bench")
    code, _, log = run(tmp_path, "list", str(copy), "--interpreter", "/no/such/go")
    assert 6 == code
    assert "expected a go command, found no such executable" in " ".join(log.split())
