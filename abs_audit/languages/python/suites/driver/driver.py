"""Measures benchmarks inside the subject's interpreter, as a plan file says.

Started as `python driver.py PLAN.json`. Standard library and the subject's own framework only;
Python 3.8 and later. Records go to the plan's results file, one JSON document a line.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from pathlib import Path

# The modules beside this file must not be importable by their plain names: a subject may have
# an `asv_suite` of its own. They are found below a package name that nobody else uses.
PACKAGE = "_abs_audit_driver"
SUITES = {"pytest-benchmark": "pytest_suite", "asv": "asv_suite", "pyperf": "pyperf_suite"}


def open_package() -> None:
    """Make the modules beside this file importable as `_abs_audit_driver.*`."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != here]
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(here)]
    sys.modules[PACKAGE] = package


def main(plan_path: str) -> int:
    """Do what the plan says and return the exit code: 0 wherever every record could be written."""
    open_package()
    plans = importlib.import_module(PACKAGE + ".plans").Plans(plan_path)
    plan = json.loads(Path(plan_path).read_text(encoding="utf-8"))
    if plan["task"] == "complete":
        importlib.import_module(PACKAGE + ".completion").complete(plan)
        return 0
    records = importlib.import_module(PACKAGE + ".ledger")
    # The framework is imported after the results are opened: its absence has to be told there.
    suite = PACKAGE + "." + SUITES[plan["framework"]]
    if plan["task"] == "discover":
        with records.Listing(plan) as listing:
            try:
                framework = importlib.import_module(suite)
            except ModuleNotFoundError as missing:
                lacking = f"{sys.executable} has no module {missing.name}"
                listing.problem = f"{lacking}; install it there, or leave out --interpreter"
                return 0
            framework.discover(plan, listing)
        return 0
    with records.Ledger(plan) as ledger:
        visits = importlib.import_module(PACKAGE + ".visits").Visits(plan["blocks"], ledger, plans)
        importlib.import_module(suite).execute(plan, visits)
        visits.leave()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
