"""Git repositories are read: what stands in them, what differs; nothing of theirs runs, none is changed."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from abs_audit.errors import UsageError
from abs_audit.execution import repository
from abs_audit.model.change import FileChange, Hunk
from abs_audit.model.experiment import Command, Execution
from tests.support.executions import ended
from tests.support.repositories import Commit, git, made

TWO_LINES = "first\nsecond\n"


def cloning(command: Command) -> Execution:
    """Execute git as an executor would."""
    done = subprocess.run(command.argv, cwd=command.cwd, env=command.env, capture_output=True, check=False)
    return ended(done.returncode, log=done.stderr.decode())


def state(root: Path) -> dict[str, bytes]:
    """Everything in a repository that a command could have written."""
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_question_to_git_is_answered_and_one_that_fails_is_not(tmp_path: Path) -> None:
    ids = made(tmp_path, [Commit(parents=[], files={"a": ""})])
    assert f"{ids[0]}\n" == repository.ask(tmp_path, "rev-parse", "HEAD")
    assert None is repository.ask(tmp_path, "rev-parse", "--verify", "nothing")


def test_bytes_that_are_no_text_do_not_end_a_question(tmp_path: Path) -> None:
    made(tmp_path, [Commit(parents=[], files={"a": ""})])
    name = ["-c", "user.name=a", "-c", "user.email=b", "-c", "i18n.commitEncoding=latin-1"]
    title = os.fsdecode(b"caf\xe9")
    subprocess.run(["git", *name, "commit", "-q", "--allow-empty", "-m", title], cwd=tmp_path, check=True)
    told = repository.ask(tmp_path, "cat-file", "commit", "HEAD")
    assert told is not None
    assert "caf\ufffd" in told


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (lambda root: made(root, [Commit(parents=[], files={"a": ""})])[0], True),
        (lambda root: git(root, "init", "-q"), None),
        (lambda root: None, None),
    ],
    ids=["checked out", "before the first commit", "outside git"],
)
def test_the_commit_is_that_which_is_checked_out(
    tmp_path: Path, prepare: Callable[[Path], str | None], expected: bool | None
) -> None:
    first = prepare(tmp_path)
    assert (first if expected else None) == repository.commit(tmp_path)


def test_files_are_those_that_git_tracks_or_would_track(tmp_path: Path) -> None:
    made(tmp_path, [Commit(parents=[], files={".gitignore": "*.log\n", "kept.py": "", "gone.py": ""})])
    (tmp_path / "gone.py").unlink()
    (tmp_path / "new.py").write_text("")
    (tmp_path / "noise.log").write_text("")
    (tmp_path / "link.py").symlink_to("nowhere")
    for folder in repository.LEFT_OUT - {".git"}:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.py").write_text("")

    assert [".gitignore", "kept.py", "link.py", "new.py"] == [
        str(path) for path in repository.files(tmp_path)
    ]


def test_files_of_a_folder_in_a_repository_are_named_from_that_folder(tmp_path: Path) -> None:
    made(tmp_path, [Commit(parents=[], files={"lib/a.py": "", "other/b.py": ""})])
    assert [Path("a.py")] == repository.files(tmp_path / "lib")


def test_a_folder_is_told_from_the_top_of_its_repository(tmp_path: Path) -> None:
    assert None is repository.folder(tmp_path)
    made(tmp_path / "lib", [Commit(parents=[], files={"deep/er/a.py": ""})])
    assert ["", "deep/", "deep/er/"] == [
        repository.folder(tmp_path / "lib" / below) for below in ("", "deep", "deep/er")
    ]


def test_files_of_a_submodule_are_files_of_the_checkout(tmp_path: Path) -> None:
    made(tmp_path, [Commit(parents=[], files={"a.py": ""})])
    made(tmp_path / "inner", [Commit(parents=[], files={"deep/b.py": ""})])
    git(
        tmp_path,
        "update-index",
        "--add",
        "--cacheinfo",
        f"160000,{repository.commit(tmp_path / 'inner')},inner",
    )
    assert ["a.py", "inner/deep/b.py"] == [str(path) for path in repository.files(tmp_path)]


def test_outside_git_all_files_count_but_environments_and_what_tools_keep(tmp_path: Path) -> None:
    for name in ("a.py", "deep/b.py", "env/pyvenv.cfg", "env/lib.py", "node_modules/c.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert ["a.py", "deep/b.py", "loop"] == [str(path) for path in repository.files(tmp_path)]


def test_a_name_that_is_no_text_is_a_file_as_well(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("")
    assert [b"caf\xe9.py"] == [os.fsencode(path) for path in repository.files(tmp_path)]


def test_contents_are_those_that_are_stored_whatever_filters_are_configured(tmp_path: Path) -> None:
    made(
        tmp_path,
        [Commit(parents=[], files={".gitattributes": "*.py filter=shout eol=crlf\n", "a.py": TWO_LINES})],
    )
    git(tmp_path, "config", "filter.shout.smudge", "tr a-z A-Z")
    blob = git(tmp_path, "rev-parse", "HEAD:a.py").strip()
    assert [(blob, TWO_LINES.encode())] == list(repository.contents(tmp_path, [blob]))


def test_an_object_that_is_missing_is_told_with_what_fetches_it(tmp_path: Path) -> None:
    made(tmp_path, [Commit(parents=[], files={"a.py": ""})])
    with pytest.raises(UsageError, match=r"does not hold the object 0{40}.*git fetch --refetch"):
        list(repository.contents(tmp_path, ["0" * 40]))


def test_no_repository_has_no_contents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a git repository"):
        list(repository.contents(tmp_path, ["0" * 40]))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": TWO_LINES}, {"a": "first\nother\n"}, ("a", "a", [(range(2, 3), range(2, 3))])),
        ({"a": TWO_LINES}, {"a": f"{TWO_LINES}third\n"}, ("a", "a", [(range(2, 2), range(3, 4))])),
        ({"a": TWO_LINES}, {"a": "second\n"}, ("a", "a", [(range(1, 2), range(0, 0))])),
        ({"a": "@@ -1 +1 @@\n"}, {"a": "@@ -9 +9 @@\n"}, ("a", "a", [(range(1, 2), range(1, 2))])),
        ({}, {"new": TWO_LINES}, (None, "new", [(range(0, 0), range(1, 3))])),
        ({"old": TWO_LINES}, {}, ("old", None, [(range(1, 3), range(0, 0))])),
        ({"a": "\0"}, {"a": "\0\0"}, ("a", "a", [])),
    ],
    ids=["a line", "more", "fewer", "lines like headers", "new", "gone", "no text"],
)
def test_differences_are_hunks_of_lines(
    tmp_path: Path,
    before: dict[str, str],
    after: dict[str, str],
    expected: tuple[str | None, str | None, list[tuple[range, range]]],
) -> None:
    kept = {"kept": ""}
    ids = made(tmp_path, [Commit(parents=[], files=kept | before), Commit(parents=[0], files=kept | after)])
    old, new, hunks = expected
    change = FileChange(
        before=old, after=new, hunks=tuple(Hunk(before=gone, after=come) for gone, come in hunks)
    )
    assert [change] == list(repository.differences(tmp_path, *ids))


def test_nothing_that_a_repository_configures_runs_and_nothing_in_it_changes(tmp_path: Path) -> None:
    root, witness = tmp_path / "lib", tmp_path / "witness"
    ids = made(root, [Commit(parents=[], files={"a.py": "a\n"}), Commit(parents=[0], files={"a.py": "b\n"})])
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {witness}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "diff.shout.textconv"):
        git(root, "config", key, str(program))
    (root / ".git" / "info" / "attributes").write_text("*.py diff=shout\n")
    for hook in ("post-checkout", "post-index-change"):
        (root / ".git" / "hooks" / hook).write_bytes(program.read_bytes())
        (root / ".git" / "hooks" / hook).chmod(0o755)
    # An index that git would like to refresh.
    os.utime(root / "a.py", (1, 1))
    before = state(root)

    repository.files(root)
    repository.commit(root)
    repository.ask(root, "status")
    assert list(repository.differences(root, *ids))

    assert (before, False) == (state(root), witness.exists())


def test_a_clone_is_the_newest_commit_and_does_not_know_where_it_came_from(tmp_path: Path) -> None:
    ids = made(tmp_path / "lib", [Commit(parents=[]), Commit(parents=[0], files={"a.py": ""})])
    repository.clone(f"file://{tmp_path / 'lib'}", tmp_path / "copy", cloning)
    assert ids[-1] == repository.commit(tmp_path / "copy")
    assert "1" == (repository.ask(tmp_path / "copy", "rev-list", "--count", "HEAD") or "").strip()
    assert "" == repository.ask(tmp_path / "copy", "remote")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("--upload-pack=touch x", "cannot begin with a dash"),
        ("file:///nowhere.git", "expected a git repository that can be cloned; git said: .*nowhere"),
        ("ext::sh -c touch% x", "git said: .*ext"),
    ],
)
def test_what_cannot_be_cloned_is_told_with_gits_own_words(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        repository.clone(url, tmp_path / "copy", cloning)


def test_a_clone_that_hangs_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="git had not ended after 1800 s"):
        repository.clone(
            "https://example.org/lib.git", tmp_path / "copy", lambda _: ended(-9, timed_out=True)
        )
