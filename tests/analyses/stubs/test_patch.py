"""A patch of proposals is one that git applies, whatever the names and wherever the folder lies."""

from pathlib import Path

import pytest
from git import Git, Repo

from abs_audit.analyses.stubs.patch import Change, unified


@pytest.fixture
def repository(tmp_path: Path) -> Repo:
    (tmp_path / "lib" / "kept").mkdir(parents=True)
    (tmp_path / "lib" / "kept" / "old.py").write_bytes(b"a = 1\r\nb = 2\x0c\nc = 3")
    made = Repo.init(tmp_path)
    made.git.add(all=True)
    return made


NEW = "def test_new(benchmark):\n    benchmark(print)\n"
CHANGES = {
    "benchmarks/test_new.py": Change(before=None, after=NEW),
    "with blanks/tést new.py": Change(before=None, after="x = 1"),
    "kept/old.py": Change(before="a = 1\r\nb = 2\x0c\nc = 3", after="a = 1\r\nb = 2\x0c\nc = 4\n"),
    "kept/same.py": Change(before="same\n", after="same\n"),
}


@pytest.mark.parametrize("below", ["", "lib"])
def test_git_applies_it_from_any_folder_of_the_repository(repository: Repo, below: str) -> None:
    top = Path(repository.working_dir)
    patch = top / "stubs.patch"
    patch.write_bytes(unified(CHANGES, "lib/", "lib").encode())
    repository.git.execute(["git", "-C", str(top / below), "apply", str(patch)])
    written = {path: (top / "lib" / path).read_bytes().decode() for path in CHANGES if "same" not in path}
    assert {path: change.after for path, change in CHANGES.items() if path in written} == written


def test_a_folder_without_a_repository_takes_it_too(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "stubs.patch").write_text(unified({"a/b.py": CHANGES["benchmarks/test_new.py"]}, "", "lib"))
    Git(elsewhere).execute(["git", "apply", str(tmp_path / "stubs.patch")])
    assert NEW == (elsewhere / "a" / "b.py").read_text()


def test_without_changes_it_is_empty() -> None:
    assert "" == unified({"kept/same.py": CHANGES["kept/same.py"]}, "", "lib")
