"""Looks at this machine and at a checkout: what is there, how noisy it is, which promises hold."""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from random import Random

from abs_audit import __version__
from abs_audit.analyses.doctor.document import DoctorDocument
from abs_audit.analyses.doctor.model import Noise
from abs_audit.config import Settings
from abs_audit.errors import AbsAuditError, UnfitEnvironmentError
from abs_audit.execution.container import Engine
from abs_audit.execution.sandbox import Level
from abs_audit.execution.supervised import best_level
from abs_audit.experiment.environment import fingerprint
from abs_audit.languages.table import detect

TOOLS = ("git", "python3", "go", "java", "mvn", "docker")
NOISE_PAIRS = 60
NOISE_LOOPS = 20_000


def differences(seed: int) -> list[float]:
    """Return how much equal work differs, smallest first: pairs in random order, as cells are measured."""
    order = Random(seed)  # noqa: S311 - an order, no secret
    measured = []
    for _ in range(NOISE_PAIRS):
        times = [_work_s(), _work_s()]
        order.shuffle(times)
        measured.append(abs(times[1] / times[0] - 1))
    return sorted(measured)


def _work_s() -> float:
    started = time.perf_counter()
    sum(range(NOISE_LOOPS))
    return time.perf_counter() - started


def machine(noise: Noise, recording: Mapping[str, bool]) -> DoctorDocument:
    """Return what this machine has and lets us promise; `recording`: the promise that results are kept."""
    engine, offers = _engine()
    return DoctorDocument(
        version=__version__,
        environment=fingerprint(),
        tools={name: shutil.which(name) for name in TOOLS},
        engine=engine,
        clock_step_ns=_clock_step_ns(),
        noise=noise.typical,
        noise_p95=noise.largest,
        noise_verdict=noise.verdict,
        subject=None,
        promises=_promises(recording) | offers,
    )


def _engine() -> tuple[str, dict[str, bool]]:
    """Return which container engine answers, and what it can do."""
    try:
        with contextlib.closing(Engine()) as engine:
            version, groups = engine.info["ServerVersion"], engine.info.get("CgroupVersion", "unknown")
            return f"{version}, control groups version {groups}", engine.offers()
    except UnfitEnvironmentError as error:
        return f"none: {error}", {"suites can be cut off from the network (containers)": False}


def _clock_step_ns() -> int:
    """Return the smallest difference of two readings of the clock that probes use."""
    readings = [time.perf_counter_ns() for _ in range(1000)]
    return min(after - before for before, after in pairwise(readings) if after > before)


def _promises(recording: Mapping[str, bool]) -> dict[str, bool]:
    """Return what the program promises and whether this machine lets it."""
    return {
        "the checkout is never written: subjects are copied": True,
        **recording,
        "no process of a suite outlives its command": sys.platform == "linux",
        "suites write to their workspace only (--sandbox auto)": best_level() is not Level.NONE,
        "suites are cut off from the network (--sandbox strict)": best_level() is Level.NAMESPACES,
        "measurements can be pinned to a CPU": hasattr(os, "sched_setaffinity"),
        "more than one CPU, so that the system need not share the measuring one": (os.cpu_count() or 1) > 1,
    }


def checkout(subject: Path, settings: Settings) -> tuple[dict[str, str], dict[str, bool]]:
    """Return what a checkout holds, and whether it can be audited here."""
    try:
        suites = detect(subject, settings.framework)
    except AbsAuditError as error:
        return {"checkout": str(subject), "suites": f"none: {error}"}, {"the checkout has a suite": False}
    language = suites[0][0]
    names = ", ".join(framework.suite.name for _, framework in suites)
    facts = {"checkout": str(subject), "language": language.name, "suites": names}
    return facts, {"the checkout has a suite": True}
