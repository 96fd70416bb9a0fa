"""Does a probe in Go make a function slower by just what was asked for?

    python -m benchmarks.injection_fidelity_go [--lengths 0 1 2] [--rounds 9]

Functions of about 4 ns to 39 µs (a chain of dependent operations) are probed by the injector and called by
the loop of a benchmark, in a fresh process for each value. A cell of the table is realised ÷ requested
slowdown: (mutant − control) ÷ (δ · control), medians over the rounds, the arms of a round interleaved in a
random order, all with the same number of calls, on one processor as in an audit. Do not bind this program to
one: Go's monitor would share it, which adds to both arms and makes the slowdown smaller. Target: .95 to 1.05.
Also: the unprobed function; what the inert probe and the control arm add to it; and the time that mode `time`
finds, relative to mode `off`.
Needs Go; takes about ten seconds a length on an idle core.
"""

import argparse
import os
import random
import re
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from abs_audit.injectors.go.injector import GoInjector
from abs_audit.languages.table import languages

SLOWDOWNS = (0.2, 0.5, 1.0)
TURNS = (2, 13, 47, 225, 2350, 23500)
DELAY_BATCH_NS = next(one.delay_batch_ns for one in languages() if one.name == "go")
STEP_NS = 20e6
METHOD = "example.org/lengths.Chain"
FILES = {
    "go.mod": "module example.org/lengths\n\ngo 1.21\n",
    "lengths.go": """package lengths

//go:noinline
func Chain(x uint64, turns int) uint64 {
	for i := 0; i < turns; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
""",
    "lengths_test.go": """package lengths

import (
	"os"
	"strconv"
	"testing"
)

var kept uint64

func BenchmarkChain(b *testing.B) {
	turns, _ := strconv.Atoi(os.Getenv("TURNS"))
	x := uint64(88172645463325252)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		x = Chain(x, turns)
	}
	kept = x
}
""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one process measured."""

    value_ns: float
    timed_ns: float
    """Of a call, as mode `time` says."""


def build(folder: Path, files: Mapping[str, str]) -> Path:
    """Write and compile a test binary."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["go", "test", "-c", "-o", "lengths.test", "."], cwd=folder, check=True)
    return folder / "lengths.test"


def perform(binary: Path, turns: int, calls: int, arm: Mapping[str, str]) -> Step:
    """Execute one process."""
    prefix = binary.parent / "tally"
    run = subprocess.run(
        [str(binary), "-test.run=^$", "-test.bench=.", f"-test.benchtime={calls}x"],
        env={**os.environ, "GOMAXPROCS": "1", "TURNS": str(turns), "ABS_PROBE_TALLY": str(prefix), **arm},
        capture_output=True,
        check=True,
        text=True,
    )
    found = re.search(r"([\d.]+) ns/op", run.stdout)
    assert found, run.stdout
    timed_ns = 0.0
    for part in binary.parent.glob("tally.*"):
        if arm["ABS_PROBE_MODE"] == "time":
            settled, _, _, timed = struct.unpack_from("<4q", part.read_bytes(), 64 + 16)
            timed_ns = timed / settled
        part.unlink()
    return Step(value_ns=float(found[1]), timed_ns=timed_ns)


def arms(control_ns: float, calls: int) -> dict[str, dict[str, str]]:
    """Return the arms of a round by name."""
    found = {
        "off": {"ABS_PROBE_MODE": "off"},
        "time": {"ABS_PROBE_MODE": "time", "ABS_PROBE_METHODS": METHOD},
    }
    for slowdown in SLOWDOWNS:
        delay_ns = slowdown * control_ns
        batch = max(1, min(round(DELAY_BATCH_NS / delay_ns), calls // 20))
        common = {"ABS_PROBE_METHODS": METHOD, "ABS_PROBE_BATCH": str(batch)}
        found[f"control {slowdown}"] = {**common, "ABS_PROBE_MODE": "control"}
        slowed = {"ABS_PROBE_SLOWED": METHOD, "ABS_PROBE_DELAY_NS": repr(delay_ns)}
        found[f"delay {slowdown}"] = {**common, **slowed, "ABS_PROBE_MODE": "delay"}
    return found


def row(plain: Path, probed: Path, turns: int, rounds: int) -> str:
    """Return one line of the table."""
    off = {"ABS_PROBE_MODE": "off"}
    calls = max(40, round(STEP_NS / perform(probed, turns, 2000, off).value_ns))
    control = {"ABS_PROBE_MODE": "control", "ABS_PROBE_METHODS": METHOD, "ABS_PROBE_BATCH": str(calls // 20)}
    control_ns = median(perform(probed, turns, calls, control).value_ns for _ in range(5))
    of_round = arms(control_ns, calls)
    steps: dict[str, list[Step]] = {name: [] for name in ("plain", *of_round)}
    for _ in range(rounds):
        for name in random.sample(list(steps), len(steps)):
            binary = plain if name == "plain" else probed
            steps[name].append(perform(binary, turns, calls, of_round.get(name, off)))
    values = {name: median(one.value_ns for one in some) for name, some in steps.items()}
    cells = "".join(
        f"{(values[f'delay {one}'] - values[f'control {one}']) / (one * control_ns):6.2f}"
        for one in SLOWDOWNS
    )
    own = median(values[f"control {one}"] for one in SLOWDOWNS) - values["plain"]
    timed = median(one.timed_ns for one in steps["time"]) / values["off"]
    inert = values["off"] - values["plain"]
    return f"{values['plain']:10.2f} {cells} {inert:8.2f} {own:8.2f} {timed:9.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--lengths", nargs="+", type=int, default=list(range(len(TURNS))), help="which of six"
    )
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    random.seed(1)
    patch = GoInjector().instrument(FILES, [METHOD])
    assert patch.instrumented == (METHOD,)
    print(f"{'ns':>10} " + "".join(f"{one:6.1f}" for one in SLOWDOWNS) + "    inert  control  time/off")
    with tempfile.TemporaryDirectory() as folder:
        plain = build(Path(folder) / "plain", FILES)
        probed = build(Path(folder) / "probed", {**FILES, **patch.files})
        for number in options.lengths:
            print(row(plain, probed, TURNS[number], options.rounds), flush=True)


if __name__ == "__main__":
    main()
