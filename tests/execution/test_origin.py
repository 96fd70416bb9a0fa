"""Downstream projects are brought from directories, archives and git repositories."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from abs_audit.errors import UsageError
from abs_audit.execution.origin import bring


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "shop.py").write_text("x = 1\n")
    return root


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))


def test_a_directory_is_copied(project: Path, target: Path) -> None:
    found = bring(str(project), target)
    assert ("shop", None, ["shop.py"]) == (found.name, found.commit, names(target))


@pytest.mark.usefixtures("_extraction")
def test_an_archive_with_one_top_folder_is_that_folder(project: Path, target: Path, tmp_path: Path) -> None:
    path = tmp_path / "shop-1.2.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(project, "shop-1.2")
    found = bring(str(path), target)
    assert ("shop-1.2", None, ["shop.py"]) == (found.name, found.commit, names(target))


def test_a_git_url_is_cloned_and_its_commit_is_known(project: Path, target: Path) -> None:
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=project, check=True
        )
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True
    ).stdout.strip()
    found = bring(f"file://{project}/.git", target)
    assert (head, ["shop.py"]) == (found.commit, names(target))


@pytest.fixture(params=["filter of Python 3.11.4", "without"])
def _extraction(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


@pytest.mark.usefixtures("_extraction")
@pytest.mark.parametrize("leads", ["../outside.py", "/outside.py"])
def test_a_link_in_an_archive_cannot_lead_outside(leads: str, target: Path, tmp_path: Path) -> None:
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo("link")
        entry.type, entry.linkname = tarfile.SYMTYPE, leads
        archive.addfile(entry)
    with pytest.raises(UsageError, match=r"evil\.tar: cannot unpack it"):
        bring(str(path), target)


@pytest.mark.usefixtures("_extraction")
def test_an_archive_cannot_write_outside_its_folder(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo("../outside.py")
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"x"))
    with pytest.raises(UsageError, match=r"evil\.tar: cannot unpack it"):
        bring(str(path), target)
    assert not (tmp_path / "outside.py").exists()


@pytest.mark.parametrize("given", ["nowhere", "shop.rar", ""])
def test_what_is_none_of_these_is_refused(given: str, target: Path, project: Path) -> None:
    with pytest.raises(UsageError, match="expected a directory, an archive"):
        bring(given, target)


def test_a_broken_archive_is_named(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.zip"
    path.write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(UsageError, match=r"cut\.zip: cannot unpack it"):
        bring(str(path), target)
