"""Bad input: one clear message, the right exit code, no traceback, nothing lost."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "nowhere"], "nowhere: expected a directory"),
        (["list", "lib", "--suite", "junit"], "--suite junit: no such framework; expected one of"),
        (["list", "lib", "--nonsense"], "No such option"),
        (["nonsense"], "No such command"),
        (["stability", "lib", "--cpus", "all"], "--cpus all: expected numbers such as 1 or 0,2"),
        (["score", "lib", "--methods", "none.json"], "none.json: cannot read the methods file"),
        (["score", "lib", "--methods", "cut.json"], "cut.json:1: expected JSON"),
        (["score", "lib", "--methods", "list.json"], "list.json: methods[0]: expected a method id"),
        (["score", "lib", "--methods", "empty.txt"], "empty.txt: expected at least one method id"),
        (["score", "lib"], "which methods? Give them with --methods FILE"),
        (["score", "lib", "--slowdown", "-1"], "--slowdown -1: expected `auto` or a number above 0"),
        (["score", "lib", "--slowdown", "nan"], "--slowdown nan: expected `auto` or a number above 0"),
        (
            ["select", "lib", "--budget", "soon"],
            "--budget soon: expected a time above 0, at most a year, such as 60s",
        ),
        (["select", "lib", "--budget", "9s"], "no score of lib as it stands is recorded"),
        (["trace", "lib"], "which downstream projects?"),
        (["report", "lib"], "no such session"),
        (["list", "lib", "--session", "none.txt"], "--session none.txt: expected a session file"),
        (["inject", "lib", "--method", "pkg.rendr", "--slowdown", "1"], "did you mean pkg.render?"),
    ],
)
def test_a_wrong_word_is_answered_with_what_was_expected(
    run: Run, tmp_path: Path, checkout: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "cut.json").write_text('{"methods": [{"method": "pkg')
    (tmp_path / "list.json").write_text('{"methods": [{"name": "pkg.render"}]}')
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "none.txt").write_text("no session " * 500)

    code, _, stderr = run(*arguments)

    assert (2, True) == (code, message in stderr)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slowdwon = 0.5\n", "unknown key 'slowdwon'; did you mean 'slowdown'?"),
        ("slowdown = -1\n", "slowdown = -1: expected `auto` or a number above 0"),
        ("slowdown = [\n", "abs-audit.toml: expected TOML"),
    ],
)
def test_a_wrong_configuration_is_named_with_its_file(
    run: Run, tmp_path: Path, checkout: Path, text: str, message: str
) -> None:
    (checkout / "abs-audit.toml").write_text(text)

    code, _, stderr = run("list", "lib")

    assert (2, True) == (code, "abs-audit.toml" in stderr and message in stderr)


def test_two_configurations_at_once_are_refused(run: Run, checkout: Path) -> None:
    (checkout / "abs-audit.toml").write_text("top = 5\n")
    with (checkout / "pyproject.toml").open("a") as stream:
        stream.write("[tool.abs-audit]\ntop = 6\n")

    code, _, stderr = run("list", "lib")

    assert (2, True) == (code, "are both present: keep one of them" in stderr)


def test_a_checkout_without_a_suite_says_what_was_looked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()

    code, _, stderr = run("list", "lib")

    assert (2, True) == (code, "no benchmark suite found; looked for asv, pytest-benchmark, pyperf" in stderr)


@pytest.mark.parametrize("command", ["list", "lint", "score"])
def test_a_suite_of_another_language_is_told_before_its_methods(
    run: Run, checkout: Path, command: str
) -> None:
    code, _, stderr = run(command, "lib", "--suite", "jmh")

    assert (2, True) == (code, "--suite jmh: no such suite in " in stderr and "has no .java file" in stderr)


def test_each_of_the_paths_that_is_not_there_is_told_with_whatever_else_is_wrong(
    run: Run, checkout: Path
) -> None:
    (checkout / "abs-audit.toml").write_text('paths = ["benchmarks", "bnchmarks", "test_no.py::test_x"]\n')
    (checkout / "benchmarks").mkdir(exist_ok=True)

    code, _, stderr = run("audit", "lib", "--method", "pkg.render", "--html", "no/page.html")

    assert code == 2
    assert "paths: 'bnchmarks' is not in " in stderr
    assert "paths: 'test_no.py::test_x' is not in " in stderr
    assert "paths: 'benchmarks'" not in stderr
    assert "--html no/page.html" in stderr


@pytest.mark.parametrize(
    "command",
    "init doctor list trace stability inject score sensitivity redundancy select stubs audit report".split(),
)
def test_every_command_knows_the_common_options(run: Run, command: str) -> None:
    _, out, _ = run(command, "--help")
    for option in ("--session", "--config", "--json", "--seed", "--quiet", "-q", "--verbose", "-v"):
        assert option in out


@pytest.mark.parametrize("words", [[], ["config"]])
def test_a_command_that_needs_more_words_is_answered_with_its_help_alone(run: Run, words: list[str]) -> None:
    code, out, err = run(*words)
    assert (2, "", True) == (code, out, err.startswith("Usage: "))
    assert "See:" not in err
