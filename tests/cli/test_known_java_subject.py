"""The program on tiny Maven projects with a known answer: real builds, real forks, whole commands."""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import psutil

from abs_audit.execution.workspace import SUBJECT
from tests.support import program
from tests.support.program import assert_agrees, methods, settled
from tests.support.toolchains import shared_cache

SUBJECTS = Path(__file__).parents[2] / "fixtures" / "subjects"
RENDERING = re.compile(r"render|checksum")
BROKEN = "src/main/java/org/example/broken"
WALK = "org.example.broken.Work.walk(int)"
BENCH = "org.example.broken.WorkBenchmark"


def run(folder: Path, *arguments: str, **variables: str) -> tuple[int, dict[str, Any], str]:
    """Run a command; what Maven and Gradle fetch is shared between runs."""
    return program.run(folder, arguments, {"ABS_AUDIT_CACHE": str(shared_cache()), **variables}, limit_s=900)


def checkout(folder: Path, name: str, *left_out: str) -> Path:
    """Return a copy of a subject without some of its modules."""
    copy = folder / name
    shutil.copytree(SUBJECTS / name, copy, ignore=shutil.ignore_patterns(*left_out))
    for module in left_out:
        pom = copy / "pom.xml"
        pom.write_text(pom.read_text().replace(f"    <module>{module}</module>\n", ""))
    return copy


def test_every_method_of_a_known_subject_gets_its_known_verdict_beside_what_fails_ends_or_hangs(
    tmp_path: Path,
) -> None:
    copy = checkout(tmp_path, "jmh")
    for name, module in (("Work", "wordbook"), ("WorkBenchmark", "benchmarks")):
        source = SUBJECTS / "jmh_broken" / "working" / BROKEN / f"{name}.java"
        target = copy / module / BROKEN
        target.mkdir(parents=True)
        shutil.copy(source, target)
    every = json.loads((copy / "expected.json").read_text())
    # Two more are detected in containers' tests; each method costs its forks.
    known = {name: verdict for name, verdict in every["methods"].items() if not RENDERING.search(name)}
    known[WALK] = "detected"
    assert {"detected", "missed", "unreached"} == set(known.values())
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    slowdown = str(every["slowdown"])
    score = ("score", str(copy), methods(tmp_path, *known), "--slowdown", slowdown, "--timeout", "8")
    code, answer, log = settled(lambda *session: run(tmp_path, *score, *session), known)
    assert_agrees(code, answer, 200 / len(known))
    assert before == {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert 4 == code
    assert_broken_are_open(answer, log)
    assert [] == left_over(str(shared_cache()))

    # What has no probes has a copy of its own.
    workspaces = (shared_cache() / "workspaces").glob(f"*/{SUBJECT}")
    (place,) = (path.parent for path in workspaces if path.read_text().strip() == str(copy))
    code, _, log = run(tmp_path, "list", str(copy))
    assert 0 == code, log
    assert [] == probed(place)


def probed(place: Path) -> list[str]:
    """Return the classes of a workspace's plain copy that know of a probe."""
    built = [*(place / "unprobed-tree").rglob("*.class")]
    assert built
    return [str(path.relative_to(place)) for path in built if b"abs_audit_probe" in path.read_bytes()]


def assert_broken_are_open(answer: dict[str, Any], log: str) -> None:
    cells = {
        cell["benchmark"].removeprefix(f"{BENCH}."): cell
        for cell in answer["cells"]
        if cell["method"] == WALK and cell["benchmark"].startswith(BENCH)
    }
    # A busy machine may leave open what works, in the first attempt, which this is.
    working = cells.pop("walking")
    reasons = {name: cell["reason"] for name, cell in cells.items() if cell["verdict"] == "no-verdict"}
    assert {"throwing", "leaving", "hanging"} == set(reasons), log
    assert "java.lang.IllegalStateException: no road" in reasons["throwing"]
    assert "not done after the limit of 8 s" in reasons["hanging"]
    # It is 1; what others have of the processor is the benchmark's time rather than a call's.
    assert working["verdict"] == "no-verdict" or 0.4 < working["share"] <= 1.0


def left_over(word: str) -> list[str]:
    """Return the processes whose command line has a word, after a moment for those that end."""
    for _ in range(50):
        listed = [process.info["cmdline"] or [""] for process in psutil.process_iter(["cmdline"])]
        found = [
            " ".join(argv) for argv in listed if "java" in argv[0] and any(word in part for part in argv)
        ]
        if not found:
            break
        time.sleep(0.1)
    return found


def test_what_does_not_compile_is_refused_with_the_compilers_first_error(tmp_path: Path) -> None:
    code, _, log = run(tmp_path, "list", str(checkout(tmp_path, "jmh_broken")))
    assert 3 == code
    assert "UnwrittenBenchmark.java:[8,16] cannot find symbol" in " ".join(log.split())
    assert "Traceback" not in log


def test_a_maven_project_without_jmh_has_no_suite(tmp_path: Path) -> None:
    copy = checkout(tmp_path, "jmh", "benchmarks")
    code, _, log = run(tmp_path, "list", str(copy))
    assert 2 == code
    assert "no benchmark suite found" in log


def test_without_maven_or_a_jdk_the_environment_is_unfit(tmp_path: Path) -> None:
    copy = checkout(tmp_path, "jmh")
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "git").symlink_to(shutil.which("git") or "")
    code, _, log = run(tmp_path, "list", str(copy), PATH=str(bare), JAVA_HOME="")
    assert 6 == code
    assert "expected Maven (mvn) on the PATH or mvnw in the checkout, found neither" in " ".join(log.split())
    code, _, log = run(tmp_path, "list", str(copy), "--interpreter", "/no/such/java")
    assert 6 == code
    assert "expected a JDK with java and javac, found none" in " ".join(log.split())


def test_a_gradle_project_is_built_by_its_own_gradle_and_both_its_modules_are_probed(tmp_path: Path) -> None:
    copy = checkout(tmp_path, "jmh_gradle")
    # The second takes a tenth of the time, which its probes tell.
    known = {
        "org.example.counter.Counter.next()": "detected",
        "org.example.plain.Plain.mixed(int,int)": "missed",
    }
    score = ("score", str(copy), methods(tmp_path, *known), "--slowdown", "2", "--goal", "score")
    code, answer, _ = settled(lambda *session: run(tmp_path, *score, *session), known)
    assert_agrees(code, answer, 50.0)
    assert not (copy / "build").exists()
    assert not (copy / ".gradle").exists()
