"""Periods, trees and changes of real repositories; and that reading leaves no trace."""

import os
import subprocess
from pathlib import Path

import pytest

from abs_audit.errors import UsageError
from abs_audit.execution import commits
from abs_audit.execution.commits import changes, export, period
from abs_audit.model.change import FileChange, Hunk
from tests.support.repositories import Commit, git, made

ONE = "def f():\n    return 1\n"


def simple(root: Path) -> list[str]:
    """A root, a branch of two, and a merge: 0 ← 1 ← 3 (merge) and 0 ← 2 ← 3."""
    return made(
        root,
        [
            Commit(parents=[], files={"lib.py": ONE}, message="begin"),
            Commit(parents=[0], files={"lib.py": ONE, "left.py": ""}, message="left\n\nat length"),
            Commit(parents=[0], files={"lib.py": ONE, "right.py": ""}),
            Commit(
                parents=[1, 2], files={"lib.py": ONE, "left.py": "", "right.py": ""}, message="Größe\ttab"
            ),
        ],
    )


def test_a_period_holds_the_bad_commit_and_what_leads_to_it_without_the_good_ones(tmp_path: Path) -> None:
    ids = simple(tmp_path)

    found = period(tmp_path, ids[0], "main")

    assert {ids[1], ids[2], ids[3]} == {one.id for one in found.commits}
    assert (ids[3], "Größe\ttab", tuple(ids[1:3])) == (found.bad.id, found.bad.title, found.bad.parents)
    assert (ids[0], "begin", (), "") == (found.good.id, found.good.title, found.good.parents, found.folder)


def test_what_a_merge_brought_in_from_before_the_good_commit_is_no_candidate(tmp_path: Path) -> None:
    ids = simple(tmp_path)

    assert [ids[2], ids[3]] == [one.id for one in period(tmp_path, ids[1], ids[3]).commits]


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("main", "nothing", "--bad nothing: no such commit in"),
        ("-c", "main", "--good -c: no such commit in"),
        ("main", "main", "are the same commit"),
        ("main", "main~1", "the other way round: exchange them"),
        ("c2", "c3", "is not an ancestor of --bad c3: both come from"),
        ("main", "alone", "their histories are unrelated"),
    ],
)
def test_two_commits_that_span_no_period_are_told_why(
    tmp_path: Path, good: str, bad: str, message: str
) -> None:
    simple(tmp_path)
    tree = git(tmp_path, "write-tree").strip()
    lonely = git(tmp_path, "-c", "user.name=a", "-c", "user.email=b", "commit-tree", tree, "-m", "x").strip()
    git(tmp_path, "branch", "alone", lonely)

    with pytest.raises(UsageError, match=message):
        period(tmp_path, good, bad)


def test_outside_of_git_there_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a git repository"):
        period(tmp_path, "a", "b")


def shallow(origin: Path, folder: Path, depth: int) -> Path:
    subprocess.run(
        ["git", "clone", "-q", "--no-local", f"--depth={depth}", f"file://{origin}", str(folder)], check=True
    )
    return folder


def test_a_shallow_clone_says_how_to_deepen_it(tmp_path: Path) -> None:
    ids = simple(tmp_path / "whole")
    clone = shallow(tmp_path / "whole", tmp_path / "clone", 1)

    with pytest.raises(UsageError, match="git fetch --unshallow"):
        period(clone, ids[0], "main")


def test_a_clone_that_is_cut_off_inside_the_period_is_refused(tmp_path: Path) -> None:
    """The good commit is there through the left branch, but what the right one comes from is not."""
    root = tmp_path / "whole"
    ids = made(
        root,
        [
            Commit(parents=[]),
            Commit(parents=[0]),
            Commit(parents=[1]),
            Commit(parents=[0]),
            Commit(parents=[2, 3]),
        ],
    )
    clone = shallow(root, tmp_path / "clone", 3)
    (clone / ".git" / "shallow").write_text(f"{ids[1]}\n{ids[3]}\n")

    with pytest.raises(UsageError, match="this clone is shallow: what comes before"):
        period(clone, ids[1], ids[4])


def state(root: Path) -> list[tuple[str, bytes]]:
    return [
        (str(path.relative_to(root)), path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file()
    ]


def test_exporting_leaves_checkout_index_and_worktrees_as_they_were_and_starts_no_hook(
    tmp_path: Path,
) -> None:
    root = tmp_path / "lib"
    ids = simple(root)
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../started\n")
    hook.chmod(0o755)
    (root / "lib.py").write_text("dirty")
    before = state(root)

    tree = export(period(root, ids[0], "main"), ids[1], tmp_path / "out")

    assert before == state(root)
    assert ["left.py", "lib.py"] == [str(path) for path in tree.files]
    assert ONE == (tmp_path / "out" / "lib.py").read_text()
    assert not (tmp_path / "started").exists()


def test_attributes_of_the_repository_do_not_act_on_an_export(tmp_path: Path) -> None:
    """`git archive` would leave the tests out and fill in the version."""
    files = {
        ".gitattributes": "tests/** export-ignore\nv.py export-subst text eol=crlf\n",
        "tests/test_it.py": "1\n",
        "v.py": "$Format:%H$\n",
    }
    ids = made(tmp_path / "lib", [Commit(parents=[]), Commit(parents=[0], files=files)])

    export(period(tmp_path / "lib", ids[0], ids[1]), ids[1], tmp_path / "out")

    assert {"tests/test_it.py": "1\n", "v.py": "$Format:%H$\n"} == {
        name: (tmp_path / "out" / name).read_bytes().decode() for name in ("tests/test_it.py", "v.py")
    }


def test_equal_trees_have_equal_digests_whatever_the_commit(tmp_path: Path) -> None:
    ids = made(
        tmp_path / "lib",
        [Commit(parents=[]), Commit(parents=[0], files={"a": "1"}), Commit(parents=[1], files={"a": "1"})],
    )
    found = period(tmp_path / "lib", ids[0], ids[2])

    one, two = (export(found, ids[place], tmp_path / str(place)) for place in (1, 2))

    assert one.digest == two.digest


def test_submodules_large_files_and_links_are_said_or_kept(tmp_path: Path) -> None:
    root = tmp_path / "lib"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (root / "big.bin").write_text(pointer)
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("run.sh")
    git(root, "add", ".")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/part")
    commit = ("-c", "user.name=a", "-c", "user.email=b", "commit", "-q")
    git(root, *commit, "-m", "one")
    git(root, *commit, "--allow-empty", "-m", "two")

    tree = export(period(root, "main~1", "main"), "main", tmp_path / "out")

    assert 2 == len(tree.remarks)
    assert "vendor/part" in tree.remarks[0]
    assert "big.bin" in tree.remarks[1]
    assert ("run.sh", True) == (
        str((tmp_path / "out" / "link").readlink()),
        os.access(tmp_path / "out" / "run.sh", os.X_OK),
    )


def test_a_subject_in_a_folder_of_the_repository_sees_its_folder_only(tmp_path: Path) -> None:
    root = tmp_path / "mono"
    ids = made(
        root,
        [
            Commit(parents=[], files={"other/x.py": "1\n", "lib/a.py": "1\n"}),
            Commit(parents=[0], files={"other/x.py": "2\n", "lib/a.py": "2\n"}),
        ],
    )
    found = period(root / "lib", ids[0], ids[1])

    assert ["a.py"] == [str(path) for path in export(found, ids[1], tmp_path / "out").files]
    assert (
        FileChange(before="a.py", after="a.py", hunks=(Hunk(before=range(1, 2), after=range(1, 2)),)),
    ) == (changes(found, ids[0], ids[1]))


def test_changes_tell_new_removed_moved_and_binary_files_apart(tmp_path: Path) -> None:
    long = "".join(f"line {number}\n" for number in range(30))
    before = {"kept.py": ONE, "gone.py": "1\n", "old name.py": long, "data.bin": "\0\1\n"}
    after = {"kept.py": ONE + "@@ -9 +9 @@\n", "fresh.py": "2\n", "new näme.py": long, "data.bin": "\0\2\n"}
    ids = made(tmp_path, [Commit(parents=[], files=before), Commit(parents=[0], files=after)])

    found = {(one.before, one.after): one.hunks for one in changes(period(tmp_path, *ids), *ids)}

    assert {
        ("kept.py", "kept.py"): (Hunk(before=range(3, 3), after=range(3, 4)),),
        ("gone.py", None): (Hunk(before=range(1, 2), after=range(1, 1)),),
        (None, "fresh.py"): (Hunk(before=range(1, 1), after=range(1, 2)),),
        ("old name.py", "new näme.py"): (),
        ("data.bin", "data.bin"): (),
    } == found


def test_an_interrupted_export_is_made_again(tmp_path: Path) -> None:
    ids = simple(tmp_path / "lib")
    (tmp_path / "out.unfinished").mkdir()
    (tmp_path / "out.unfinished" / "rubbish").touch()

    export(period(tmp_path / "lib", ids[0], ids[3]), ids[3], tmp_path / "out")

    assert not (tmp_path / "out" / "rubbish").exists()
    assert (tmp_path / "out" / "lib.py").exists()
    assert commits.LFS not in (tmp_path / "out" / "lib.py").read_bytes()
