"""Reads what became of a fork: trials with their values, or the reason why they have none."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from math import inf
from statistics import fmean, median
from typing import Any

from abs_audit.languages.java.suites.benchmark_list import SHOT
from abs_audit.languages.java.suites.plan import LEAST_ITERATION_S, baseline_turns, batch, turns
from abs_audit.languages.java.suites.stacks import sampled
from abs_audit.languages.probe_protocol import tally_of
from abs_audit.languages.records import unusable
from abs_audit.model.experiment import Block, Mode, Step
from abs_audit.model.measurement import Status, Tally, Trial

HARNESS = "org.openjdk.jmh.runner."
RATE_UNIT, TIME_UNIT = "ops/ns", "ns/op"
ON_PROCESSOR, OPERATIONS, WALL_NS = "abs-audit.on-processor", "abs-audit.operations", "abs-audit.wall-ns"
"""Labels of what the profilers Processor and Turns add to a result."""
MANY = 4
"""Iterations from which on not their median stands for them, but the mean without the outer ones."""
OUTER = 0.25
"""Part of many iterations at either end that does not count: interrupted, or the compiler was not done."""
_PARAMETERS = re.compile(r'"params"\s*:\s*\{.*?\},(?=\s*"primaryMetric")', re.DOTALL)
_CAUSE = re.compile(r"^(?:Caused by: )?([\w.$]+(?:Exception|Error)\b.*)$", re.MULTILINE)


def trials(blocks: Mapping[str, Block], record: Mapping[str, Any]) -> Iterator[Trial]:
    """Yield the trials of one fork, whose steps took turns in it.

    Raises MismatchError where it belongs to no block at hand.
    """
    name, _, listed = record["key"].rpartition("\n")
    block = blocks.get(name)
    positions = tuple(map(int, listed.split(",")))
    if block is None or not all(0 <= position < len(block.steps) for position in positions):
        raise unusable("expected steps of the blocks at hand", record["key"])
    steps = [block.steps[position] for position in positions]
    status, reason, measured = _measured(steps, record)
    for turn, (position, step) in enumerate(zip(positions, steps, strict=True)):
        values: tuple[float, ...] = ()
        tally = None
        if status is Status.OK:
            iterations = measured.of_arm(measured.baseline + turn)
            values = _values(iterations, step.iterations)
            if step.arm.mode is not Mode.OFF:
                tally = _tally(step, measured.baseline + turn, record)
                tally = tally and replace(tally, is_whole=len(iterations) <= len(values))
        if tally is not None:
            tally = replace(tally, threads=measured.threads)
        if tally is not None and step.arm.mode is Mode.SAMPLE:
            processor_s = measured.on_processor() * (measured.batch * _typical(iterations) or _asked_s(step))
            tally = sampled(tally, block.benchmark, step.arm.methods, record["stacks"] or "", processor_s)
        if tally is not None and step.arm.mode is Mode.TIME:
            tally = _on_processor(tally, measured.on_processor(measured.threads))
        if tally is not None and measured.baseline:
            tally = replace(tally, plain_s=_typical(measured.of_arm(0)))
        yield Trial(
            block=block.id,
            position=position,
            status=status,
            reason=reason,
            invocations=_invocations(steps, turn, measured, values),
            values=values,
            tally=tally,
            wall_s=_wall_s(steps, turn, measured, record),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """The times of the iterations of a fork, in seconds."""

    values: tuple[float, ...] = ()
    arms: int = 1
    baseline: int = 0
    """How many of the arms, the first ones, are baselines."""
    batch: int = 0
    """Invocations of each iteration, where the suite says how many; 0: it lasts a time."""
    parts: tuple[float, ...] = ()
    """What part of each iteration the benchmark had a processor, of several the sum; empty: not known."""
    threads: int = 1
    """Threads that measure at once: a value is what an invocation takes in each."""
    invocations: tuple[float, ...] = ()
    """What each iteration executed, in each thread; empty: not told."""
    walls_s: tuple[float, ...] = ()
    """What each iteration took with its set-ups; empty: not told."""

    def on_processor(self, threads: int = 1) -> float:
        """Return what part of the time others did not take from so many threads, in what stands for all."""
        if len(self.parts) != len(self.values):
            return 1.0
        undisturbed = [
            value * min(1.0, part / threads) for value, part in zip(self.values, self.parts, strict=True)
        ]
        return _typical(undisturbed) / _typical(self.values) or 1.0

    def of_arm(self, arm: int, told: Sequence[float] | None = None) -> list[float]:
        """Return the iterations of one arm, what is `told` of each or else its value."""
        each = zip(self.values if told is None else told, cycle(turns(self.arms)), strict=False)
        return [value for value, owner in each if owner == arm]


def _wall_s(steps: Sequence[Step], turn: int, measured: _Measured, record: Mapping[str, Any]) -> float:
    """Return what of a fork's time is a step's: as much for each; where it counts what its iterations took.

    Its start is the first one's then, or each invocation would seem to have a set-up.
    """
    if steps[turn].arm.mode is not Mode.COUNT or not measured.walls_s:
        return float(record["wall_s"] / len(steps))
    later_s = [sum(measured.of_arm(arm, measured.walls_s)) for arm in range(1, len(steps))]
    return later_s[turn - 1] if turn else max(0.0, record["wall_s"] - sum(later_s))


def _invocations(steps: Sequence[Step], turn: int, measured: _Measured, values: Sequence[float]) -> int:
    """Return how many invocations an iteration has; where it lasts a time and none are told, a quotient."""
    step = steps[turn]
    if not values:
        return 0
    if step.arm.mode is Mode.COUNT:
        told = measured.of_arm(turn, measured.invocations)
        return max(1, round(fmean(told))) if told else batch(steps)
    return measured.batch or step.invocations or max(1, round(_asked_s(step) / values[0]))


def _asked_s(step: Step) -> float:
    """Return how long an iteration is asked to last, in seconds."""
    return max(LEAST_ITERATION_S, step.target_s)


def _measured(steps: Sequence[Step], record: Mapping[str, Any]) -> tuple[Status, str, _Measured]:
    """Return what became of a fork, in which the steps took turns."""
    none = _Measured()
    if record["timed_out"]:
        return Status.TIMED_OUT, f"not done after the limit of {record['limit_s']:g} s", none
    try:
        # JMH may leave quotes in parameters unescaped; nothing here asks for them.
        results = json.loads(_PARAMETERS.sub("", record["result"] or "[]"))
    except ValueError as error:
        return Status.FAILED, f"JMH's result cannot be read: {error}", none
    if len(results) != 1:
        said = why(record["log"])
        status = Status.FAILED if record["exit"] or said else Status.MISSING
        return status, said or f"expected one result of JMH, found {len(results)}", none
    forks = results[0]["primaryMetric"].get("rawData") or []
    unit = results[0]["primaryMetric"]["scoreUnit"]
    # JMH's operation is a batch.
    size, threads = results[0].get("measurementBatchSize", 1), results[0].get("threads", 1)
    told = (float(value) for fork in forks for value in fork)
    values = tuple(1e-9 / size * (_time(value, threads) if unit == RATE_UNIT else value) for value in told)
    once = results[0].get("mode") == SHOT
    baseline = baseline_turns([step.arm for step in steps], once)
    wanted = steps[0].iterations * (len(steps) + baseline)
    if unit not in {RATE_UNIT, TIME_UNIT} or not values or len(values) % wanted:
        expected = f"expected {wanted} values in {RATE_UNIT} or {TIME_UNIT}"
        return Status.FAILED, f"{expected}, found {len(values)} in {unit}", none
    if senseless := [value for value in values if not 0 < value < inf]:
        return Status.FAILED, f"expected times above zero, found {senseless[0]} s", none
    if record["exit"]:
        return Status.FAILED, f"JMH ended with exit code {record['exit']}: {why(record['log'])}", none
    measured = _Measured(
        values=values,
        arms=len(steps) + baseline,
        baseline=baseline,
        batch=size if once else 0,
        parts=_told(results[0], ON_PROCESSOR),
        threads=threads,
        invocations=tuple(size / threads * number for number in _told(results[0], OPERATIONS)),
        walls_s=tuple(1e-9 * wall_ns for wall_ns in _told(results[0], WALL_NS)),
    )
    return Status.OK, "", measured


def _told(result: Mapping[str, Any], label: str) -> tuple[float, ...]:
    """Return what a profiler told of each iteration; empty: nothing."""
    forks = result.get("secondaryMetrics", {}).get(label, {}).get("rawData") or []
    return tuple(float(number) for fork in forks for number in fork)


def _time(rate: float, threads: int) -> float:
    """Return what an invocation takes in each of some threads that have such a rate together."""
    return threads / rate if rate else inf


def _values(measured: Sequence[float], iterations: int) -> tuple[float, ...]:
    """Return so many values, each of as many iterations in turn."""
    together = max(1, len(measured) // max(1, iterations))
    return tuple(_typical(measured[at : at + together]) for at in range(0, len(measured), together))


def _typical(iterations: Sequence[float]) -> float:
    """Return what stands for some iterations: the middle half of them, of few the median.

    A processor that others use has a fast and a slow state: the median of many would be one or the other.
    """
    if len(iterations) < MANY:
        return median(iterations)
    outer = int(OUTER * len(iterations))
    return fmean(sorted(iterations)[outer : len(iterations) - outer])


def why(log: str) -> str:
    """Return the exception that a benchmark ended with; empty where the log names none."""
    causes = _CAUSE.findall(log)
    # JMH's own says only that there was another one.
    others = [cause for cause in causes if not cause.startswith(HARNESS)]
    return " ".join((others or causes)[-1].split())[:500] if causes else ""


def _tally(step: Step, turn: int, record: Mapping[str, Any]) -> Tally | None:
    """Return the sum of what all JVMs of a fork tallied of a step; None where one of them was cut off.

    No tally at all after a good run means that no probed class was loaded: no call was made.
    """
    tallies = [json.loads(text) for text in record["tallies"]]
    builds = {tally["build_id"] for tally in tallies} or {""}
    if record["unfinished"] or len(builds) > 1:
        return None
    parts = [tally["arms"][turn] if "arms" in tally else tally["methods"] for tally in tallies]
    methods = {
        method: _sum([part[method] for part in parts if method in part]) for method in step.arm.methods
    }
    return tally_of({"build_id": builds.pop(), "methods": methods})


def _sum(entries: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the sums of what several entries tell; nothing was done where there is none."""
    told: dict[str, float] = dict.fromkeys(("calls", "batches", "injected_ns", "timed_ns"), 0)
    for entry in entries:
        told |= {key: told.get(key, 0) + value for key, value in entry.items()}
    return told


def _on_processor(tally: Tally, part: float) -> Tally:
    """Return the tally with what others did not take of its time."""
    methods = {name: replace(counted, on_processor=part) for name, counted in tally.methods.items()}
    return replace(tally, methods=methods)
