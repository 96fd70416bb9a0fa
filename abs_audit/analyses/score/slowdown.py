"""Which slowdown is injected? What is asked, or twice the noise of the suite, as it was derived first."""

import math
from dataclasses import dataclass

from abs_audit.advising import advised
from abs_audit.analyses.score.record import Request
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import StabilityRecord
from abs_audit.analyses.stability.model import slowdown as twice_the_noise
from abs_audit.analyses.stop.rules.catalogue import stopping_rule
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.choosing import selection
from abs_audit.experiment.preparation import listing
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.wording import count, duration

LEAST_SLOWDOWN = 0.05
"""Below this, machines differ from themselves: findings on real suites keep δ at least here."""
PART_OF_BUDGET = 1 / 3
"""Part of a budget of time that may go into the noise: the rest is for what is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowdown:
    """A slowdown to inject, and what it follows from."""

    value: float
    measured: int = 0
    """Benchmarks whose noise it follows from, where a budget left time for a part of the suite..."""
    of: int = 0
    """...that has so many."""
    selection: tuple[tuple[str, ...], ...] = ()
    """Patterns that chose them."""

    @property
    def remark(self) -> str:
        """What a reader must know who takes it for twice the noise of the whole suite; may be empty."""
        if self.measured == self.of:
            return ""
        return (
            f"the slowdown follows from the noise of {self.measured} of {self.of} benchmarks, as many as a "
            "part of the time budget was enough for; this session keeps to it, --slowdown asks for another"
        )


KIND = ResultKind("slowdown", Slowdown)


def known_slowdown(project: Project, runtime: Runtime, request: Request) -> Slowdown | None:
    """Return the asked slowdown, or what follows from what is recorded; None: nothing does.

    What a part of the suite gave is kept to: by another slowdown all that is settled would be open again.
    """
    if request.slowdown is not None:
        return Slowdown(value=request.slowdown)
    earlier = runtime.session.load(project.digest, KIND)
    if earlier is not None and earlier.selection == selection(project.settings):
        return earlier
    stable = stability.of_the_chosen(project, runtime)
    return _of_the_suite(stable) if stable else None


def slowdown_of(project: Project, runtime: Runtime, request: Request) -> Slowdown:
    """Return the asked slowdown; only where nothing gives one benchmarks are executed unslowed for it.

    All of them, or under a budget of time as many as a part of it is enough for.
    """
    slowdown = known_slowdown(project, runtime, request)
    if slowdown is not None:
        return slowdown
    if runtime.watch.remaining_s is None or request.stop:
        rule = stopping_rule(request.stop) if request.stop else None
        return _of_the_suite(stability.known_or_measured(project, runtime, rule))
    slowdown = _of_a_part(project, runtime)
    runtime.session.store(project.digest, KIND, slowdown)
    return slowdown


def _of_the_suite(stable: StabilityRecord) -> Slowdown:
    if stable.result.slowdown is None:
        raise _no_noise("; ".join(stable.result.warnings))
    return Slowdown(value=max(LEAST_SLOWDOWN, stable.result.slowdown))


def _of_a_part(project: Project, runtime: Runtime) -> Slowdown:
    """Return what follows from benchmarks of all parts of the suite, as many as there is time for."""
    names = [benchmark.id for benchmark in listing(project, runtime).benchmarks]
    part_s = PART_OF_BUDGET * (runtime.watch.remaining_s or 0.0)
    runtime.announce(f"no slowdown is asked: {duration(part_s)} for the noise that it follows from")
    # Without any there is nothing else to do.
    for allotted_s in (part_s, math.inf):
        with runtime.watch.allotting(allotted_s):
            noise = stability.spread_out(project, runtime).spreads
        spreads = [benchmark.max_spread for benchmark in noise if benchmark.max_spread is not None]
        if spreads:
            break
    if not spreads and len(noise) < len(names):
        runtime.watch.require(math.inf)
    if not spreads:
        raise _no_noise(f"all of {count(names, 'benchmark')} fail")
    return Slowdown(
        value=max(LEAST_SLOWDOWN, twice_the_noise(spreads)),
        measured=len(noise),
        of=len(names),
        selection=selection(project.settings),
    )


def _no_noise(why: str) -> ControlFailedError:
    return ControlFailedError(
        "no benchmark has a result in all runs, so there is no noise to derive the slowdown from; "
        f"give one with --slowdown, or look at: {advised('stability')} ({why})"
    )
