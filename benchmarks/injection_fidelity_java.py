"""Does a probe in Java make a method slower by just what was asked for?

    python -m benchmarks.injection_fidelity_java [--kernels chain array] [--forks 5]

Two kernels (a chain of dependent operations; a sum over an array) of about 40 ns to 50 µs are
probed by the injector, compiled and executed in a fresh JVM for each value. A cell is realised ÷
requested slowdown: (mutant − control) ÷ (δ · control), medians over the forks, arms interleaved in a
random order. Also: what an active probe costs (control − off), and the time that mode `time` finds,
relative to mode `off`. Target: .9 to 1.1. Needs a JDK; takes about two minutes a kernel on an idle core.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.languages.table import languages

SLOWDOWNS = (0.2, 0.5, 1.0)
LENGTHS = {"chain": (20, 300, 3000, 30000), "array": (64, 800, 8000, 80000)}
DELAY_BATCH_NS = next(one.delay_batch_ns for one in languages() if one.name == "java")
ITERATION_NS = 25e6
LIBRARY = """package kernels;

public class Kernels {
    public static long chain(long seed, int length) {
        long x = seed | 1;
        for (int i = 0; i < length; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static final int[] VALUES = new int[80000];

    public static long array(long seed, int length) {
        int[] values = VALUES;
        long sum = seed;
        for (int i = 0; i < length; i++) {
            sum = 31 * sum + values[i];
        }
        return sum;
    }
}
"""
HARNESS = """package harness;

public class Harness {
    static volatile long seed = 88172645463325252L;
    static volatile boolean over;
    static volatile long never = 1;

    public static void main(String[] arguments) {
        int length = Integer.parseInt(arguments[1]);
        int calls = Integer.parseInt(arguments[2]);
        for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
            long start = System.nanoTime();
            long used = arguments[0].equals("chain") ? chain(length, calls) : array(length, calls);
            System.out.println((double) (System.nanoTime() - start) / used);
        }
    }

    static long chain(int length, int calls) {
        long done = 0;
        do {
            if (kernels.Kernels.chain(seed, length) == never) over = true;
            done++;
        } while (!over && done < calls);
        return done;
    }

    static long array(int length, int calls) {
        long done = 0;
        do {
            if (kernels.Kernels.array(seed, length) == never) over = true;
            done++;
        } while (!over && done < calls);
        return done;
    }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """What one process measured."""

    value_ns: float
    tally: Mapping[str, float]


class SelfCheck:
    """The kernels, probed and compiled."""

    def __init__(self, folder: Path, kernel: str) -> None:
        self.folder = folder
        self.kernel = kernel
        self.method = f"kernels.Kernels.{kernel}(long,int)"
        tree = {"src/main/java/kernels/Kernels.java": LIBRARY}
        patch = JavaInjector().instrument(tree, [self.method])
        assert patch.instrumented == (self.method,)
        files = {**patch.files, "src/jmh/java/harness/Harness.java": HARNESS}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        subprocess.run(["javac", "-d", folder / "classes", *(folder / name for name in files)], check=True)

    def fork(self, length: int, calls: int, iterations: int, arm: Mapping[str, str]) -> Fork:
        """Execute one process; its value is the median of the last third of its iterations."""
        for old in self.folder.glob("tally.*"):
            old.unlink()
        probe = {"ABS_PROBE_METHODS": self.method, "ABS_PROBE_TALLY": str(self.folder / "tally"), **arm}
        argv = ["java", "-Xmx256m", "-cp", str(self.folder / "classes"), "harness.Harness", self.kernel]
        run = subprocess.run(
            [*argv, str(length), str(calls), str(iterations)],
            env={**os.environ, **probe},
            check=True,
            capture_output=True,
            text=True,
        )
        values = [float(line) for line in run.stdout.split()]
        (tally,) = self.folder.glob("tally.*.json")
        methods = json.loads(tally.read_text())["methods"]
        return Fork(value_ns=median(values[-(len(values) // 3) :]), tally=methods.get(self.method, {}))

    def row(self, length: int, forks: int) -> str:
        """Return one line of the table."""
        rough = self.fork(length, 20, 300, {"ABS_PROBE_MODE": "off"}).value_ns
        calls = max(1, round(ITERATION_NS / rough))
        own = {
            "ABS_PROBE_MODE": "control",
            "ABS_PROBE_BATCH": str(max(1, round(DELAY_BATCH_NS / rough / 0.5))),
        }
        control = median(self.fork(length, calls, 15, own).value_ns for _ in range(3))
        arms = {"off": {"ABS_PROBE_MODE": "off"}, "time": {"ABS_PROBE_MODE": "time"}}
        for slowdown in SLOWDOWNS:
            delay = slowdown * control
            batch = {"ABS_PROBE_BATCH": str(max(1, round(DELAY_BATCH_NS / delay)))}
            arms[f"control {slowdown}"] = {"ABS_PROBE_MODE": "control", **batch}
            arms[f"delay {slowdown}"] = {
                "ABS_PROBE_MODE": "delay",
                "ABS_PROBE_SLOWED": self.method,
                "ABS_PROBE_DELAY_NS": repr(delay),
                **batch,
            }
        found: dict[str, list[Fork]] = {name: [] for name in arms}
        for _ in range(forks):
            for name in random.sample(list(arms), len(arms)):
                found[name].append(self.fork(length, calls, 15, arms[name]))
        values = {name: median(one.value_ns for one in some) for name, some in found.items()}
        off = values["off"]
        cells = []
        for slowdown in SLOWDOWNS:
            base = values[f"control {slowdown}"]
            cells.append(f"{(values[f'delay {slowdown}'] - base) / (slowdown * control):6.2f}")
        own_cost = median(values[f"control {slowdown}"] for slowdown in SLOWDOWNS) - off
        timed = median(one.tally["timed_ns"] / one.tally["calls"] for one in found["time"])
        return f"{self.kernel:6} {off:10.1f} {''.join(cells)} {own_cost:10.1f} {timed / off:8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", nargs="+", choices=sorted(LENGTHS), default=sorted(LENGTHS))
    parser.add_argument("--lengths", nargs="+", type=int, default=[0, 1, 2, 3], help="which of the four")
    parser.add_argument("--forks", type=int, default=5)
    options = parser.parse_args()
    random.seed(1)
    print(f"{'kernel':6} {'ns':>10} " + "".join(f"{one:6.1f}" for one in SLOWDOWNS) + "   own cost time/off")
    for kernel in options.kernels:
        with tempfile.TemporaryDirectory() as folder:
            self_check = SelfCheck(Path(folder), kernel)
            for number in options.lengths:
                print(self_check.row(LENGTHS[kernel][number], options.forks), flush=True)


if __name__ == "__main__":
    main()
