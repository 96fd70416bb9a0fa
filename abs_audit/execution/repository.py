"""Reads git repositories; the user's checkout, index and worktree list stay untouched."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import git

from abs_audit.errors import UsageError
from abs_audit.model.change import FileChange, Hunk
from abs_audit.model.experiment import Command, Execution

CLONING_S = 1800.0
# A line of the text itself begins with a sign, never with @.
HEADER = re.compile(r"(?m)^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# Nothing that a repository's own configuration names may run, and no lock may be taken in it.
SAFE = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_COUNT": "4",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "GIT_CONFIG_VALUE_0": os.devnull,
    "GIT_CONFIG_KEY_1": "core.fsmonitor",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_CONFIG_KEY_2": "safe.directory",
    "GIT_CONFIG_VALUE_2": "*",
    "GIT_CONFIG_KEY_3": "protocol.ext.allow",
    "GIT_CONFIG_VALUE_3": "never",
}
LEFT_OUT = {".git", ".hg", ".abs-audit", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"}


def _open(root: Path) -> git.Repo | None:
    try:
        repository = git.Repo(root, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        return None
    repository.git.update_environment(**SAFE)
    return repository


def ask(root: Path, *arguments: str) -> str | None:
    """Return what a git command that only reads prints, None where it fails."""
    printed = _printed(root, *arguments)
    # Bytes that are no UTF-8 occur in the names of authors and in titles.
    return None if printed is None else printed.decode("utf-8", "replace")


def _printed(root: Path, *arguments: str) -> bytes | None:
    here = git.Git(root)
    here.update_environment(**SAFE)
    try:
        printed = here.execute(["git", *arguments], stdout_as_string=False, strip_newline_in_stdout=False)
    except git.GitCommandError:
        return None
    return bytes(printed)


def contents(root: Path, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield id and content of each blob; raise UsageError for one that the repository does not hold."""
    repository = _open(root)
    if repository is None:
        raise UsageError(f"{root}: expected a git repository")
    for blob in blobs:
        try:
            _, _, _, stream = repository.git.stream_object_data(blob)
            yield blob, stream.read()
        except (ValueError, git.GitCommandError) as error:
            raise UsageError(
                f"{root}: the repository does not hold the object {blob} (a partial clone?); "
                "fetch it whole with: git fetch --refetch --no-filter"
            ) from error


def differences(root: Path, before: str, after: str) -> Iterator[FileChange]:
    """Yield what became of files between two commits; neither filters nor external programs act.

    Paths begin at the top of the repository.
    """
    repository = _open(root)
    assert repository is not None
    options: dict[str, Any] = {"unified": 0, "no_textconv": True, "ignore_submodules": True}
    for difference in repository.commit(before).diff(after, create_patch=True, **options):
        patch = (
            difference.diff.decode("utf-8", "replace")
            if isinstance(difference.diff, bytes)
            else difference.diff or ""
        )
        yield FileChange(
            before=None if difference.new_file else difference.a_path,
            after=None if difference.deleted_file else difference.b_path,
            hunks=tuple(
                Hunk(before=_lines(*match.group(1, 2)), after=_lines(*match.group(3, 4)))
                for match in HEADER.finditer(patch)
            ),
        )


def _lines(begin: str, size: str | None) -> range:
    count = 1 if size is None else int(size)
    return range(int(begin), int(begin) + count)


def commit(root: Path) -> str | None:
    """Return the checked-out commit, or None outside git and before the first commit."""
    head = ask(root, "rev-parse", "--verify", "HEAD")
    return head and head.strip()


def folder(root: Path) -> str | None:
    """Return a folder relative to the top of its repository, ending with a slash; None outside git."""
    prefix = ask(root, "rev-parse", "--show-prefix")
    return prefix and prefix.strip("\n")


def files(root: Path) -> list[Path]:
    """List what makes up the checkout, relative to `root`: tracked and untracked, not the ignored."""
    # The checkout may be a folder of a larger repository; git names files from that folder then.
    listed = _printed(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        return sorted(_walk(root, Path()))
    return sorted(_expand(root, [Path(os.fsdecode(name)) for name in listed.split(b"\0") if name]))


def _expand(root: Path, listed: list[Path]) -> set[Path]:
    """Replace submodules (listed as directories) by their files; drop what was deleted."""
    files: set[Path] = set()
    for path in listed:
        if LEFT_OUT & set(path.parts):
            continue
        whole = root / path
        if whole.is_dir() and not whole.is_symlink():
            files.update(_walk(root, path))
        elif whole.exists() or whole.is_symlink():
            files.add(path)
    return files


def _walk(root: Path, below: Path) -> Iterator[Path]:
    for entry in sorted((root / below).iterdir()):
        if entry.name in LEFT_OUT or (entry / "pyvenv.cfg").exists():
            continue
        path = below / entry.name
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(root, path)
        else:
            yield path


def clone(url: str, target: Path, execute: Callable[[Command], Execution]) -> None:
    """Copy a repository by URL into a folder, newest commit only; the copy does not know the URL.

    `execute` starts git, so that it ends with us.
    """
    if url.startswith("-"):
        raise UsageError(f"{url}: a git URL cannot begin with a dash; give a directory or a URL")
    program = git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git"
    cloning = Command(
        argv=(program, "clone", "--depth=1", "--no-hardlinks", "--", url, str(target)),
        cwd=Path.cwd(),
        # It is the user's own git, with the user's keys and helpers.
        env={**os.environ, **SAFE},
        limit_s=CLONING_S,
        network=True,
        purpose="cloning",
    )
    done = execute(cloning)
    if done.exit_code:
        raise UsageError(f"{url}: expected a git repository that can be cloned; {_reason(done)}")
    copy = git.Repo(target)
    # A URL may hold a password, which is not for the code that will be executed in the copy.
    copy.delete_remote(copy.remote())


def _reason(done: Execution) -> str:
    """Return what git and the other side said, without what git says in any case."""
    if done.timed_out:
        return f"git had not ended after {CLONING_S:g} s"
    lines = [line.strip() for line in done.log.splitlines() if not line.startswith("Cloning into")]
    return "git said: " + " ".join(line for line in lines if line)
