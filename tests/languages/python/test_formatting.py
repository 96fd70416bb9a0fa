"""The formatter of a repository is the one that it says, in its version."""

import subprocess
import sys
from pathlib import Path

import pytest

from abs_audit.languages.python.formatting import PRINTING, required

HOOKS = """
repos:
  - repo: https://github.com/psf/black
    rev: 24.1.0
    hooks: [{id: black}]
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.4.2
"""


@pytest.mark.parametrize(
    ("project", "hooks", "expected"),
    [
        ("", "", None),
        ("[tool.black]", "", "black"),
        ("[tool.black]\nrequired-version = '24'", "", "black==24"),
        ("[tool.ruff]\nrequired-version = '>=0.5'", "", "ruff>=0.5"),
        ("[tool.ruff]", "", "ruff"),
        ("[tool.ruff]\n[tool.black]", "", "black"),
        ("[tool.ruff]", HOOKS, "black==24.1.0"),
        ("[tool.ruff.format]\n[tool.black]", HOOKS, "ruff==0.4.2"),
        ("", HOOKS, "black==24.1.0"),
    ],
)
def test_configuration_says_which(tmp_path: Path, project: str, hooks: str, expected: str | None) -> None:
    (tmp_path / "pyproject.toml").write_text(project)
    (tmp_path / ".pre-commit-config.yaml").write_text(hooks)
    assert expected == required(tmp_path)


@pytest.mark.parametrize(("rules", "first"), [("'I'", "import attrs"), ("'E'", "from b import x")])
def test_ruff_applies_the_rules_of_the_project_too(tmp_path: Path, rules: str, first: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.ruff.lint]\nselect = [{rules}]\n")
    (tmp_path / "new").write_text("from b import x\nimport attrs\nprint( x,attrs )\n")
    argv = ["sh", "-c", PRINTING["ruff"], sys.executable, str(tmp_path / "new.py"), str(tmp_path / "new")]
    printed = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(f"{first}\n") and printed.endswith("print(x, attrs)\n")
