"""What passes between the program and the probes of every language: settings one way, tallies the other.

`docs/probe-protocol.md` tells it in full; beside this module only the probes and the drivers speak it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any

from abs_audit.model.experiment import Arm, Block, Mode, Step
from abs_audit.model.measurement import MethodTally, Tally

BASELINE = -1
"""A turn that is no arm's: its probes are not active."""
INTERRUPTION_NS = 2e7
"""An interruption of a delay counts as a part of it up to this long, in every probe."""


class Setting(StrEnum):
    """Names of what probes are told; those of an arm among several end in `_` and its number."""

    MODE = "ABS_PROBE_MODE"
    METHODS = "ABS_PROBE_METHODS"
    SLOWED = "ABS_PROBE_SLOWED"
    DELAY_NS = "ABS_PROBE_DELAY_NS"
    BATCH = "ABS_PROBE_BATCH"
    CONTROL_NS = "ABS_PROBE_CONTROL_NS"
    TALLY = "ABS_PROBE_TALLY"
    TURNS = "ABS_PROBE_TURNS"
    SWITCH = "ABS_PROBE_SWITCH"
    """Java: the class of the harness that says whose turn it is."""
    SETTINGS = "ABS_PROBE_SETTINGS"
    """Java: the file that all others are read from."""
    WATCH = "ABS_PROBE_WATCH"
    """Python: the file in which other processes mark what they enter."""
    MEANT = "ABS_PROBE_MEANT"
    """Go: the part of a benchmark that is measured where the others are executed beside it."""


def probe_settings(arm: Arm, number: int | None = None) -> dict[str, str]:
    """Return what the probes of an arm are told; `number` is its own where several take turns."""
    told = {Setting.MODE: str(arm.mode)}
    if arm.mode is not Mode.OFF:
        told |= {Setting.METHODS: "\n".join(arm.methods), Setting.BATCH: str(arm.batch)}
        if arm.mode is Mode.DELAY:
            told |= {Setting.SLOWED: arm.slowed or "", Setting.DELAY_NS: repr(float(arm.delay_ns))}
        if arm.control_s is not None:
            told[Setting.CONTROL_NS] = repr(1e9 * arm.control_s)
    suffix = "" if number is None else f"_{number}"
    return {f"{name}{suffix}": value for name, value in told.items()}


def probe_settings_in_turns(arms: Sequence[Arm], turns: Iterable[int]) -> dict[str, str]:
    """Return what the probes of a process are told in which arms take turns."""
    told = {str(Setting.TURNS): " ".join("-" if turn == BASELINE else str(turn) for turn in turns)}
    for number, arm in enumerate(arms):
        told |= probe_settings(arm, number)
    return told


def block_of_plan(block: Block) -> dict[str, Any]:
    """Return a block as the plan of a driver holds it: an arm is what its probes are told."""
    steps = [{**_fields(step), "arm": probe_settings(step.arm)} for step in block.steps]
    return {**_fields(block), "steps": steps}


def _fields(entry: Block | Step) -> dict[str, Any]:
    # A copy in depth would be one of the names of thousands of methods, for every step.
    return {field.name: getattr(entry, field.name) for field in fields(entry)}


def tally_of(record: Mapping[str, Any]) -> Tally:
    """Return the tally that a probe wrote, with its times in seconds."""
    return Tally(
        build_id=record["build_id"],
        methods={
            name: MethodTally(
                calls=entry["calls"],
                setup_calls=entry.get("setup_calls", 0),
                loading_calls=entry.get("loading_calls", 0),
                longest_s=entry["longest_ns"] * 1e-9 if "longest_ns" in entry else None,
                batches=entry["batches"],
                injected_s=entry["injected_ns"] * 1e-9,
                timed_s=entry["timed_ns"] * 1e-9,
                error_s=entry.get("error_ns", 0.0) * 1e-9,
                cut_s=entry["cut_ns"] * 1e-9 if "cut_ns" in entry else None,
                apart_s=entry["apart_ns"] * 1e-9 if entry.get("apart_ns", 0) > 0 else None,
                uncut_s=entry["uncut_ns"] * 1e-9 if "uncut_ns" in entry else None,
                waited_s=entry.get("waited_ns", 0.0) * 1e-9,
                inside_s=entry.get("inside_ns", 0.0) * 1e-9,
                on_processor=_on_processor(entry),
                probe_s=entry.get("probe_ns", 0.0) * 1e-9,
                requested_s=entry["requested_ns"] * 1e-9 if "requested_ns" in entry else None,
                callers=entry.get("callers", {}),
                elsewhere=entry.get("elsewhere", ""),
            )
            for name, entry in record["methods"].items()
        },
        from_first=record.get("from_first", 0),
        set_up_s=record.get("set_up_s", 0.0),
        on_processor=_on_processor(record),
    )


def _on_processor(entry: Mapping[str, Any]) -> float:
    """Return the part of a timed region that others did not take away; 1: all of it, or not known."""
    if entry.get("cpu_ns", 0) > 0 and entry.get("wall_ns", 0) > 0:
        return min(1.0, float(entry["cpu_ns"] / entry["wall_ns"]))
    return 1.0
