"""Real git repositories made on the spot, fast: everything goes through one `git fast-import`."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Files = Mapping[str, str]
ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@dataclass(frozen=True)
class Commit:
    """One commit to make; parents are named by their position, the first one is followed."""

    parents: Sequence[int]
    files: Files = field(default_factory=dict)
    """All files of its tree: path → text."""
    message: str = "change"


def git(root: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=stdin.encode(),
        capture_output=True,
        check=True,
        env={**os.environ, **ENVIRONMENT},
    )
    return done.stdout.decode()


def imported(root: Path, parents: Sequence[Sequence[int]]) -> list[str]:
    """Make a repository of empty commits with these parents; return their ids."""
    return made(root, [Commit(parents=own) for own in parents])


def made(root: Path, commits: Sequence[Commit]) -> list[str]:
    """Make a repository in `root`, the last commit checked out on `main`; return the commits' ids."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    stream = "".join(_command(number, commit) for number, commit in enumerate(commits, start=1))
    ending = f"reset refs/heads/main\nfrom :{len(commits)}\n\n"
    git(root, "fast-import", "--quiet", "--export-marks=.git/marks", stdin=stream + ending)
    git(root, "reset", "-q", "--hard", "main")
    marks = dict(line.split() for line in (root / ".git" / "marks").read_text().splitlines())
    return [marks[f":{number}"] for number in range(1, len(commits) + 1)]


def _command(number: int, commit: Commit) -> str:
    who = f"A Committer <a@example.org> {1_600_000_000 + 60 * number} +0000"
    # Every commit has a branch of its own, so that none is lost.
    lines = [f"commit refs/heads/c{number}", f"mark :{number}", f"committer {who}", _data(commit.message)]
    lines += [f"{'merge' if place else 'from'} :{p + 1}" for place, p in enumerate(commit.parents)]
    lines.append("deleteall")
    lines += [f"M 100644 inline {path}\n{_data(text)}" for path, text in commit.files.items()]
    return "\n".join(lines) + "\n\n"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"
