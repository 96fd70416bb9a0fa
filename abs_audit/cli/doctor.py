"""`doctor`: what does this machine have, how noisy is it, and which promises hold here?"""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Literal

from abs_audit import __version__
from abs_audit.cli import preflight
from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, remark
from abs_audit.cli.declaring import argument, overrides
from abs_audit.cli.options import Common
from abs_audit.errors import AbsAuditError, UnfitEnvironmentError
from abs_audit.quantities import PATH

if TYPE_CHECKING:
    from abs_audit.analyses.setting_up.document import DoctorDocument
    from abs_audit.config import Settings

TOOLS = ("git", "python3", "go", "java", "mvn", "docker")
NOISE_PAIRS = 60
NOISE_LOOPS = 20_000
QUIET, NOISY = 0.02, 0.10
"""Median difference of equal work beside each other: below, δ = .05 stands out; above, hardly .2."""
ADVICE = {
    "good": "slowdowns from 5 % on can be told from it",
    "fair": "measure with a slowdown of 0.2 or more, or with less going on beside it",
    "bad": "something else uses this machine; end it, pin with --cpus, or expect cells without a verdict",
}
UNSTEADY, DISTURBED = 0.2, 1.0
"""The same for one pair of twenty: above, work is interrupted for longer than it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """What is looked at, beside the machine."""

    subject: Path | None = argument("Checkout to look at, too.", PATH, metavar="SUBJECT", unset="none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How much the times of equal work differ here, and what that means."""

    typical: float
    """Median relative difference of two equal pieces of work, one after the other."""
    largest: float
    """Difference that one pair of twenty exceeds."""

    @property
    def verdict(self) -> Literal["good", "fair", "bad"]:
        """One word for it."""
        if self.typical < QUIET and self.largest < UNSTEADY:
            return "good"
        return "fair" if self.typical < NOISY and self.largest < DISTURBED else "bad"

    @property
    def answer(self) -> str:
        """What it means for an audit, and why."""
        return (
            f"Noise is {self.verdict}: {ADVICE[self.verdict]}. Equal work differs by "
            f"{100 * self.typical:.1f} %, one pair in twenty by more than {100 * self.largest:.1f} %."
        )


@command()
def doctor(asked: DoctorOptions, common: Common) -> None:
    """Look at toolchains, container engine, pinning, clock and noise of this machine, and at a checkout."""
    from abs_audit import config
    from abs_audit.analyses.setting_up.document import DoctorDocument
    from abs_audit.experiment.environment import fingerprint

    settings, _ = config.load(asked.subject or Path(), common.config, overrides((common,)))
    noise = _noise(settings.seed, common)
    engine, offers = _engine()
    promises = _promises(common.session) | offers
    checkout, suites = _checkout(asked.subject, settings) if asked.subject else ({}, {})
    promises |= suites
    document = DoctorDocument(
        version=__version__,
        environment=fingerprint(),
        tools={name: shutil.which(name) for name in TOOLS},
        engine=engine,
        clock_step_ns=_clock_step_ns(),
        noise=noise.typical,
        noise_p95=noise.largest,
        noise_verdict=noise.verdict,
        subject=checkout or None,
        promises=promises,
    )
    if common.json:
        print_documents([document])
    else:
        sys.stdout.write("\n".join(_lines(document, noise, quiet=common.quiet)) + "\n")


def _lines(document: "DoctorDocument", noise: Noise, *, quiet: bool) -> Sequence[str]:
    """Return the answer for people; `quiet`: only what is not as it should be."""
    promises = document.promises
    kept = [f"{'holds':<15}{promise}" for promise, holds in promises.items() if holds]
    broken = [f"{'DOES NOT HOLD':<15}{promise}" for promise, holds in promises.items() if not holds]
    if quiet:
        return [noise.answer, *broken]
    tools = {name: path or "not found" for name, path in document.tools.items()}
    clock = {"clock": f"readings differ by {document.clock_step_ns:g} ns at least"}
    facts = document.environment | (document.subject or {}) | tools | {"engine": document.engine} | clock
    told = [f"{name:<12}{value}" for name, value in facts.items()]
    return [noise.answer, "", *broken, *kept, "", f"abs-audit {document.version}", *told]


def _clock_step_ns() -> int:
    """Return the smallest difference of two readings of the clock that probes use."""
    readings = [time.perf_counter_ns() for _ in range(1000)]
    steps = [after - before for before, after in pairwise(readings)]
    return min(step for step in steps if step > 0)


def _noise(seed: int, common: Common) -> Noise:
    """Return how much equal work differs: an A/A test of pairs in random order, as cells are measured."""
    order = Random(seed)  # noqa: S311 - an order, no secret
    differences = []
    for _ in range(NOISE_PAIRS):
        times = [_work_s(), _work_s()]
        order.shuffle(times)
        differences.append(abs(times[1] / times[0] - 1))
    ranked = sorted(differences)
    remark(common, "differences of equal work: " + " ".join(f"{value:.4f}" for value in ranked))
    return Noise(typical=median(ranked), largest=ranked[int(0.95 * len(ranked))])


def _work_s() -> float:
    started = time.perf_counter()
    sum(range(NOISE_LOOPS))
    return time.perf_counter() - started


def _engine() -> tuple[str, dict[str, bool]]:
    """Return which container engine answers, and what it can do."""
    from abs_audit.execution.container import Engine

    try:
        with contextlib.closing(Engine()) as engine:
            version, groups = engine.info["ServerVersion"], engine.info.get("CgroupVersion", "unknown")
            return f"{version}, control groups version {groups}", engine.offers()
    except UnfitEnvironmentError as error:
        return f"none: {error}", {"suites can be cut off from the network (containers)": False}


def _promises(session: Path) -> dict[str, bool]:
    """Return what the program promises and whether this machine lets it."""
    from abs_audit.execution.sandbox import Level
    from abs_audit.execution.supervised import best_level

    return {
        "the checkout is never written: subjects are copied": True,
        f"results can be recorded in {session}": not preflight.session_complaint(session),
        "no process of a suite outlives its command": sys.platform == "linux",
        "suites write to their workspace only (--sandbox auto)": best_level() is not Level.NONE,
        "suites are cut off from the network (--sandbox strict)": best_level() is Level.NAMESPACES,
        "measurements can be pinned to a CPU": hasattr(os, "sched_setaffinity"),
        "more than one CPU, so that the system need not share the measuring one": (os.cpu_count() or 1) > 1,
    }


def _checkout(subject: Path, settings: "Settings") -> tuple[dict[str, str], dict[str, bool]]:
    """Return what a checkout holds, and whether it can be audited here."""
    from abs_audit.languages.table import detect

    try:
        suites = detect(subject, settings.framework)
    except AbsAuditError as error:
        return {"checkout": str(subject), "suites": f"none: {error}"}, {"the checkout has a suite": False}
    language = suites[0][0]
    names = ", ".join(framework.suite.name for _, framework in suites)
    facts = {"checkout": str(subject), "language": language.name, "suites": names}
    return facts, {"the checkout has a suite": True}
