"""Call trees of two commits: structure and counts once, then times one level at a time."""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit.analyses.rootcause.calls.call_tree import CallGraph, Node, Times, compare
from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.rootcause.calls.inference import inferred
from abs_audit.analyses.rootcause.calls.suspicion import Evidence
from abs_audit.analyses.rootcause.commits.samples import Run, Sample, measured
from abs_audit.analyses.rootcause.measuring.case import Case
from abs_audit.analyses.rootcause.measuring.commit_runs import exported
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.counting import reach
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import Arm, Mode
from abs_audit.model.measurement import Status, Trial

PROCESSES = 10
"""Processes a commit in which each level is timed; their times are the sample."""
FEWEST = 5
"""Processes that must have timed a method for its times to count."""
REPEATS = 5
"""Times that a process measures a level; the fast ones make its value."""
FIRST_LEVEL = "level 1/"
BEFORE, AFTER = "before", "after"
MOST_ALONE = 30
"""Changed methods outside of the tree that are timed as well, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two commits, with probes in all its functions."""

    prepared: Prepared
    iteration_plan: IterationPlan
    graph: CallGraph

    def holds(self, method: str) -> bool:
        """Tell whether a method carries a probe here and is called."""
        return method in self.graph.calls and method in self.prepared.patch.instrumented


def sources_of(case: Case, commit: str) -> Sources:
    """Return the texts of a commit and every function in them."""
    project, _ = exported(case, commit)
    tree = project.sources()
    return Sources(tree=tree, methods=project.language.injector.all_functions(tree))


def trees(
    case: Case, sides: tuple[str, str], changed: Sequence[str], lost_s: float
) -> tuple[tuple[Node, ...], Evidence]:
    """Compare two commits level by level; raise ControlFailedError where one cannot be instrumented.

    `changed`: methods to time in any case, wherever they stand in the tree.
    """
    with contextlib.ExitStack() as copies:
        before, after = (copies.enter_context(_side(case, commit)) for commit in sides)
        stopwatch = _Stopwatch(case, before, after)
        times: dict[str, Times] = {}
        level = 0
        while True:
            comparison = compare(before.graph, after.graph, times, lost_s)
            if not comparison.wanted:
                break
            level += 1
            # None of the methods of a level is below another one of it.
            times |= stopwatch.timed([comparison.wanted], f"level {level}")
        rest = [
            method
            for method in changed
            if method not in times and (before.holds(method) or after.holds(method))
        ]
        times |= stopwatch.timed([(method,) for method in rest[:MOST_ALONE]], "changed methods")
    # What was lost while the methods were timed is what they can explain; the machine may be another by then.
    before_s, after_s = undisturbed(stopwatch.whole).means_s
    timed_s = None if before_s is None or after_s is None else after_s - before_s
    return comparison.nodes, Evidence(
        before=before.graph,
        after=after.graph,
        times=times,
        lost_s=timed_s if timed_s is not None and timed_s > 0 else lost_s,
        backwards=case.rule.improvement,
    )


@contextlib.contextmanager
def _side(case: Case, commit: str) -> Iterator[Side]:
    project, _ = exported(case, commit)
    sources = sources_of(case, commit)
    with prepare(project, case.runtime, [method.id for method in sources.methods]) as prepared:
        calibration = calibrate(prepared.harness, [case.benchmark], project.settings.iteration_s)
        if case.benchmark in calibration.failed:
            reason = calibration.failed[case.benchmark].reason
            raise ControlFailedError(f"{commit[:12]} does not run with probes in all its functions: {reason}")
        iteration_plan = calibration.iteration_plans[case.benchmark]
        graph = _recorded(prepared, iteration_plan) if project.language.records_callers else None
        yield Side(
            prepared=prepared,
            iteration_plan=iteration_plan,
            graph=graph or _counted(prepared, iteration_plan, sources),
        )


def _recorded(prepared: Prepared, iteration_plan: IterationPlan) -> CallGraph:
    """Return who calls whom, as the probes saw it in one iteration."""
    arm = Arm(mode=Mode.CALLERS, methods=prepared.patch.instrumented, label="callers")
    block = iteration_plan.block(prepared.harness, f"tree/callers/{iteration_plan.benchmark}", [arm])
    (trial,) = prepared.harness.perform([block], "recording calls")[block.id]
    if trial.status is not Status.OK or trial.tally is None:
        raise ControlFailedError(f"the calls could not be recorded: {trial.reason or 'no tally came back'}")
    called = {method: tally for method, tally in trial.tally.methods.items() if tally.calls}
    return CallGraph(
        calls={method: tally.calls / trial.invocations for method, tally in called.items()},
        edges={
            (caller or None, method): count / trial.invocations
            for method, tally in called.items()
            for caller, count in tally.callers.items()
        },
        recorded=True,
    )


def _counted(prepared: Prepared, iteration_plan: IterationPlan, sources: Sources) -> CallGraph:
    """Return the methods that are called, with callers inferred from the text."""
    (reached,) = reach(prepared.harness, [iteration_plan.benchmark], prepared.patch.instrumented)
    if reached.failure is not None:
        raise ControlFailedError(f"the calls could not be counted: {reached.failure.reason}")
    return inferred(reached.calls, sources)


class _Stopwatch:
    """Times methods of both commits, a process each, both commits in turns in random order."""

    def __init__(self, case: Case, before: Side, after: Side) -> None:
        self._case = case
        self._sides = {BEFORE: before, AFTER: after}
        self.whole: dict[str, list[Run]] = {}
        """Times of the benchmark itself while the first level was timed."""

    def timed(self, groups: Sequence[tuple[str, ...]], name: str) -> dict[str, Times]:
        """Time methods, a group at once: methods that may call each other stand in different ones."""
        by_method: dict[str, dict[str, list[Run]]] = {method: {} for group in groups for method in group}
        for number in range(PROCESSES):
            order = shuffled((BEFORE, AFTER), self._case.project.settings.seed, "tree", name, number)
            for side in order:
                for method, values in self._process(self._sides[side], groups, f"{name}/{number}").items():
                    run = Run(round=number, values=tuple(values))
                    kept = self.whole if method is None else by_method[method]
                    kept.setdefault(side, []).append(run)
        return {method: undisturbed(runs) for method, runs in by_method.items()}

    def _process(
        self, side: Side, groups: Sequence[tuple[str, ...]], name: str
    ) -> dict[str | None, list[float]]:
        """Return method → seconds a call in one process; None → the benchmark's own, on the first level."""
        held = [tuple(filter(side.holds, group)) for group in groups]
        wanted = [Arm(mode=Mode.TIME, methods=methods, label=name) for methods in held if methods] * REPEATS
        if not wanted:
            return {}
        block = side.iteration_plan.block(
            side.prepared.harness, f"tree/{name}/{side.iteration_plan.benchmark}", wanted
        )
        block = replace(block, process=f"tree {name}")
        trials = side.prepared.harness.perform([block], f"timing calls: {name}")[block.id]
        times: dict[str | None, list[float]] = {}
        for arm, trial in zip(wanted, trials, strict=True):
            if name.startswith(FIRST_LEVEL) and trial.status is Status.OK:
                times.setdefault(None, []).extend(trial.values)
            for method in arm.methods:
                value = _time_a_call(trial, method, side.prepared.harness.build_id)
                if value is not None:
                    times.setdefault(method, []).append(value)
        return times


def undisturbed(runs: Mapping[str, Sequence[Run]]) -> Times:
    """Return the times a call of both sides, one a process, without disturbed ones and drift."""
    samples = measured(runs).samples
    return Times(before=_enough(samples.get(BEFORE)), after=_enough(samples.get(AFTER)))


def _enough(sample: Sample | None) -> tuple[float, ...]:
    """Return times where enough processes were undisturbed; else none, for nothing is known then."""
    if sample is None or sample.trusted < FEWEST:
        return ()
    return tuple(math.exp(centre) for centre in sample.centres)


def _time_a_call(trial: Trial, method: str, build_id: str) -> float | None:
    """Return the inclusive time a call; None without the tally of this very build."""
    if trial.status is not Status.OK or trial.tally is None or trial.tally.build_id != build_id:
        return None
    tally = trial.tally.methods.get(method)
    return tally.timed_s / tally.calls if tally and tally.calls and tally.timed_s > 0 else None
