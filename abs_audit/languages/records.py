"""Reads what a driver wrote: one JSON document a line."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abs_audit.advising import advised
from abs_audit.errors import ControlFailedError, MismatchError
from abs_audit.grouping import grouped
from abs_audit.languages.probe_protocol import tally_of
from abs_audit.model.experiment import Block, Execution
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery


def read_discovery(execution: Execution, framework: str) -> Discovery:
    """Return what a suite contains; raise ControlFailedError where the listing is not whole."""
    listed = grouped((record["record"], record) for record in records(execution.output))
    end, *_ = listed.get("end", [{"problem": f"exit code {execution.exit_code}"}])
    if end["problem"]:
        log = f"{execution.log.strip()}\n" if execution.log.strip() else ""
        raise ControlFailedError(
            f"the {framework} benchmarks could not be listed: {end['problem']}\n{log}"
            "make the suite importable (packages: `requirements` in abs-audit.toml), "
            f"then: {advised('list')}"
        )
    return Discovery(
        benchmarks=tuple(
            Benchmark(id=record["id"], parameters=record["parameters"])
            for record in listed.get("benchmark", ())
        ),
        broken=tuple(
            BrokenBenchmark(id=record["id"], reason=record["reason"]) for record in listed.get("broken", ())
        ),
        imports_s={
            record["id"]: import_s
            for record in listed.get("benchmark", ())
            if (import_s := record.get("import_s"))
        },
    )


def read_trials(blocks: Sequence[Block], output: str) -> tuple[Trial, ...]:
    """Return one trial for each whole line; raise MismatchError for a line of anything else."""
    by_id = {block.id: block for block in blocks}
    return tuple(_trial(by_id, record) for record in records(output) if record["record"] == "trial")


def records(output: str) -> Iterator[Mapping[str, Any]]:
    """Yield the document of each whole line; raise MismatchError for a line of anything else."""
    lines = output.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            if number == len(lines):
                # The process was killed while it wrote: not a whole line, not a record.
                return
            raise unusable(f"line {number}: expected a JSON record", line) from error
        if not isinstance(record, dict) or "record" not in record:
            raise unusable(f"line {number}: expected a JSON record", line)
        yield record


def unusable(expectation: str, instead: object) -> MismatchError:
    """Return the error for a result file that holds something else."""
    return MismatchError(
        f"results of the driver, {expectation}, found {str(instead)[:200]!r}; "
        "remove the result file and run the same command again"
    )


def _trial(blocks: Mapping[str, Block], record: Mapping[str, Any]) -> Trial:
    block = blocks.get(record["block"])
    if block is None or not 0 <= record["position"] < len(block.steps):
        raise unusable("expected a step of the blocks at hand", (record["block"], record["position"]))
    status = Status(record["status"])
    values = tuple(map(float, record["values"]))
    wanted = block.steps[record["position"]].iterations if status is Status.OK else 0
    if len(values) != wanted:
        raise unusable(f"{block.benchmark}: expected {wanted} values", len(values))
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise unusable(f"{block.benchmark}: expected times above zero", value)
    return Trial(
        block=block.id,
        position=record["position"],
        status=status,
        reason=record["reason"],
        invocations=record["invocations"],
        values=values,
        tally=None if record["tally"] is None else tally_of(record["tally"]),
        wall_s=record["wall_s"],
    )
