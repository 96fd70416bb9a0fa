"""`doctor`: what does this machine have, how noisy is it, and which promises hold here?"""

import contextlib
import os
import shutil
import sys
import time
from itertools import pairwise
from statistics import median, stdev

from abs_audit import __version__
from abs_audit.cli import options
from abs_audit.cli.context import print_documents
from abs_audit.errors import ExitCode, UnfitEnvironmentError
from abs_audit.execution.container import Engine
from abs_audit.execution.local import best_level
from abs_audit.execution.sandbox import Level
from abs_audit.experiment.environment import fingerprint

TOOLS = ("git", "python3", "go", "java", "mvn", "docker")
NOISE_ROUNDS = 60
NOISE_LOOPS = 20_000


def doctor(
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Look at toolchains, container engine, pinning, clock and this machine's own noise."""
    tools = {name: shutil.which(name) for name in TOOLS}
    clock_ns = _clock_step_ns()
    noise = _noise()
    engine, offers = _engine()
    promises = _promises() | offers
    if as_json:
        print_documents(
            [
                {
                    "schema": "abs-audit/doctor/1",
                    "version": __version__,
                    "environment": fingerprint(),
                    "tools": tools,
                    "engine": engine,
                    "clock_step_ns": clock_ns,
                    "noise": noise,
                    "promises": promises,
                }
            ]
        )
        return ExitCode.DONE
    lines = [f"abs-audit {__version__}", ""]
    lines += [f"{name:<12}{value}" for name, value in fingerprint().items()]
    lines += ["", *(f"{name:<12}{path or 'not found'}" for name, path in tools.items()), ""]
    lines.append(f"engine      {engine}")
    lines.append(f"clock       readings differ by {clock_ns} ns at least")
    lines.append(f"noise       the same work differs by {100 * noise:.1f} % (standard deviation ÷ median)")
    lines += ["", *(f"{'holds' if kept else 'DOES NOT HOLD':<15}{what}" for what, kept in promises.items())]
    sys.stdout.write("\n".join(lines) + "\n")
    return ExitCode.DONE


def _clock_step_ns() -> int:
    """Return the smallest difference of two readings of the clock that probes use."""
    readings = [time.perf_counter_ns() for _ in range(1000)]
    steps = [after - before for before, after in pairwise(readings)]
    return min(step for step in steps if step > 0)


def _noise() -> float:
    """Return how much the time of equal work differs here: standard deviation ÷ median."""
    times = []
    for _ in range(NOISE_ROUNDS):
        started = time.perf_counter()
        sum(range(NOISE_LOOPS))
        times.append(time.perf_counter() - started)
    return stdev(times) / median(times)


def _engine() -> tuple[str, dict[str, bool]]:
    """Return which container engine answers, and what it can do."""
    try:
        with contextlib.closing(Engine()) as found:
            version, groups = found.info["ServerVersion"], found.info.get("CgroupVersion", "unknown")
            return f"{version}, control groups version {groups}", found.offers()
    except UnfitEnvironmentError as error:
        return f"none: {error}", {"suites can be cut off from the network (containers)": False}


def _promises() -> dict[str, bool]:
    """Return what the program promises and whether this machine lets it."""
    return {
        "the checkout is never written: subjects are copied": True,
        "no process of a suite outlives its command": sys.platform == "linux",
        "suites write to their workspace only (--sandbox auto)": best_level() is not Level.NONE,
        "suites are cut off from the network (--sandbox strict)": best_level() is Level.NAMESPACES,
        "measurements can be pinned to a CPU": hasattr(os, "sched_setaffinity"),
        "more than one CPU, so that the system need not share the measuring one": (os.cpu_count() or 1) > 1,
    }
