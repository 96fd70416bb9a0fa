"""Where a downstream project comes from: a directory, an archive or a git URL; always copied."""

import lzma
import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.execution import repository
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.workspace import checkout

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip", ".whl")
LARGEST_BYTES = 2**30
MOST_MEMBERS = 200_000
# RuntimeError: an encrypted or unknown member; the others: what was compressed is damaged.
UNPACKABLE = (
    *(tarfile.TarError, zipfile.BadZipFile, OSError),
    *(RuntimeError, ValueError, EOFError, zlib.error, lzma.LZMAError),
)
URL = re.compile(r"^(https?://|ssh://|git://|file://|git@)|\.git$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A project as it was found."""

    name: str
    commit: str | None
    digest: str
    """Of its contents."""


def bring(given: str, target: Path) -> Origin:
    """Copy a project into the empty folder `target`; raise UsageError where there is none."""
    path = Path(given)
    if given and os.path.isdir(given):  # noqa: PTH112 - tells of any text, however long, whether it is a folder
        _copy_checkout(path.resolve(), target)
        return _origin(path.resolve().name, repository.commit(path), target)
    if given.endswith(ARCHIVES) and os.path.isfile(given):  # noqa: PTH113
        _unpack(path, target)
        return _origin(_stem(path.name), None, target)
    if URL.search(given):
        shutil.rmtree(target)
        repository.clone(given, target, LocalExecutor().execute)
        return _origin(_stem(given.rstrip("/").rsplit("/", 1)[-1]), repository.commit(target), target)
    raise UsageError(
        f"--downstream {given}: expected a directory, an archive ({', '.join(ARCHIVES)}), a git URL or "
        "(Go) module/path@version"
    )


def _origin(name: str, commit: str | None, target: Path) -> Origin:
    return Origin(name=name, commit=commit, digest=checkout(target).digest)


def _stem(name: str) -> str:
    for ending in (*ARCHIVES, ".git"):
        name = name.removesuffix(ending)
    return name


def _copy_checkout(source: Path, target: Path) -> None:
    for path in checkout(source).files:
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, copy, follow_symlinks=False)
        if not copy.is_symlink():
            # What is read-only there, as a downloaded Go module is, must be a copy that can be built.
            copy.chmod(copy.stat().st_mode | stat.S_IWUSR)


def _unpack(archive: Path, target: Path) -> None:
    """Unpack inside `target` only; an archive with one top folder is that folder."""
    try:
        if archive.suffix in {".zip", ".whl"}:
            with zipfile.ZipFile(archive) as opened:
                _check_size(member.file_size for member in opened.infolist())
                opened.extractall(target)  # noqa: S202 - ZipFile itself drops what would leave target
        else:
            with tarfile.open(archive) as opened_tar:
                _check_size(member.size for member in opened_tar)
                _extract(opened_tar, target)
    except UNPACKABLE as error:
        raise UsageError(
            f"--downstream {archive}: cannot unpack it: {error or type(error).__name__}"
        ) from error
    entries = list(target.iterdir())
    if len(entries) == 1 and entries[0].is_dir():
        for inner in entries[0].iterdir():
            inner.rename(target / inner.name)
        entries[0].rmdir()


def _check_size(sizes: Iterable[int]) -> None:
    """Raise TarError as soon as an archive turns out to be far larger unpacked than sources ever are."""
    total = 0
    for number, size in enumerate(sizes, start=1):
        total += size
        if total > LARGEST_BYTES or number > MOST_MEMBERS:
            raise tarfile.TarError(
                f"expected sources, of at most {LARGEST_BYTES >> 20} MiB in {MOST_MEMBERS:,} files; "
                "unpack it yourself and give the folder"
            )


def _extract(opened: tarfile.TarFile, target: Path) -> None:
    """Extract inside `target` only; raise TarError for a member that would leave it."""
    if hasattr(tarfile, "data_filter"):
        opened.extractall(target, filter="data")
        return
    # Debian 12 has Python 3.11.2, two releases short of the filter.
    root = target.resolve()
    for member in opened.getmembers():
        member_path = root / member.name
        leads = member_path.parent / member.linkname if member.issym() else root / member.linkname
        if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
            raise tarfile.TarError(f"{member.name}: expected a file, a folder or a link")
        for path in (member_path, leads):
            if not path.resolve().is_relative_to(root):
                raise tarfile.TarError(f"{member.name}: leads outside")
        member.mode &= 0o755
        opened.extract(member, target, set_attrs=member.isfile())
