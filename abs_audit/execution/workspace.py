"""Copies of a subject: the only folders where its code is built and run."""

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import filelock

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution import own_files, repository
from abs_audit.execution.leftovers import end_leftovers
from abs_audit.model.experiment import Workspace

MANIFEST = "manifest.json"
LOCK = "lock"
"""Held while somebody works in a workspace; its time says when that was last."""
SUBJECT = "subject"
"""Names the checkout that a workspace is a copy of."""
SETTINGS = "abs-audit.toml"
"""Our own file in a checkout."""
REMOVALS, REMOVAL_S = 20, 0.1
"""Tries to remove a folder, and the seconds between two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The user's checkout as it stands, uncommitted changes included."""

    root: Path
    files: tuple[Path, ...]
    digest: str


def checkout(root: Path) -> Checkout:
    """Read which files make up the checkout and the digest of their contents.

    What our own commands wrote into it is no part of it. Our settings are copied, but not of the digest: what
    of them matters to an answer is a part of its context.
    """
    if cache_root().resolve().is_relative_to(root.resolve()):
        raise UsageError(
            f"{cache_root()}: lies in the checkout, so that copies would hold copies; "
            "name a folder outside of it with ABS_AUDIT_CACHE"
        )
    printed, top = own_files.Printed(outputs()), root.resolve()
    digest, files = hashlib.sha256(), list[Path]()
    for path in repository.files(root):
        if own_files.is_marked(root / path):
            continue
        content = own_files.content(root / path)
        if printed.has(top / path, content):
            continue
        files.append(path)
        if path.name != SETTINGS:
            digest.update(os.fsencode(path) + b"\0" + content)
    return Checkout(root=root, files=tuple(files), digest=digest.hexdigest())


def source_tree(source: Checkout, suffixes: Sequence[str]) -> dict[str, str]:
    """Read the texts that a language is interested in; what is not UTF-8 is left out."""
    tree: dict[str, str] = {}
    for path in source.files:
        whole = source.root / path
        if path.name.endswith(tuple(suffixes)) and whole.is_file():
            with contextlib.suppress(UnicodeDecodeError), whole.open(encoding="utf-8", newline="") as stream:
                tree[path.as_posix()] = stream.read()
    return tree


def cache_root() -> Path:
    """Return where workspaces live: never inside a checkout, whose configuration would leak in."""
    own = os.environ.get("ABS_AUDIT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(own) if own else Path(base) / "abs-audit").absolute()


def outputs() -> Path:
    """Return the folder that tells which files commands printed into."""
    return cache_root() / "outputs"


def workspaces() -> Path:
    """Return the folder whose entries are the workspaces."""
    return cache_root() / "workspaces"


def is_workspace(folder: Path) -> bool:
    """Tell whether a folder is a whole workspace."""
    return folder.parent in {workspaces(), workspaces().resolve()}


def discard(key: str) -> None:
    """Remove the workspace of a key, unless somebody works in it."""
    if _place(key).exists():
        remove(_place(key))


def remove(root: Path) -> bool:
    """Remove a workspace, unless somebody works in it; tell whether it is gone."""
    with contextlib.suppress(filelock.Timeout), filelock.FileLock(root / LOCK).acquire(timeout=0):
        shutil.rmtree(root, ignore_errors=True)
        return True
    return False


def _place(key: str) -> Path:
    return workspaces() / hashlib.sha256(key.encode()).hexdigest()[:16]


@contextlib.contextmanager
def workspace(key: str, *, unprobed: bool = False) -> Iterator[Workspace]:
    """Open the workspace of a key for one user at a time; raise where another process has it.

    `unprobed`: with the second of its copies.
    """
    root = _place(key)
    opened = Workspace(root=root, unprobed=unprobed)
    # Whoever leaves it may be another thread.
    lock = filelock.FileLock(root / LOCK, thread_local=False)
    try:
        _make_folders(opened)
        with lock.acquire(timeout=0):
            os.utime(root / LOCK)
            (root / SUBJECT).write_text(key.partition("\0")[0], encoding="utf-8", errors="replace")
            end_leftovers(root)
            shutil.rmtree(opened.results)
            opened.results.mkdir()
            with _temporary(opened.temporary):
                try:
                    yield opened
                except BaseException:
                    # A signal may come while a command is being started, and nobody has it in hand yet.
                    end_leftovers(root)
                    raise
    except filelock.Timeout as error:
        raise UnfitEnvironmentError(
            f"another abs-audit is working on this subject ({root}); wait for it or stop it"
        ) from error


def _make_folders(made: Workspace) -> None:
    try:
        for folder in (made.tree, made.home, made.results):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnfitEnvironmentError(
            f"{error.filename}: cannot make this folder ({error.strerror}); "
            "name another one for copies of subjects with ABS_AUDIT_CACHE"
        ) from error


@contextlib.contextmanager
def _temporary(folder: Path) -> Iterator[None]:
    """Have an empty folder for temporary files, and leave none."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    try:
        yield
    finally:
        for _ in range(REMOVALS):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            # Of what was killed something may be writing still.
            time.sleep(REMOVAL_S)


def refresh(target: Workspace, source: Checkout, patch: Mapping[str, str]) -> str:
    """Bring the copy to the state of the checkout plus the patch; return the digest of that state.

    Files that a build has added to the copy stay; files that left the checkout or the patch go.
    """
    manifest = target.beside(MANIFEST)
    copied: list[str] = json.loads(manifest.read_text()) if manifest.exists() else []
    wanted = {path.as_posix() for path in source.files} | set(patch)
    for name in set(copied) - wanted:
        if not any((target.tree / folder).is_symlink() for folder in Path(name).parents):
            (target.tree / name).unlink(missing_ok=True)
    _open_folders(target.tree, wanted)
    replace_whole(manifest, json.dumps(sorted(wanted)))
    for path in source.files:
        if path.as_posix() not in patch:
            _copy(source.root / path, target.tree / path)
    for name, text in patch.items():
        write(target.tree / name, text.encode("utf-8"))
    digest = hashlib.sha256(source.digest.encode())
    for name in sorted(patch):
        digest.update(f"{name}\0{patch[name]}\0".encode())
    return digest.hexdigest()


def replace_whole(path: Path, text: str) -> None:
    """Write a file that is the old or the new one, whatever ends us: half of one would be none ever after."""
    beginning = path.with_name(f"{path.name}.new")
    beginning.write_text(text)
    beginning.replace(path)


def _open_folders(tree: Path, names: Iterable[str]) -> None:
    """Make the folders of files; code that executed in the copy may have put links in their place.

    A link would lead what we write out of the copy, to where that code itself could not write.
    """
    for folder in sorted({folder for name in names for folder in Path(name).parents}):
        path = tree / folder
        if path.is_symlink() or path.is_file():
            path.unlink()
        path.mkdir(exist_ok=True)


def _copy(origin: Path, copy: Path) -> None:
    """Copy unless equal, so that build tools see only real changes.

    What takes the place of something else is new, whatever time it has in the checkout: Maven takes what is
    older than its classes for unchanged, and would keep those of a patch that has gone.
    """
    replaces = os.path.lexists(copy)
    if copy.is_symlink() or (origin.is_symlink() and copy.exists()):
        copy.unlink()
    if origin.is_symlink():
        copy.symlink_to(origin.readlink())
    elif not (copy.is_file() and copy.read_bytes() == origin.read_bytes()):
        copy.unlink(missing_ok=True)
        shutil.copy2(origin, copy)
        copy.chmod(copy.stat().st_mode | 0o200)
        if replaces:
            os.utime(copy)


def write(copy: Path, content: bytes) -> None:
    """Write a file unless it is that already, as a copy is made; a link is replaced, not followed."""
    if not (copy.is_file() and not copy.is_symlink() and copy.read_bytes() == content):
        copy.unlink(missing_ok=True)
        copy.write_bytes(content)
