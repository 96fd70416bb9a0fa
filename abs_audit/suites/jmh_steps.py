"""Reads what became of the process of a step: a trial with its values, or the reason why it has none."""

import json
import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from abs_audit.model.experiment import Block, Mode, Step
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from abs_audit.suites.jmh_plan import LEAST_ITERATION_S
from abs_audit.suites.records import tally_of, unusable

NO_CALLS = MethodTally(calls=0, setup_calls=0, batches=0, paid_s=0.0, timed_s=0.0)
_CAUSE = re.compile(r"^(?:Caused by: )?([\w.$]+(?:Exception|Error)\b.*)$", re.MULTILINE)


def trial(known: Mapping[str, Block], record: Mapping[str, Any]) -> Trial:
    """Return the trial of one record; raise MismatchError where it belongs to no block at hand."""
    name, _, position = record["key"].rpartition("\n")
    block = known.get(name)
    if block is None or not 0 <= int(position) < len(block.steps):
        raise unusable("expected a step of the blocks at hand", record["key"])
    step = block.steps[int(position)]
    status, reason, values = _measured(step, record)
    tally = None
    if status is Status.OK and step.arm.mode is not Mode.OFF:
        tally = _tally(step, record)
    return Trial(
        block=block.id,
        position=int(position),
        status=status,
        reason=reason,
        invocations=_invocations(step, values),
        values=values,
        higher_is_better=False,
        tally=tally,
        wall_s=record["wall_s"],
    )


def _invocations(step: Step, values: Sequence[float]) -> int:
    """Return how many invocations an iteration has: JMH's last a time, so this is a quotient."""
    if not values:
        return 0
    return step.invocations or max(1, round(max(LEAST_ITERATION_S, step.target_s) / values[0]))


def _measured(step: Step, record: Mapping[str, Any]) -> tuple[Status, str, tuple[float, ...]]:
    if record["timed_out"]:
        return Status.TIMED_OUT, f"not done after the limit of {record['limit_s']:g} s", ()
    found = json.loads(record["result"]) if record["result"] else []
    if len(found) != 1:
        said = why(record["log"])
        status = Status.FAILED if record["exit"] or said else Status.MISSING
        return status, said or f"expected one result of JMH, found {len(found)}", ()
    forks = found[0]["primaryMetric"].get("rawData") or []
    unit = found[0]["primaryMetric"]["scoreUnit"]
    measured = [float(value) * 1e-9 for fork in forks for value in fork]
    values = _values(measured, len(measured) // max(1, step.iterations))
    if unit != "ns/op" or len(values) != step.iterations:
        return Status.FAILED, f"expected {step.iterations} values in ns/op, found {len(values)} in {unit}", ()
    if not all(0 < value < float("inf") for value in values):
        return Status.FAILED, f"expected times above zero, found {min(values)} s", ()
    if record["exit"]:
        return Status.FAILED, f"JMH ended with exit code {record['exit']}: {why(record['log'])}", ()
    return Status.OK, "", values


def _values(measured: Sequence[float], together: int) -> tuple[float, ...]:
    """Return the median of each so many iterations in turn."""
    together = max(1, together)
    return tuple(median(measured[at : at + together]) for at in range(0, len(measured), together))


def why(log: str) -> str:
    """Return the exception that a benchmark ended with; empty where the log names none."""
    found = _CAUSE.findall(log)
    return " ".join(found[-1].split())[:500] if found else ""


def _tally(step: Step, record: Mapping[str, Any]) -> Tally | None:
    """Return the sum of the tallies of all JVMs of a step; None where one of them was cut off.

    No tally at all after a good run means that no probed class was loaded: no call was made.
    """
    if record["unfinished"]:
        return None
    parts = [tally_of(json.loads(text) if isinstance(text, str) else text) for text in record["tallies"]]
    found = [part for part in parts if part is not None]
    if len({part.build_id for part in found}) > 1:
        return None
    return Tally(
        build_id=found[0].build_id if found else "",
        methods={
            method: _sum([part.methods.get(method, NO_CALLS) for part in found])
            for method in step.arm.methods
        },
    )


def _sum(parts: Sequence[MethodTally]) -> MethodTally:
    return MethodTally(
        calls=sum(part.calls for part in parts),
        setup_calls=sum(part.setup_calls for part in parts),
        batches=sum(part.batches for part in parts),
        paid_s=sum(part.paid_s for part in parts),
        timed_s=sum(part.timed_s for part in parts),
    )
