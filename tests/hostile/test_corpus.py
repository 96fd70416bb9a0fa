"""Every input that is none: one short message that names it, the right exit code, and that at once."""

# ruff: noqa: E501 - tables

import json
import os
import re
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import scipy.stats  # noqa: F401 - an alarm in the middle of its import would leave half of it

from abs_audit.errors import UsageError
from abs_audit.execution.origin import bring
from tests.cli.conftest import Run, run
from tests.hostile import inputs

__all__ = ["run"]

# A hang, also on a machine that others use.
LONGEST_S = 60.0
LONGEST_MESSAGE = 4000
MEMORY = 4 * 2**30
NAMES = (*inputs.TEXTS, *inputs.WITHOUT_TEXT, os.fsdecode(b"\xff\xfe-name.csv"))
GOOD = "benchmark,value\n" + "a,1.0\na,1.1\na,0.9\n" * 5
READERS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "FILE", "good.csv"),
    "compare to": ("compare", "good.csv", "FILE"),
    "variability": ("variability", "FILE"),
    "detectable": ("detectable", "FILE"),
    "chart": ("chart", "--baseline", "FILE", "--target", "good.csv"),
    "stop": ("stop", "--replay", "FILE"),
    "import": ("import", "FILE"),
    "export": ("export", "FILE"),
    "methods": ("score", "lib", "--methods", "FILE"),
    "configuration": ("config", "show", "lib", "--config", "FILE"),
    "session": ("report", "lib", "--session", "FILE"),
    "labels": ("chart", "--baseline", "good.csv", "--target", "good.csv", "--labels", "FILE"),
}
# Nothing is said in it, and nothing has to be.
FINE = {(reader, name) for reader in ("labels", "configuration") for name in ("empty", "spaces", "only-bom")}
NUMBERS: dict[str, tuple[str, ...]] = {
    "--seed": ("list", "lib"),
    "--timeout": ("score", "lib", "--methods", "methods"),
    "--cpus": ("score", "lib", "--methods", "methods"),
    "--memory": ("score", "lib", "--methods", "methods"),
    "--slowdown": ("score", "lib", "--methods", "methods"),
    "--fail-under": ("score", "lib", "--methods", "methods"),
    "--runs": ("stability", "lib"),
    "--top": ("trace", "lib", "--downstream", "lib"),
    "--budget": ("select", "lib"),
    "--threshold": ("compare", "good.csv", "good.csv"),
    "--cap": ("stop", "--replay", "good.csv"),
    "--regression": ("detectable", "good.csv"),
    "--share": ("detectable", "good.csv"),
    "--instances": ("detectable", "good.csv"),
    "--trials": ("variability", "good.csv"),
    "--most": ("rootcause", "lib", "--good", "a", "--bad", "b", "--benchmark", "c"),
}
NONSENSE = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "1e999",
    "\u0663",
    "0x10",
    "1_0",
    "",
    " ",
    "one",
    "9" * 5000,
    "1;2",
    "\x1b[31m",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "inputs"
    inputs.make(folder)
    return folder


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError(f"took more than {LONGEST_S} s")

    signal.signal(signal.SIGALRM, late)
    # What reads without end must not take the machine's memory.
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a library that is never built, and one good file of each kind."""
    (tmp_path / "lib" / "benchmarks").mkdir(parents=True)
    (tmp_path / "lib" / "pyproject.toml").write_text('[project]\nname = "lib"\nversion = "1"\n')
    (tmp_path / "lib" / "lib.py").write_text("def render(text):\n    return text\n")
    (tmp_path / "lib" / "benchmarks" / "test_it.py").write_text(
        "from lib import render\n\ndef test_render(benchmark):\n    benchmark(render, 'a')\n"
    )
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "methods").write_text("lib.render\n")
    return tmp_path


def check(code: int, out: str, message: str, expected: set[int]) -> None:
    assert code in expected, message
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", message + out)
    assert len(message) <= LONGEST_MESSAGE
    assert "Traceback" not in message


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_none_is_named(run: Run, folder: Path, hostile: Path, reader: str, name: str) -> None:
    path = hostile / name
    if reader == "session" and name == "empty":
        path = folder / "empty"
        path.touch()  # it becomes a session
    code, out, message = run(*(str(path) if word == "FILE" else word for word in READERS[reader]))

    fine = (reader, name) in FINE
    check(code, out, message, {0} if fine else {2, 5})
    assert fine or name[:20].encode("ascii", "backslashreplace").decode() in message


@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda text: ascii(text[:12]))
@pytest.mark.parametrize("option", NUMBERS)
def test_a_number_that_is_none_is_refused(run: Run, folder: Path, option: str, nonsense: str) -> None:
    code, out, message = run(*NUMBERS[option], f"{option}={nonsense}")

    fine = {("--seed", "-1")}
    if (option, nonsense) not in fine:
        check(code, out, message, {2})
        assert option in message


@pytest.mark.parametrize(
    "method",
    [
        "", " ", "\0", "x" * 2**20, "\x1b[31mlib.render", "lib.rendr", "lib.render()", "lib..render", ".", "/", "*",
        "(*T).M", "lib.render\u202e", "lib/render", "\ud800", "{", "[]", '{"methods": 1}', '{"methods": [1]}',
        '{"methods": [{"method": ""}]}', '{"methods": [{"method": null}]}', '{"methods": {}}',
        '{"methods": [{"method": "lib.rendr", "calls": 1e999}]}', '{"methods": [{"method": "x", "calls": NaN}]}',
        json.dumps({"methods": [{"method": "x" * 2**20}]}), "lib.render\n" * 3 + "lib.other",
    ],
    ids=lambda text: ascii(text[:20]),
)  # fmt: skip
def test_a_method_that_is_none_is_told_before_any_build(run: Run, folder: Path, method: str) -> None:
    (folder / "wanted").write_bytes(method.encode("utf-8", "surrogatepass"))
    code, out, message = run("score", "lib", "--methods", "wanted")

    check(code, out, message, {2})
    assert "wanted" in message
    assert not (folder / "cache").exists()


@pytest.mark.parametrize(
    "text",
    [
        "slowdwn = 1", "slowdown = nan", "slowdown = inf", "slowdown = -1", "slowdown = true", "slowdown = []",
        "timeout_s = 0", "seed = 1.5", "seed = 'x'", "top = 0", "paths = 'a'", "paths = [1]",
        "environment = 1", "environment = {A = 1}", "suite = 1", "runner = 'x'", "runner = 1",
        "sandbox = 'tight'", "sandbox = true", "[slowdown]\na = 1", "x" * 2**20,
        "a = " + "[" * 5000, "a.b.c = 1", "slowdown = 1\nslowdown = 2", "cpus = -1", "image = 1", "memory = '1'",
        "iteration_s = 1e999", "'\\u001b[31m' = 1", "paths = ['../..']", "paths = ['/etc']", "paths = ['a/../../b']",
        'paths = ["a\\u0000"]', "environment = {'A=B' = '1'}", "environment = {'' = '1'}",
        'environment = {A = "1\\u0000"}', 'interpreter = "a\\u0000b"', 'requirements = ["\\u0000"]',
    ],
    ids=lambda text: ascii(text[:20]),
)  # fmt: skip
def test_a_setting_that_is_none_is_refused(run: Run, folder: Path, text: str) -> None:
    (folder / "lib" / "abs-audit.toml").write_text(text)
    code, out, message = run("config", "show", "lib")

    check(code, out, message, {2})
    assert "abs-audit.toml" in message


@pytest.mark.parametrize("given", ["pipe", "zero", "null", "missing", "dangling", "loop", "n" * 300, "empty"])
@pytest.mark.parametrize(
    "command",
    ["init", "list", "stability", "score", "sensitivity", "redundancy", "select", "stubs", "audit", "report"],
)
def test_a_checkout_that_is_none_is_named(
    run: Run, folder: Path, hostile: Path, command: str, given: str
) -> None:
    code, out, message = run(command, str(hostile / given))

    check(code, out, message, {2})


@pytest.mark.parametrize(
    "command",
    [
        ("report", "lib", "--html", "kept.db"), ("report", "lib", "--html", ".abs-audit/session.db"),
        ("trace", "lib", "--downstream", "lib", "--output", "kept.db"), ("export", "good.csv", "--format", "csv", "-o", "good.csv"),
        ("export", "good.csv", "--format", "csv", "-o", "kept.db"), ("compare", "good.csv", "good.csv", "--html", "good.csv"),
        ("compare", "good.csv", "good.csv", "--html", "kept.db"), ("stubs", "lib", "--methods", "methods", "--patch", "methods"),
        ("stubs", "lib", "--patch", "kept.db"), ("audit", "lib", "--methods", "methods", "--html", "methods"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_answer_takes_the_place_of_a_session_or_of_what_is_read(
    run: Run, folder: Path, command: tuple[str, ...]
) -> None:
    for session in ("kept.db", ".abs-audit/session.db"):
        assert 0 == run("import", "good.csv", "--session", session)[0]
    kept = {name: (folder / name).read_bytes() for name in ("kept.db", "good.csv", "methods")}

    code, out, message = run(*command)

    check(code, out, message, {2})
    assert command[-1] in message
    assert kept == {name: (folder / name).read_bytes() for name in kept}


def test_an_option_that_is_wrong_is_complained_about_once(run: Run, folder: Path) -> None:
    code, out, message = run("list", "lib", "--benchmarks", "/(/")

    check(code, out, message, {2})
    assert message.startswith("abs-audit: --benchmarks /(/: expected a glob")


def test_archives_that_nobody_should_unpack_are_refused(tmp_path: Path) -> None:
    made, target = tmp_path / "archives", tmp_path / "target"
    made.mkdir()
    for name, path in inputs.archives(made).items():
        target.mkdir(exist_ok=True)
        with pytest.raises(UsageError, match=f"{re.escape(name)}: cannot unpack it"):
            bring(str(path), target)
        assert 2**20 >= sum(file.stat().st_size for file in target.rglob("*") if file.is_file())


def test_names_of_any_length_leave_messages_short(run: Run, folder: Path) -> None:
    (folder / "long.csv").write_text(GOOD.replace("a,", "b" * 5000 + ","))
    code, out, message = run("compare", "good.csv", "long.csv")

    check(code, out, message, {5})
    assert "long.csv" in message
