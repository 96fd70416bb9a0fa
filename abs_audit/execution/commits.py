"""Commits of the user's repository: which lie between two, what one holds, what one changed. Reads only."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from abs_audit.errors import UsageError
from abs_audit.execution import repository
from abs_audit.execution.workspace import Checkout
from abs_audit.grouping import grouped
from abs_audit.model.change import FileChange

LFS = b"version https://git-lfs.github.com/spec/v1"
UNWANTED_PARTS = {"", ".", "..", ".git"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCommit:
    """One commit as the repository tells of it."""

    id: str
    parents: tuple[str, ...]
    date: str
    """Of the committer, ISO 8601."""
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Two commits and what lies between them."""

    root: Path
    """The subject: the top of the repository or a folder in it."""
    folder: str
    """That folder relative to the top, with a slash at its end; empty at the top."""
    good: ListedCommit
    commits: tuple[ListedCommit, ...]
    """The bad commit and its ancestors without the good one and its ancestors; parents come first."""

    @property
    def bad(self) -> ListedCommit:
        """The commit with the regression."""
        return self.commits[-1]

    @property
    def listed(self) -> dict[str, ListedCommit]:
        """All commits by their ids, the good one first."""
        return {commit.id: commit for commit in (self.good, *self.commits)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(Checkout):
    """The files of one commit, in a folder of ours."""

    remarks: tuple[str, ...]
    """What the commit names but does not hold: submodules, contents in large-file storage."""


def period(root: Path, good: str, bad: str) -> Period:
    """Return what lies between two revisions; raise UsageError where that cannot be searched."""
    folder = repository.folder(root)
    if folder is None:
        raise UsageError(f"{root}: expected a git repository, whose history can be searched")
    first, last = _resolved(root, "--good", good), _resolved(root, "--bad", bad)
    if first == last:
        raise UsageError(f"--good {good} and --bad {bad} are the same commit {first[:12]}; name two")
    _require_ancestor(root, (good, first), (bad, last))
    commits = tuple(_listed(root, last, "--not", first))
    _require_whole(root, commits)
    (start,) = _listed(root, first, "--no-walk")
    return Period(root=root, folder=folder, good=start, commits=commits)


def _resolved(root: Path, option: str, revision: str) -> str:
    resolved = None
    if not revision.startswith("-"):
        resolved = repository.ask(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if resolved is None:
        deepen = "; this clone is shallow: git fetch --unshallow" if _is_shallow(root) else ""
        raise UsageError(
            f"{option} {revision}: no such commit in {root}; see what there is with: git log --oneline --all"
            f"{deepen}"
        )
    return resolved.strip()


def _is_shallow(root: Path) -> bool:
    return (repository.ask(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true"


def _require_ancestor(root: Path, good: tuple[str, str], bad: tuple[str, str]) -> None:
    """Raise UsageError, with the way out, unless the good commit is an ancestor of the bad one."""
    base = (repository.ask(root, "merge-base", good[1], bad[1]) or "").strip()
    if base == good[1]:
        return
    problem = f"--good {good[0]} is not an ancestor of --bad {bad[0]}"
    if base == bad[1]:
        raise UsageError(f"{problem}, but the other way round: exchange them, or look for an improvement")
    if not base and _is_shallow(root):
        raise UsageError(f"{problem} as far as this shallow clone reaches; deepen it: git fetch --unshallow")
    if not base:
        raise UsageError(f"{problem}: their histories are unrelated, so no commit lies between them")
    raise UsageError(
        f"{problem}: both come from {base[:12]}; if that is fast, search with: --good {base[:12]}"
    )


def _require_whole(root: Path, commits: tuple[ListedCommit, ...]) -> None:
    """Raise UsageError where a shallow clone cuts off parents of commits that are to be searched."""
    if not _is_shallow(root):
        return
    cut = [commit.id for commit in commits if not commit.parents]
    if cut:
        raise UsageError(
            f"this clone is shallow: what comes before {cut[0][:12]} is missing, and the cause may be there; "
            "deepen it with: git fetch --unshallow"
        )


def _listed(root: Path, *revisions: str) -> Iterator[ListedCommit]:
    printed = repository.ask(
        root, "log", "--topo-order", "--reverse", "--format=%H%x00%P%x00%cI%x00%s", "-z", *revisions, "--"
    )
    if printed is None:
        raise UsageError(f"{root}: git cannot list the commits between the two; check it with: git fsck")
    fields = printed.rstrip("\0").split("\0")
    for start in range(0, len(fields) - 3, 4):
        name, parents, date, title = fields[start : start + 4]
        yield ListedCommit(id=name, parents=tuple(parents.split()), date=date, title=title)


def export(period: Period, commit: str, target: Path) -> Tree:
    """Write the files of a commit into a folder, which is made unless it is there already.

    Contents are read as they are stored: no filter, no attribute and no hook of the repository acts on
    them, and neither its index nor its list of worktrees is touched.
    """
    entries = list(_entries(period.root, commit, period.folder))
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        _write(period.root, entries, unfinished)
        unfinished.rename(target)
    held = [entry for entry in entries if entry.mode != "160000"]
    digest = hashlib.sha256("\0".join(f"{entry.mode} {entry.blob} {entry.path}" for entry in held).encode())
    return Tree(
        root=target,
        files=tuple(sorted(Path(entry.path) for entry in held)),
        digest=digest.hexdigest(),
        remarks=tuple(_remarks(target, entries)),
    )


def common_commit(root: Path, option: str, revision: str) -> str:
    """Return the commit that HEAD and the revision both come from; mostly that is the revision itself."""
    if repository.folder(root) is None:
        raise UsageError(f"{option} {revision}: {root} is no git repository, so nothing tells what changed")
    commit = _resolved(root, option, revision)
    return (repository.ask(root, "merge-base", "HEAD", commit) or "").strip() or commit


def authored(root: Path, commit: str) -> str:
    """Return when the author made a commit, ISO 8601."""
    return (repository.ask(root, "show", "--no-patch", "--format=%aI", commit) or "").strip()


def texts_at(root: Path, revision: str, suffixes: Sequence[str]) -> dict[str, str]:
    """Return the sources of a commit: path relative to `root` → text; what is not UTF-8 is left out.

    Where HEAD and the commit have gone apart, what counts is the commit that both come from, as for a pull
    request. Raises UsageError where there is no such commit.
    """
    base = common_commit(root, "--since", revision)
    entries = _entries(root, base, repository.folder(root) or "")
    sources = (entry for entry in entries if entry.path.endswith(tuple(suffixes)))
    paths = grouped((entry.blob, entry.path) for entry in sources if entry.mode not in {"120000", "160000"})
    texts: dict[str, str] = {}
    for blob, content in repository.contents(root, paths):
        with contextlib.suppress(UnicodeDecodeError):
            texts |= dict.fromkeys(paths[blob], content.decode())
    return texts


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    blob: str
    path: str


def _entries(root: Path, commit: str, folder: str) -> Iterator[_Entry]:
    """Yield what a folder of a commit holds, as far as it can be written safely."""
    listing = repository.ask(root, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{folder}") or ""
    for line in filter(None, listing.split("\0")):
        about, _, path = line.partition("\t")
        mode, _, blob = about.split()
        if not UNWANTED_PARTS & set(PurePosixPath(path).parts) and not path.startswith("/"):
            yield _Entry(mode, blob, path)


def _write(root: Path, entries: list[_Entry], target: Path) -> None:
    places = grouped((entry.blob, entry) for entry in entries if entry.mode != "160000")
    for blob, content in repository.contents(root, places):
        for entry in places[blob]:
            path = target / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            if entry.mode == "120000":
                path.symlink_to(os.fsdecode(content))
            else:
                path.write_bytes(content)
                path.chmod(0o755 if entry.mode == "100755" else 0o644)


def _remarks(target: Path, entries: list[_Entry]) -> Iterator[str]:
    modules = [entry.path for entry in entries if entry.mode == "160000"]
    if modules:
        yield f"submodules are left out, the commit does not hold them: {', '.join(modules)}"
    stored = [entry.path for entry in entries if _is_pointer(target / entry.path)]
    if stored:
        yield f"contents in large-file storage are left out, only pointers are there: {', '.join(stored)}"


def _is_pointer(path: Path) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1024:
        return False
    return path.read_bytes().startswith(LFS)


def changes(period: Period, before: str, after: str) -> tuple[FileChange, ...]:
    """Return what changed between two commits below the subject's folder, file by file."""
    inside = (
        replace(file, before=_inside(period.folder, file.before), after=_inside(period.folder, file.after))
        for file in repository.differences(period.root, before, after)
    )
    return tuple(file for file in inside if file.before or file.after)


def _inside(folder: str, path: str | None) -> str | None:
    """Return the path relative to the subject's folder, None where it lies outside."""
    return path.removeprefix(folder) if path is not None and path.startswith(folder) else None
