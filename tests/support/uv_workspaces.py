"""Workspaces of uv, written for a test."""

from pathlib import Path

ROOT = """[project]
name = "whole"
[tool.uv.workspace]
members = ["packages/*"]
exclude = ["packages/apart"]
"""


def workspace(folder: Path, **members: str) -> Path:
    """Write a root and the pyproject.toml of each member, with further text; `__` stands for a slash."""
    (folder / "pyproject.toml").write_text(ROOT)
    for name, text in members.items():
        place = folder / name.replace("__", "/")
        place.mkdir(parents=True)
        (place / "pyproject.toml").write_text(f'[project]\nname = "{place.name}"\n{text}')
    return folder
