"""Java's liars: a method's benchmarks are those of the class that is named after its outermost class.

One build serves all slow copies: the name of the slow method is a property of the process.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from abs_audit.languages.java.toolchain.maven import CLASS_PATH, LISTER

OPTIONS = ()
PACKAGE = "org.example.liars"
SHORT = "-f 0 -foe true -wi 2 -w 40ms -i 3 -r 20ms -bm avgt -tu ns"
SLOWED = "slowed"
"""Names the slow method in a copy."""


def slow_down(copy: Path, method: str, factor: float) -> None:
    """Let one method's calls of `Work.busy` do more units: half as many again, whatever the factor."""
    assert factor == 1.5, "Work.java knows no other"
    named = method.removeprefix(f"{PACKAGE}.")
    sources = (copy / "liars").rglob("*.java")
    assert any(f'busy("{named}"' in source.read_text() for source in sources), f"{method} does no work"
    (copy / SLOWED).write_text(named)


def times(copy: Path, method: str) -> Mapping[str, float]:
    """Return benchmark → nanoseconds an operation."""
    slowed, result = copy / SLOWED, copy / "result.json"
    outermost = method.removeprefix(f"{PACKAGE}.").partition(".")[0].partition("$")[0]
    command = ["java", f"-Dliars.slowed={slowed.read_text() if slowed.exists() else ''}"]
    command += ["-cp", _class_path(copy), "org.openjdk.jmh.Main", f"{PACKAGE}.bench.{outermost}Benchmark"]
    command += [*SHORT.split(), "-rf", "json", "-rff", str(result)]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    return {
        ",".join([measured["benchmark"].rpartition(".")[2], *measured.get("params", {}).values()]): measured[
            "primaryMetric"
        ]["score"]
        for measured in json.loads(result.read_text())
    }


def _class_path(copy: Path) -> str:
    """Build beside all copies, once."""
    built = copy.parent / "built"
    listed = built / "benchmarks" / CLASS_PATH
    if not built.exists():
        built.mkdir()
        subprocess.run(["cp", "-r", f"{copy}/.", str(built)], check=True)
        command = ["mvn", "--quiet", "package", LISTER, f"-Dmdep.outputFile={CLASS_PATH}"]
        subprocess.run(command, cwd=built, check=True)
    return f"{built / 'benchmarks' / 'target' / 'classes'}:{listed.read_text().strip()}"
