"""Walks through the plan's blocks in their order, one visit of a benchmark after another."""

from __future__ import annotations

import gc
from itertools import groupby

from _abs_audit_driver.fork import Setting, execute_block
from _abs_audit_driver.ledger import FAILED
from _abs_audit_driver.probing import SetupWatch, find_probe


def _nothing(_plan):
    """Import nothing for a plan."""
    return False


class Visits:
    """Neighbouring blocks of the same benchmark are executed at one visit, a fork each."""

    def __init__(self, blocks, ledger, plans):
        self.ledger = ledger
        self.order = _order(blocks)
        self._plans = plans
        self.probe = find_probe()
        self.watch = SetupWatch(self.probe, [step["arm"] for block in blocks for step in block["steps"]])

    def imported(self, import_for=_nothing):
        """Mark the end of what all benchmarks share; where several plans come, return in a fork for each.

        `import_for` imports what a plan needs and no other did; it tells whether there was something. A
        process that never comes here executes its first plan, and is of no further use.
        """
        self._mark()
        plan = self._plans.next_in_fork(lambda plan: import_for(plan) and self._mark())
        if plan is not None:
            self.ledger.open(plan)
            self.order = _order(plan["blocks"])

    def _mark(self):
        self.watch.imported()
        # Else each fork looks through all that imports made, right after it has begun.
        gc.collect()

    def leave(self):
        """End this process if others execute plans after it, all its steps accounted for."""
        self._plans.leave(self.ledger)

    def execute(self, blocks, workload, skips=()):
        """Execute blocks at the point where the framework would time.

        Return their records. They are held back until `Ledger.commit`.
        """
        setting = Setting(self.probe, self.watch, skips)
        records = []
        for block in blocks:
            for record in execute_block(block, workload, setting):
                self.ledger.hold(record)
                records.append(record)
        return records

    def fail(self, blocks, reason, status=FAILED):
        """Give every step of the blocks that has no record yet a failure."""
        for block in blocks:
            self.ledger.settle(block, status, reason)


def _order(blocks):
    """Return each benchmark to visit with its blocks, in their order."""
    return [(name, list(group)) for name, group in groupby(blocks, lambda block: block["benchmark"])]
