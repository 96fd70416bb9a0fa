"""Builds probed Go programs with a real toolchain, starts them, and reads the tallies that they leave."""

import os
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.toolchains import go

HEAD, RECORD = 64, 144


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a tally says of one method."""

    calls: int
    batches: int = 0
    injected_ns: int = 0
    timed_ns: int = 0
    requested_ns: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a tally."""

    build_id: str
    methods: Mapping[str, Entry]
    turns: int = 0


def environment() -> dict[str, str]:
    """Return an environment in which go fetches nothing and no probe is awake."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ABS_PROBE")}
    return {**plain, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def write(folder: Path, sources: Mapping[str, str]) -> None:
    """Write texts to files, line ends as they are."""
    for path, text in sources.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="")


def built(folder: Path, sources: Mapping[str, str]) -> Path:
    """Write a module and its command, see that go has no complaint, and return the executable."""
    write(folder, sources)
    for arguments in (["vet", "./..."], ["build", "-o", "program", "."]):
        done = subprocess.run(
            [go(), *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False
        )
        assert 0 == done.returncode, done.stderr
    return folder / "program"


def started(
    program: Path, arguments: Sequence[str], variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Execute a program to its end, whatever that is."""
    return subprocess.run(
        [str(program), *arguments],
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def parts(prefix: Path) -> list[Part]:
    """Read all parts of a tally."""
    return [part(path.read_bytes()) for path in sorted(prefix.parent.glob(f"{prefix.name}.*"))]


def part(data: bytes) -> Part:
    """Read one part by the layout that the runtime's documentation gives."""
    assert b"absgo 1\n" == data[:8]
    count, size = struct.unpack_from("<2q", data, 8)
    assert len(data) == HEAD + RECORD * count + size
    names = data[HEAD + RECORD * count :].decode().splitlines()
    entries = {}
    for at, name in enumerate(names):
        left, batch, settled, batches, injected, timed, requested, call_ns = struct.unpack_from(
            "<7qd", data, HEAD + RECORD * at
        )
        pending = batch - left if batch > 0 else 0
        entries[name] = Entry(
            calls=settled + pending,
            batches=batches,
            injected_ns=injected,
            timed_ns=timed,
            requested_ns=requested + pending * call_ns,
        )
    assert count == len(entries)
    (turns,) = struct.unpack_from("<q", data, 40)
    return Part(build_id=data[24:40].decode(), methods=entries, turns=turns)
