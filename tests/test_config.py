"""Settings: the command line wins over the environment, it over the file, it over the defaults."""

from pathlib import Path

import pytest

from abs_audit.config import load
from abs_audit.errors import UsageError


def test_each_layer_wins_over_the_one_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "abs-audit.toml").write_text("top = 5\nseed = 5\ncpus = '0'\n")
    monkeypatch.setenv("ABS_AUDIT_SEED", "6")
    monkeypatch.setenv("ABS_AUDIT_CPUS", "1")
    settings, origins = load(tmp_path, None, {"cpus": "2", "suite": None})
    assert (5, 6, "2", None) == (settings.top, settings.seed, settings.cpus, settings.suite)
    assert {"top": str(tmp_path / "abs-audit.toml"), "seed": "environment", "cpus": "command line"} == {
        one.key: one.origin for one in origins if one.origin != "default"
    }


def test_a_list_in_the_environment_is_separated_by_commas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABS_AUDIT_PATHS", "bench, more/bench")
    assert ("bench", "more/bench") == load(tmp_path, None, {})[0].paths


def test_the_table_of_pyproject_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.abs-audit]\nslowdown = 0.25\n")
    assert 0.25 == load(tmp_path, None, {})[0].slowdown


def test_two_files_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.abs-audit]\nseed = 1\n")
    (tmp_path / "abs-audit.toml").write_text("seed = 2\n")
    with pytest.raises(UsageError, match="are both present: keep one"):
        load(tmp_path, None, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slowdwon = 0.5", "unknown key 'slowdwon'; did you mean 'slowdown'"),
        ("slowdown = -1", "slowdown = -1: expected `auto` or a number above 0"),
        ("seed = 'x'", "seed = 'x': expected a whole number from 0"),
        ("seed = ", "expected TOML"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "abs-audit.toml").write_text(text)
    with pytest.raises(UsageError, match=r"abs-audit\.toml") as caught:
        load(tmp_path, None, {})
    assert message in str(caught.value)
