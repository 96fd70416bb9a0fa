"""What may lie where a user says that a file is, all of it made in a folder."""

import gzip
import io
import json
import os
import random
import sqlite3
import tarfile
import zipfile
from pathlib import Path

DEEP = 200_000
ESCAPES = b"\x1b[31m\x1b]0;title\x07\x1b[2J"
LONG = b"x" * 2**20
GO_LINE = "BenchmarkOne-2 \t 100 \t %s ns/op\n"
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "spaces": b" \n\t\n  \n",
    "nul": b"pkg.one\0pkg.two\n",
    "only-bom": b"\xef\xbb\xbf",
    "latin-1": "sch\u00f6n\n".encode("latin-1"),
    "utf-16": "BenchmarkOne 1 1 ns/op".encode("utf-16"),
    "long-line": LONG,
    "escapes": ESCAPES + b" 1 2 3\n",
    "noise": random.Random(1).randbytes(5000),
    "elf": b"\x7fELF\x02\x01\x01" + bytes(500),
    "deep-list.json": b"[" * DEEP,
    "deep-closed.json": b"[" * DEEP + b"]" * DEEP,
    "deep-object.json": b'{"a":' * DEEP,
    "cut.json": b'{"benchmarks": [{"name": "a", "stats": {"data": [1, 2',
    "null.json": b"null",
    "number.json": b"17",
    "words.json": b'["a", "b"]',
    "empty.json": b"{}",
    "empty-list.json": b"[]",
    "trailing.json": b'{"benchmarks": []} and more',
    "nan.json": b'{"benchmarks": [{"name": "a", "fullname": "a", "stats": {"data": [NaN, 1.0]}}]}',
    "huge.json": b'{"benchmarks": [{"name": "a", "fullname": "a", "stats": {"data": [1'
    + b"0" * 5000
    + b"]}}]}",
    "negative.json": b'{"benchmarks": [{"name": "a", "fullname": "a", "stats": {"data": [-1.0, 1.0]}}]}',
    "escapes.json": json.dumps({"benchmarks": [{"name": ESCAPES.decode(), "stats": {"data": "x"}}]}).encode(),
    "header.csv": b"benchmark,value\n",
    "nan.csv": b"benchmark,value\na,nan\na,nan\n",
    "infinite.csv": b"benchmark,value\na,inf\n",
    "negative.csv": b"benchmark,value\na,-1\na,-2\n",
    "words.csv": b"benchmark,value\na,fast\n",
    "ragged.csv": b"benchmark,value\na,1,2,3\nb\n",
    "quote.csv": b'benchmark,value\n"a,1\n' + b"b,2\n" * 1000,
    "nan-go": (GO_LINE % "NaN").encode(),
    "negative-go": (GO_LINE % "-5").encode(),
    "wordy-go": (GO_LINE % "fast").encode(),
    "cut-go": b"goos: linux\nBenchmarkOne-2 \t 100",
    "cut.gz": gzip.compress(b"benchmark,value\na,1\n" * 1000)[:60],
    "toml": b"[tool.abs-audit]\nslowdown = 'x'\n",
    "html": b"<!doctype html><title>404</title>",
}
WITHOUT_TEXT = (
    "folder",
    "pipe",
    "zero",
    "null",
    "missing",
    "dangling",
    "loop",
    "other.db",
    "cut.db",
    "n" * 300,
)


def make(folder: Path) -> None:
    """Make all of them below a folder."""
    folder.mkdir()
    for name, content in TEXTS.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "null").symlink_to(os.devnull)
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    with sqlite3.connect(folder / "other.db") as database:
        database.execute("CREATE TABLE trial (a)")
    (folder / "cut.db").write_bytes((folder / "other.db").read_bytes()[:1000])
    (folder / os.fsdecode(b"\xff\xfe-name.csv")).write_bytes(b"benchmark,value\n")


def archives(folder: Path) -> dict[str, Path]:
    """Make archives that nobody should unpack; return them by what is wrong with them."""
    zeros = bytes(2**20)
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(1100):
            archive.writestr(f"zeros{number}", zeros) if number < 3 else None
        archive.filelist.extend([archive.filelist[0]] * 1100)
    many = folder / "many.tar"
    with tarfile.open(many, "w") as opened:
        opened.addfile(tarfile.TarInfo("a"), io.BytesIO())
        device = tarfile.TarInfo("device")
        device.type = tarfile.CHRTYPE
        opened.addfile(device)
    large = tarfile.TarInfo("large")
    large.size = 3 * 2**30
    (folder / "large.tar").write_bytes(large.tobuf())
    (folder / "large.tar.gz").write_bytes(gzip.compress(large.tobuf() + bytes(2**20)))
    with zipfile.ZipFile(folder / "locked.zip", "w") as archive:
        archive.writestr("a", "b")
    locked = bytearray((folder / "locked.zip").read_bytes())
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    (folder / "locked.zip").write_bytes(locked)
    (folder / "cut.tar.gz").write_bytes(gzip.compress(large.tobuf() * 50)[:40])
    (folder / "cut.tar.xz").write_bytes(b"\xfd7zXZ\x00\x00\x04")
    (folder / "noise.tar").write_bytes(TEXTS["noise"])
    (folder / "empty.whl").write_bytes(b"")
    return {path.name: path for path in sorted(folder.iterdir()) if path.is_file()}
