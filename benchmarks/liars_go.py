"""Go's liars: a method's benchmarks are those of the test file that is named after its file."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from abs_audit.execution.workspace import checkout, source_tree
from abs_audit.languages.go.toolchain.catalogue import Catalogue, Definition

OPTIONS = ()
BENCH_TIME = "10ms"
DECLARED = re.compile(r"^func (Benchmark\w+)\(", re.MULTILINE)
RESULT = re.compile(r"^(Benchmark\S+)\s+\d+\s+([\d.]+) ns/op", re.MULTILINE)


def slow_down(copy: Path, method: str, factor: float) -> None:
    """Give the calls of `work.Busy` in one method's body more units."""
    for definition in _definitions(copy, method):
        path = copy / definition.file.path
        text = path.read_bytes()
        assert definition.function is not None
        node = definition.function.node
        body = text[node.start_byte : node.end_byte]
        slowed = body.replace(b"work.Busy(", b"work.Slow(")
        assert slowed != body, f"{method} does no work of its own"
        path.write_bytes(text[: node.start_byte] + slowed + text[node.end_byte :])
    with (copy / "work" / "work.go").open("a") as work:
        work.write(
            f"\nfunc Slow(x uint64, units int) uint64 {{ return Busy(x, units*{factor * 10:.0f}/10) }}\n"
        )


def times(copy: Path, method: str) -> Mapping[str, float]:
    """Return benchmark → nanoseconds an invocation."""
    binary = copy / "liars.test"
    if not binary.exists():
        subprocess.run(["go", "test", "-c", "-o", str(binary), "."], cwd=copy, check=True)
    stem = Path(_definitions(copy, method)[0].file.path).stem.split("_")[0]
    names = DECLARED.findall((copy / f"{stem}_test.go").read_text())
    command = [str(binary), "-test.run=^$", f"-test.bench=^({'|'.join(names)})$"]
    command.append(f"-test.benchtime={BENCH_TIME}")
    environment = {**os.environ, "GOMAXPROCS": "1"}
    finished = subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True, text=True)
    return {name: float(once_ns) for name, once_ns in RESULT.findall(finished.stdout)}


def _definitions(copy: Path, method: str) -> list[Definition]:
    """Return what a method id names in the files that are compiled here."""
    definitions = Catalogue(source_tree(checkout(copy), (".go", "go.mod"))).find(method)
    return [definition for definition in definitions if definition.file.compiled]
