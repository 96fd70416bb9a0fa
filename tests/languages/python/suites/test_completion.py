"""What the driver copies from the installed subject into the tree."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.loading import DRIVER, loaded


@pytest.fixture(scope="module")
def completion() -> ModuleType:
    """Return the driver's module; it belongs to no package of ours."""
    return loaded(DRIVER / "completion.py")


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree whose library is installed with a generated module and a command of its own."""
    tree = tmp_path / "a" / "b" / "c" / "tree"
    write(tree / "notes" / "__init__.py")
    packages = tmp_path / "env" / "lib" / "python3" / "site-packages"
    record = ("notes/__init__.py", "notes/_version.py", "../../../bin/notes", "notes/made/tables.py")
    for entry in record:
        write((packages / entry).resolve())
    information = packages / "notes-1.dist-info"
    write(information / "METADATA", "Name: notes\nVersion: 1\n")
    write(information / "RECORD", "".join(f"{entry},,\n" for entry in record))
    write(information / "direct_url.json", json.dumps({"url": tree.as_uri(), "dir_info": {}}))
    monkeypatch.setattr(sys, "path", [str(packages)])
    return tree


def test_a_generated_file_of_a_package_is_copied_into_the_tree(completion: ModuleType, tree: Path) -> None:
    completion.complete({"root": str(tree), "source_roots": [str(tree)]})
    assert (tree / "notes" / "_version.py").is_file()
    assert (tree / "notes" / "made" / "tables.py").is_file()


def test_a_command_that_was_installed_is_not_copied_out_of_the_tree(
    completion: ModuleType, tree: Path, tmp_path: Path
) -> None:
    """Entry points are recorded as `../../../bin/name`, which seen from the tree is anywhere."""
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tree)}
    completion.complete({"root": str(tree), "source_roots": [str(tree)]})
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(tree)} == before
