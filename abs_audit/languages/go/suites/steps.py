"""Reads what became of the process of one step or of several: values, or the reason why there are none."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from abs_audit.formats import go_text
from abs_audit.languages.go.suites.ids import split
from abs_audit.languages.go.suites.stacks import sampled
from abs_audit.languages.probe_protocol import BASELINE, tally_of
from abs_audit.languages.records import unusable
from abs_audit.model.experiment import Block, Mode, Step
from abs_audit.model.measurement import NEVER_ENTERED, Status, Tally, Trial

INTERRUPTED = 4.0
"""Multiple of the median that no turn takes which kept its processor, whatever garbage it collects."""
NOT_EXECUTED = (
    "no benchmark of this name was executed: it skips itself here, or its name holds what changes with each "
    "process, such as a random number"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How a step ended, and with which values."""

    status: Status
    reason: str = ""
    invocations: int = 0
    values: tuple[float, ...] = ()
    lasted_s: float = 0.0
    """What its runs took, without what came before them; 0: not known."""


def trial(blocks: Mapping[str, Block], record: Mapping[str, Any]) -> Trial:
    """Return the trial of one record; raise MismatchError where it belongs to no block at hand."""
    block = blocks.get(record["block"])
    if block is None or not 0 <= record["position"] < len(block.steps):
        raise unusable("expected a step of the blocks at hand", (record["block"], record["position"]))
    return _trial(block, record["position"], _reading(block, record), record)


def trials_in_turns(blocks: Mapping[str, Block], record: Mapping[str, Any]) -> Iterator[Trial]:
    """Yield the trials of a block whose steps took turns in one process, in their order.

    A step's value is the mean of its turns that were not interrupted; all of them have the same number of
    invocations, and one that lost the processor for long says nothing of the benchmark. What an
    invocation takes without active probes is told by the baseline turns, one before each way.
    Raises MismatchError where the record belongs to no block at hand.
    """
    block = blocks.get(record["block"])
    if block is None or len(record["tallies"]) != len(block.steps):
        raise unusable("expected the steps of a block at hand", (record["block"], len(record["tallies"])))
    turns, wall_s = record["turns"], record["wall_s"] / len(block.steps)
    whole = _values(record["asked"], len(turns), record["output"])
    for position, tally in enumerate(record["tallies"]):
        reading, plain_s, is_whole = whole, 0.0, True
        if whole.status is Status.OK:
            own, beside = _in_turns(position, turns, whole.values)
            reading = replace(whole, invocations=record["asked"] * len(own), values=(_mean(own),))
            plain_s, is_whole = _mean(beside), max(own) <= _longest(own)
        made = _trial(block, position, reading, {"tally": tally, "probed": True, "wall_s": wall_s})
        yield replace(made, tally=made.tally and replace(made.tally, plain_s=plain_s, is_whole=is_whole))


def _in_turns(
    position: int, turns: Sequence[int], values: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return the values of the turns of one step, and of the turn without probes before each of them."""
    own, beside, plain = [], [], 0.0
    for owner, value in zip(turns, values, strict=True):
        if owner == BASELINE:
            plain = value
        elif owner == position:
            own.append(value)
            beside.append(plain)
    return own, beside


def _longest(turns: Sequence[float]) -> float:
    return INTERRUPTED * median(turns)


def _mean(turns: Sequence[float]) -> float:
    longest = _longest(turns)
    return fmean(turn_s for turn_s in turns if turn_s <= longest)


def _trial(block: Block, position: int, reading: _Reading, record: Mapping[str, Any]) -> Trial:
    step, tally = block.steps[position], None
    if reading.status is Status.OK and step.arm.mode is not Mode.OFF:
        try:
            tally = _tally(step, record)
        except (ValueError, KeyError, TypeError) as error:
            reading = _Reading(status=Status.FAILED, reason=f"the probe's tally cannot be read: {error!r}")
    return Trial(
        block=block.id,
        position=position,
        status=reading.status,
        reason=reading.reason,
        invocations=reading.invocations,
        values=reading.values,
        tally=tally,
        wall_s=record["wall_s"],
        outside_s=max(0.0, record["wall_s"] - reading.lasted_s) if reading.lasted_s else 0.0,
        executed_whole=record.get("whole", "") if reading.status is Status.OK else "",
    )


def why_it_ended(outcome: Mapping[str, Any]) -> str:
    """Return why a process did not end by itself and with success; empty where it did."""
    if outcome["timed_out"]:
        return f"not done after the limit of {outcome['limit_s']:g} s"
    said = go_text.crash(outcome["log"]) or go_text.crash(outcome["output"])
    if outcome["signal"]:
        return f"the benchmark's process was ended by a signal: {outcome['signal']}"
    if said and outcome["exit"]:
        return said
    if outcome["exit"] < 0:
        return f"the benchmark's process could not be started: {_one_line(outcome['log'])}"
    if not outcome["exit"]:
        return ""
    # Above what a process prints of its flags stands what is wrong with them.
    lines = outcome["log"].partition("\nUsage of ")[0].split("\n")
    last = next((f": {_one_line(line)}" for line in reversed(lines) if line.strip()), "")
    return f"the benchmark ended its process with exit code {outcome['exit']}{last}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]


def _reading(block: Block, record: Mapping[str, Any]) -> _Reading:
    if record["missing"]:
        unknown = record["missing"] == "the suite has no such benchmark"
        return _Reading(status=Status.MISSING if unknown else Status.FAILED, reason=record["missing"])
    output = record["output"]
    endings = tuple(go_text.endings(output))
    failed = [ending.reason for ending in endings if not ending.skipped]
    ended = why_it_ended(record)
    if record["timed_out"]:
        return _Reading(status=Status.TIMED_OUT, reason=ended)
    if failed or ended:
        said = f"the benchmark fails: {failed[0] or 'without saying why'}" if failed else ended
        return _Reading(status=Status.FAILED, reason=_one_line(said))
    if endings:
        return _Reading(status=Status.SKIPPED, reason=_one_line(endings[0].reason))
    return _measured(block, record)


def _measured(block: Block, record: Mapping[str, Any]) -> _Reading:
    """Return the values of a process that ended well."""
    step, asked, output = block.steps[record["position"]], record["asked"], record["output"]
    if not asked:
        results = [result for result in go_text.parse(output) if result.value(go_text.TIME) is not None]
        asked = results[-1].invocations if results else 0
    runs = step.iterations + step.warmup
    reading = _values(asked, runs, output)
    if not reading.values and split(block.benchmark)[1] not in output:
        return replace(reading, reason=NOT_EXECUTED)
    lasted_s = go_text.lasted_s(output, runs)
    return replace(reading, values=reading.values[-step.iterations :], lasted_s=lasted_s)


def _values(asked: int, wanted: int, output: str) -> _Reading:
    """Return the values of so many runs of so many invocations each."""
    values = go_text.times(output, asked) if asked else []
    if len(values) != wanted:
        told = f"expected {wanted} values of {go_text.TIME}, found {len(values)}"
        return _Reading(status=Status.FAILED, reason=f"{told}: its time is hidden, or it printed some itself")
    if not all(0 < value < float("inf") for value in values):
        return _Reading(status=Status.FAILED, reason=f"expected times above zero, found {min(values)} s")
    return _Reading(status=Status.OK, invocations=asked, values=tuple(values))


def _tally(step: Step, record: Mapping[str, Any]) -> Tally | None:
    """Return what the probe left; a binary that holds no probe has called no method that carries one."""
    if record["tally"]:
        tally = tally_of(json.loads(record["tally"]))
        if step.arm.mode is Mode.SAMPLE:
            profile = b64decode(record["profile"] or "")
            return sampled(tally.build_id, step.arm.methods, profile, record["processor_s"])
        return tally
    if not record["probed"]:
        return Tally(build_id="", methods=dict.fromkeys(step.arm.methods, NEVER_ENTERED))
    return None
