"""PRCA's four controlled experiments, measured for real: are commit and method found, what does it take?

    python -m benchmarks.root_cause_experiments [--language python|go] [--experiment NAME] [--rule paper]

Builds each repository (24 commits with merges) in a temporary folder and hands it to the program as a user
would. A row shows the commit and the method named and whether they are right, the commits measured beside
log2 of the candidates, the runs made, and the time from start to end (of the last piece, where a search was
cut off and went on under `--folder`).
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.controlled import BENCHMARKS, CULPRITS, LEVELS, causes, repository
from tests.support.repositories import git

PROGRAM = Path(sys.executable).parent / "abs-audit"


def searched(folder: Path, ids: list[str], language: str, rule: str) -> tuple[dict[str, Any], float]:
    """Return the document of the search and what it took."""
    start = time.perf_counter()
    done = subprocess.run(
        [
            str(PROGRAM),
            *("rootcause", "lib", "--json", "-q", "--rule", rule),
            *(("--interpreter", sys.executable) if language == "python" else ()),
            *("--good", ids[0], "--bad", ids[-1], "--benchmark", BENCHMARKS[language]),
        ],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout), time.perf_counter() - start


def row(folder: Path, experiment: str, language: str, rule: str) -> bool:
    place = folder / f"{language}-{rule}-{experiment.replace(', ', '-').replace(' ', '-')}"
    if (place / "lib").exists():
        ids = [git(place / "lib", "rev-parse", f"c{number}").strip() for number in range(1, 25)]
    else:
        ids = repository(place / "lib", experiment, language)
    found, took = searched(place, ids, language, rule)
    right = found["cause"] in causes(ids, experiment)
    methods = [one["method"] for one in found["changed_methods"] if one["suspicion"] > 0]
    blamed = methods[:1] == [CULPRITS[language]]
    runs = sum(one["runs"] for one in found["measured"])
    print(
        f"{language:7s} {experiment:29s} {rule:8s} {'right' if right else 'WRONG':6s}"
        f" {'right' if blamed else 'WRONG':6s} {len(found['measured']):3d} of {found['candidates']}"
        f" (log2 {math.log2(found['candidates']):.1f}) {runs:4d} runs {took:6.1f} s",
        flush=True,
    )
    return right and blamed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--language", choices=("python", "go"), action="append")
    parser.add_argument("--experiment", choices=LEVELS, action="append")
    parser.add_argument("--rule", choices=("default", "paper"), default="default")
    parser.add_argument("--folder", type=Path, help="keep all there, so that a cut-off search goes on")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        explain(options, options.folder or Path(temporary))


def explain(options: argparse.Namespace, folder: Path) -> None:
    print("language experiment                   rule     commit method  measured")
    rows = [
        row(folder.resolve(), experiment, language, options.rule)
        for language in options.language or ("python", "go")
        for experiment in options.experiment or LEVELS
    ]
    assert all(rows) or options.rule == "paper", "a controlled experiment was not explained"


if __name__ == "__main__":
    main()
