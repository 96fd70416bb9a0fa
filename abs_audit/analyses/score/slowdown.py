"""Which slowdown is injected? What is asked, or twice the noise of the suite, as it was derived first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.advising import advised
from abs_audit.analyses.score.record import Request
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import StabilityRecord
from abs_audit.analyses.stability.model import slowdown as twice_the_noise
from abs_audit.analyses.stop.rules.catalogue import stopping_rule
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.calibration import NONE_COUNTED, Counted
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.choosing import selection
from abs_audit.experiment.preparation import listing
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.wording import count, duration, slower, some

LEAST_SLOWDOWN = 0.05
"""Below this, machines differ from themselves: findings on real suites keep δ at least here."""
PARTS = (1 / 3, 1 / 3, 1.0)
"""Parts of what a budget of time leaves that may go into the noise, one after the other until some is known:
the rest is for what is asked, but without any noise there is nothing else to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowdown:
    """A slowdown to inject."""

    value: float
    remark: str = ""
    """What a reader must know who takes it for what is asked, or for twice the noise of the whole suite."""
    selection: tuple[tuple[str, ...], ...] = ()
    """Patterns that chose the benchmarks that it follows from."""


KIND = ResultKind("slowdown", Slowdown)
UNKNOWN = Slowdown(
    value=LEAST_SLOWDOWN,
    remark="the slowdown follows from the noise of the suite, which is not known: at least "
    f"{slower(LEAST_SLOWDOWN)}; --slowdown needs none",
)


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
    return _of(stable) if stable else None


def from_the_noise(project: Project, runtime: Runtime, request: Request, learnt: CellProfiles) -> Slowdown:
    """Return what follows from unslowed runs: of all benchmarks, or of what a budget of time is enough for.

    `learnt`: what counting calls has told of them. Raises BudgetEndedError where none has a result in time.
    """
    if runtime.watch.remaining_s is not None and not request.stop:
        return of_a_part(project, runtime, (learnt.calling, tuple(learnt.reach)), learnt.counted)
    rule = stopping_rule(request.stop) if request.stop else None
    return _of(stability.known_or_measured(project, runtime, rule, learnt.counted))


def of_a_part(
    project: Project, runtime: Runtime, first: Sequence[Sequence[str]], counted: Counted = NONE_COUNTED
) -> Slowdown:
    """Return what follows from as many benchmarks as a part of a budget of time is enough for, and keep it.

    `first`: which of them come first, group by group, since they will be executed in any case, or do not take
    long. Raises BudgetEndedError where none has a result in time.
    """
    stability.require_build(runtime.watch)
    names = [benchmark.id for benchmark in listing(project, runtime).benchmarks]
    part_s = PARTS[0] * (runtime.watch.remaining_s or 0.0)
    runtime.announce(f"no slowdown is asked: about {duration(part_s)} for the noise that it follows from")
    for part in PARTS:
        record = stability.spread_out(project, runtime, first, part, counted)
        noise = record.spreads
        spreads = [benchmark.max_spread for benchmark in noise if benchmark.max_spread is not None]
        if spreads:
            break
    if not spreads and len(noise) < len(names):
        runtime.watch.require(math.inf)
    if not spreads:
        reasons = some(sorted(set(record.failures.values())))
        raise ControlFailedError(
            f"all of {count(names, 'benchmark')} fail as they are{reasons and f': {reasons}'}; "
            f"see each with: {advised('stability')}"
        )
    told = (
        f"the slowdown follows from the noise of {len(noise)} of {len(names)} benchmarks, as many as a part "
        "of the time budget was enough for; this session keeps to it, --slowdown asks for another"
    )
    slowdown = Slowdown(
        value=max(LEAST_SLOWDOWN, twice_the_noise(spreads)),
        remark=told if len(noise) < len(names) else "",
        selection=selection(project.settings),
    )
    runtime.session.store(project.digest, KIND, slowdown)
    return slowdown


def _of(stable: StabilityRecord) -> Slowdown:
    if stable.result.slowdown is None:
        raise ControlFailedError(
            "no benchmark has a result in all runs, so there is no noise to derive the slowdown from; "
            f"give one with --slowdown, or look at: {advised('stability')} "
            f"({'; '.join(stable.result.warnings)})"
        )
    return Slowdown(value=max(LEAST_SLOWDOWN, stable.result.slowdown))
