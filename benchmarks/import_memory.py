"""How much memory does importing a file take, and does it grow with the file?

    python -m benchmarks.import_memory [--sizes 100 1000] [--formats pa go jmh csv]

Writes a file of so many MB in each format (20 forks of 100 values a benchmark), imports it by the command
line in a process of its own, and prints the process's peak of resident memory and the MB it read a second.
Files of a GB take some minutes each.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MB = 10**6
FORKS, VALUES = 20, 100
Benchmark = tuple[int, list[list[float]]]


def drawn() -> Iterator[Benchmark]:
    """Yield benchmarks without an end: a number, and (forks, values) in ns."""
    draw = random.Random(1)
    number = 0
    while True:
        yield number, [[draw.gauss(1000, 20) for _ in range(VALUES)] for _ in range(FORKS)]
        number += 1


def pa(benchmark: Benchmark) -> str:
    """Return pa's rows."""
    number, forks = benchmark
    return "".join(
        f"project;commit;pkg.Class.number{number};;i;t;{fork};{iteration};avgt;ns/op;1;{value:.3f}\n"
        for fork, values in enumerate(forks)
        for iteration, value in enumerate(values)
    )


def plain(benchmark: Benchmark) -> str:
    """Return rows of a table with named columns."""
    number, forks = benchmark
    return "".join(
        f"number{number},{fork},ns,{value:.3f}\n" for fork, values in enumerate(forks) for value in values
    )


def go(benchmark: Benchmark) -> str:
    """Return what `go test -bench` prints for a package of one benchmark, a start a fork."""
    number, forks = benchmark
    return "".join(
        "".join(
            [
                f"pkg: example.com/p{number}\n",
                *(f"BenchmarkNumber-8 \t    1000\t      {value:.1f} ns/op\n" for value in values),
                f"PASS\nok  \texample.com/p{number}\t1.0s\n",
            ]
        )
        for values in forks
    )


def jmh(benchmark: Benchmark) -> str:
    """Return one element of JMH's list, with its comma."""
    number, forks = benchmark
    measured = {"score": 1000.0, "scoreUnit": "ns/op", "rawData": forks}
    document = {
        "jmhVersion": "1.37",
        "benchmark": f"pkg.Class.number{number}",
        "mode": "avgt",
        "threads": 1,
        "forks": FORKS,
        "primaryMetric": measured,
        "secondaryMetrics": {},
    }
    return json.dumps(document) + ",\n"


FORMATS: dict[str, tuple[str, Callable[[Benchmark], str], str]] = {
    "pa": ("", pa, ""),
    "csv": ("benchmark,fork,unit,value\n", plain, ""),
    "go": ("goos: linux\ngoarch: amd64\n", go, ""),
    "jmh": ("[\n", jmh, "]\n"),
}


def write(path: Path, name: str, size: int) -> None:
    """Write a file of about so many bytes."""
    begin, text, end = FORMATS[name]
    with path.open("w", encoding="utf-8") as stream:
        stream.write(begin)
        last = ""
        for benchmark in drawn():
            stream.write(last)
            last = text(benchmark)
            if stream.tell() >= size:
                break
        stream.write(last.removesuffix(",\n") + end)


def imported(path: Path, name: str) -> tuple[int, float]:
    """Import a file; return the peak of resident memory in bytes and the seconds it took."""
    program = str(Path(sys.executable).parent / "abs-audit")
    arguments = [program, "import", str(path), "--format", name, "--quiet"]
    arguments += ["--session", str(path.with_suffix(".db"))]
    begun = time.monotonic()
    process = os.posix_spawn(program, arguments, os.environ)
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{name}: import failed with exit code {os.waitstatus_to_exitcode(status)}")
    return 1024 * usage.ru_maxrss, time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--formats", nargs="+", default=list(FORMATS), choices=list(FORMATS))
    options = parser.parse_args()
    for name in options.formats:
        for size in options.sizes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "results"
                write(path, name, size * MB)
                peak, spent_s = imported(path, name)
            print(f"{name:4} {size:5} MB: {peak / MB:5.0f} MB of memory, {size / spent_s:.1f} MB a second")


if __name__ == "__main__":
    main()
