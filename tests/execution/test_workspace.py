"""The copy follows the checkout, and the checkout stays as it is."""

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.audit.page import render
from abs_audit.analyses.stubs.patch import Change, unified
from abs_audit.analyses.trace.document import TraceDocument
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution import workspace as workspaces
from abs_audit.execution.workspace import checkout, refresh, source_tree, workspace
from abs_audit.experiment.session import Session
from abs_audit.experiment.stamps import Stamps
from abs_audit.report.document import dumps

PROGRAM = Path(sys.executable).parent / "abs-audit"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    (root / "b.py").write_text("b = 1\n")
    return root


def test_what_left_the_patch_or_the_checkout_leaves_the_copy_and_what_a_build_made_stays(
    project: Path,
) -> None:
    with workspace("x") as opened:
        refresh(opened, checkout(project), {"a.py": "a = 2\n", "probe.py": "p\n"})
        (opened.tree / "made.so").write_text("built")
        (project / "b.py").unlink()
        refresh(opened, checkout(project), {})
        assert ["a.py", "made.so"] == sorted(path.name for path in opened.tree.iterdir())
        assert "a = 1\n" == (opened.tree / "a.py").read_text()


def test_links_that_executed_code_put_in_the_way_lead_nothing_out_of_the_copy(
    project: Path, tmp_path: Path
) -> None:
    """GoABS cleared whatever folder its configuration named (defect 14); only the copy is cleared."""
    (project / "pkg").mkdir()
    (project / "pkg" / "c.py").write_text("c = 1\n")
    (project / "pkg" / "d.py").write_text("d = 1\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "d.py").write_text("not ours\n")
    with workspace("x") as opened:
        refresh(opened, checkout(project), {})
        for path in (opened.tree / "pkg").iterdir():
            path.unlink()
        (opened.tree / "pkg").rmdir()
        (opened.tree / "pkg").symlink_to(outside)
        (project / "pkg" / "d.py").unlink()

        refresh(opened, checkout(project), {"pkg/e.py": "e = 1\n"})

        assert ["d.py"] == [path.name for path in outside.iterdir()]
        assert ["c.py", "e.py"] == sorted(path.name for path in (opened.tree / "pkg").iterdir())


def test_no_full_disk_leaves_half_a_file_of_ours(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(path: Path, text: str) -> int:
        with path.open("w") as stream:
            stream.write(text[: len(text) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with workspace("x") as opened:
        stamps = Stamps(opened.root / "stamps.json")
        stamps.write("built", "a")
        before = refresh(opened, checkout(project), {})
        with monkeypatch.context() as full:
            full.setattr(Path, "write_text", half)
            for change in (
                lambda: refresh(opened, checkout(project), {}),
                lambda: stamps.write("built", "b"),
            ):
                with pytest.raises(OSError, match="No space left"):
                    change()
        assert ("a", before) == (stamps.read("built"), refresh(opened, checkout(project), {}))


def test_equal_files_are_not_written_again(project: Path) -> None:
    with workspace("x") as opened:
        refresh(opened, checkout(project), {"a.py": "a = 2\n"})
        os.utime(opened.tree / "a.py", (1, 1))
        os.utime(opened.tree / "b.py", (1, 1))
        refresh(opened, checkout(project), {"a.py": "a = 2\n"})
        assert [1.0, 1.0] == [(opened.tree / name).stat().st_mtime for name in ("a.py", "b.py")]


def test_what_takes_the_place_of_a_patch_is_newer_than_what_was_built_from_it(project: Path) -> None:
    """Maven keeps a class whose source is older: there the probes of a former patch went on counting."""
    os.utime(project / "a.py", (1, 1))
    with workspace("x") as opened:
        refresh(opened, checkout(project), {"a.py": "a = 2\n"})
        built = opened.tree / "a.class"
        built.write_text("built")
        refresh(opened, checkout(project), {})
        assert built.stat().st_mtime <= (opened.tree / "a.py").stat().st_mtime
        (opened.tree / "a.py").unlink()
        (opened.tree / "a.py").symlink_to(built)
        refresh(opened, checkout(project), {})
        assert built.stat().st_mtime <= (opened.tree / "a.py").lstat().st_mtime


def test_a_read_only_checkout_is_read_and_its_copy_is_writable(project: Path) -> None:
    for path in project.iterdir():
        path.chmod(0o444)
    project.chmod(0o555)
    try:
        with workspace("x") as opened:
            refresh(opened, checkout(project), {})
            assert os.access(opened.tree / "a.py", os.W_OK)
            assert 0o200 & (opened.tree / "a.py").stat().st_mode
    finally:
        project.chmod(0o755)


def test_two_commands_do_not_share_a_workspace(project: Path) -> None:
    with workspace("x"), pytest.raises(UnfitEnvironmentError, match="another abs-audit is working"):  # noqa: SIM117
        with workspace("x"):
            pass


def test_what_is_written_while_temporary_files_are_removed_goes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 123 commands killed in Go one left a folder, perhaps for what it had started."""
    remove, late = shutil.rmtree, iter(("compiled", "linked"))

    def beaten(folder: Path, **options: bool) -> None:
        remove(folder, **options)
        if name := next(late, ""):
            folder.mkdir()
            (folder / name).touch()

    monkeypatch.setattr(workspaces, "REMOVAL_S", 0.0)
    with workspace("k") as opened:
        monkeypatch.setattr(shutil, "rmtree", beaten)
    assert not opened.temporary.exists()


def test_the_digest_changes_with_uncommitted_contents_and_only_with_them(project: Path) -> None:
    before = checkout(project).digest
    os.utime(project / "a.py", (5, 5))
    assert before == checkout(project).digest
    (project / "a.py").write_text("a = 3\n")
    assert before != checkout(project).digest


def test_what_our_own_commands_write_into_a_checkout_leaves_its_digest_as_it_is(project: Path) -> None:
    """Else `abs-audit audit; abs-audit report` in one folder finds nothing recorded: the page is new."""
    before = checkout(project)
    (project / "abs-audit.html").write_text(render(AuditReport(version="1")))
    traced = TraceDocument(caller="direct", methods=[], downstreams=[], warnings=[])
    (project / "methods.json").write_text(dumps(traced))
    (project / "stubs.patch").write_text(unified({"c.py": Change(before=None, after="c = 1\n")}, "", "lib"))
    (project / "empty.patch").touch()
    (project / "score.json").touch()
    with contextlib.closing(Session(project / "shard.db")) as session:
        session.describe_context("x", {"subject": "lib"})
        assert before == checkout(project)
    assert before == checkout(project)
    (project / "data.json").write_text("{}")
    assert before != checkout(project)


def test_what_our_own_commands_print_into_a_checkout_leaves_its_digest_as_it_is(project: Path) -> None:
    """After `abs-audit score . > out.txt` the next command found nothing recorded: there was a file more."""
    before = checkout(project)
    printed, remarks = project / "out.txt", project / "remarks.txt"
    digest = "from abs_audit.execution.workspace import checkout; print(checkout(Path('.')).digest)"
    with printed.open("w") as out, remarks.open("w") as err:
        subprocess.run(
            [sys.executable, "-c", f"from pathlib import Path; {digest}"],
            cwd=project,
            stdout=out,
            stderr=err,
            check=True,
        )
    assert f"{before.digest}\n" == printed.read_text()
    printed.unlink()

    with printed.open("w") as out, remarks.open("w") as err:
        subprocess.run([PROGRAM, "config", "show"], cwd=project, stdout=out, stderr=err, check=True)
    assert printed.stat().st_size > 0 == remarks.stat().st_size
    assert before == checkout(project)

    copied = project / "notes.txt"
    copied.write_text(printed.read_text())
    assert before != checkout(project)
    copied.unlink()
    printed.write_text("edited")
    assert before != checkout(project)


def test_ignored_files_stay_out_and_new_ones_come_in(project: Path) -> None:
    for arguments in (["init", "-q"], ["add", "a.py"]):
        subprocess.run(["git", *arguments], cwd=project, check=True)
    (project / ".gitignore").write_text("b.py\n")
    (project / "new.py").write_text("")
    index = (project / ".git" / "index").read_bytes()
    names = sorted(path.as_posix() for path in checkout(project).files)
    assert [".gitignore", "a.py", "new.py"] == names
    assert index == (project / ".git" / "index").read_bytes()


def test_sources_that_are_not_text_are_left_out(project: Path) -> None:
    (project / "c.py").write_bytes(b"\xff\xfe\x00")
    assert {"a.py": "a = 1\n", "b.py": "b = 1\n"} == source_tree(checkout(project), (".py",))


def test_links_are_copied_as_links(project: Path) -> None:
    (project / "link.py").symlink_to("a.py")
    with workspace("x") as opened:
        refresh(opened, checkout(project), {})
        assert Path("a.py") == (opened.tree / "link.py").readlink()
        assert "a = 1\n" == (opened.tree / "a.py").read_text()


def test_our_settings_are_copied_and_no_part_of_the_digest(project: Path) -> None:
    (project / "library.py").write_text("x = 1\n")
    before = checkout(project)
    (project / "abs-audit.toml").write_text("budget = 3\n")
    after = checkout(project)
    assert before.digest == after.digest
    assert Path("abs-audit.toml") in after.files
