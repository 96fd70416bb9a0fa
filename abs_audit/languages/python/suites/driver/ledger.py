"""Writes the results file: one line a record, and exactly one record for each step of the plan."""

from __future__ import annotations

import json
import os

OK, FAILED, TIMED_OUT, SKIPPED, MISSING = "ok", "failed", "timed-out", "skipped", "missing"
LONGEST_REASON = 500


class _LineFile:
    """Appends whole lines, one write each, so that a reader never meets half a record for long."""

    def __init__(self, plan):
        self.open(plan)

    def open(self, plan):
        """Begin to write what a plan asks for, be it in a process that had begun with another one."""
        self._descriptor = os.open(plan["results"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._root = plan["root"] + os.sep

    def write(self, record):
        """Append one record; places inside the tree are told relative to it."""
        if "reason" in record:
            reason = " ".join(str(record["reason"]).replace(self._root, "").split())
            record = {**record, "reason": reason[:LONGEST_REASON]}
        line = json.dumps(record, allow_nan=True).encode("utf-8") + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        self.finish(problem and f"{kind.__name__}: {problem}")

    def finish(self, problem=None):
        """Write what is missing and close the file; `problem` is what ended the driver, if anything did."""
        self.close(problem)
        os.close(self._descriptor)

    def close(self, problem):
        """Write what is still missing, and why."""


class Listing(_LineFile):
    """What a suite contains, line by line; the last line proves that the listing is whole."""

    def __init__(self, plan):
        super().__init__(plan)
        self.problem = None
        self._seen = set()

    def benchmark(self, identifier, parameters, import_s=0.0):
        """Record one benchmark; a second one under the same id would not be selectable.

        `import_s`: seconds that a process needs for its module before it can execute it.
        """
        if identifier in self._seen:
            self.broken(identifier, "another benchmark has the same id")
            return
        self._seen.add(identifier)
        told = {"id": identifier, "parameters": parameters, "import_s": import_s}
        self.write({"record": "benchmark", **told})

    def broken(self, identifier, reason):
        """Record what the framework names but what cannot be measured."""
        self.write({"record": "broken", "id": identifier, "reason": reason})

    def close(self, problem):
        """Write the last line, with what went wrong as a whole, if anything did."""
        self.write({"record": "end", "problem": problem or self.problem})


class Ledger(_LineFile):
    """Accounts for every step: what no one reported in the end is reported missing."""

    def open(self, plan):
        """Begin to account for the steps of a plan."""
        super().open(plan)
        blocks = plan["blocks"]
        self._missing = {(block["id"], step) for block in blocks for step in range(len(block["steps"]))}
        self._blocks = blocks
        self._held = []

    def hold(self, record):
        """Keep a record back until it is known whether its test passes."""
        key = record["block"], record["position"]
        if key in self._missing:
            self._missing.discard(key)
            self._held.append(record)

    def commit(self, objection=None):
        """Write what was held back; under an objection, successes among it become failures."""
        held, self._held = self._held, []
        for record in held:
            if objection and record["status"] == OK:
                self.write(unsuccessful(record["block"], record["position"], FAILED, objection))
            else:
                self.write(record)

    def settle(self, block, status, reason):
        """Give every step of a block that has no record yet this one."""
        for position in range(len(block["steps"])):
            self.hold(unsuccessful(block["id"], position, status, reason))
        self.commit()

    def close(self, problem):
        """Report what is left: missing, unless the driver failed and did not come to it."""
        self.commit()
        status, reason = (FAILED, problem) if problem else (MISSING, "the suite has no such benchmark")
        for block in self._blocks:
            self.settle(block, status, reason)


def unsuccessful(block, position, status, reason):
    """Return the record of a step that yielded nothing."""
    return {
        "record": "trial",
        "block": block,
        "position": position,
        "status": status,
        "reason": reason,
        "invocations": 0,
        "values": [],
        "tally": None,
        "wall_s": 0.0,
    }
