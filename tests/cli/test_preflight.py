"""Everything that is wrong with a command is told at once, before anything is built."""

import json
from pathlib import Path

import pytest

from abs_audit.cli import preflight
from tests.cli.conftest import Run


@pytest.fixture
def lib(tmp_path: Path, checkout: Path) -> Path:
    (tmp_path / "methods.txt").write_text("pkg.rendr\npkg.render\npkg.rander\n")
    return checkout


def test_options_paths_settings_and_methods_are_told_together(run: Run, lib: Path) -> None:
    (lib / "abs-audit.toml").write_text("seeed = 3\n")
    code, out, err = run(
        "audit", "lib", "--slowdown", "nan", "--html", "none/page.html", "--methods", "methods.txt"
    )
    assert (2, "") == (code, out)
    for said in (
        "--slowdown nan: expected",
        "--html none/page.html: the folder none does not exist",
        "unknown key 'seeed'; did you mean 'seed'?",
    ):
        assert said in err


def test_all_wrong_methods_are_told_with_the_right_ones_and_nothing_is_built(
    run: Run, lib: Path, tmp_path: Path
) -> None:
    code, _, err = run("score", "lib", "--methods", "methods.txt")
    assert 2 == code
    assert "2 things are wrong" in err
    assert 2 == err.count("did you mean")
    assert 2 == err.count("pkg.render'") + err.count("pkg.render?")
    assert not (tmp_path / "cache").exists()


def test_a_pattern_without_a_method_names_close_ones(run: Run, lib: Path) -> None:
    code, _, err = run("score", "lib", "--method", "rend")
    assert (2, True) == (
        code,
        "--method rend: no method of the sources matches" in err and "pkg.render" in err,
    )


@pytest.mark.parametrize(("pattern", "chosen"), [("pkg.*", ["pkg.render"]), ("pkg._*", ["pkg._shout"])])
def test_a_pattern_that_no_api_method_matches_means_other_functions(
    run: Run, lib: Path, pattern: str, chosen: list[str]
) -> None:
    with (lib / "pkg" / "__init__.py").open("a") as source:
        source.write("\n\ndef _shout(text):\n    return render(text) + '!'\n")
    asked = ("score", "lib", "--method", pattern, "--slowdown", "0.5", "--budget-time", "1ms", "--json")
    _, out, err = run(*asked)
    assert chosen == [method["method"] for method in json.loads(out)["methods"]], err


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "lib", "--html", "lib"),
        ("report", "lib", "--html", "none/x.html"),
        ("compare", "a", "b", "--html", "none/x.html"),
        ("rootcause", "lib", "--html", "none/x.html"),
        ("trace", "lib", "--output", "none/methods.json"),
        ("export", "--output", "none/values.csv"),
        ("stubs", "lib", "--write", "methods.txt/stubs"),
        ("stubs", "lib", "--patch", "none/stubs.patch"),
        ("score", "lib", "--session", "methods.txt"),
        ("stability", "lib", "--session", "lib"),
        ("list", "lib", "--session", "methods.txt/session.db"),
    ],
)
def test_what_cannot_be_written_is_told_before_work(run: Run, lib: Path, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (2, "", True) == (code, out, f"{arguments[-2]} {arguments[-1]}: " in err)


def test_two_things_are_not_both_printed(run: Run, lib: Path) -> None:
    code, out, err = run("stubs", "lib", "--patch", "-", "--write", "methods.txt/x", "--json")
    assert (2, "", True) == (code, out, "--patch - and --json both" in err and "--write methods" in err)


def test_looking_whether_a_file_can_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text("old")
    for name in ("new.html", "old.html"):
        assert "" == preflight.file_complaint(tmp_path / name)
    assert "" == preflight.folder_complaint(tmp_path / "a" / "b")
    assert "" == preflight.session_complaint(tmp_path / "c" / "session.db")
    assert [("old.html", "old")] == [(path.name, path.read_text()) for path in tmp_path.iterdir()]
