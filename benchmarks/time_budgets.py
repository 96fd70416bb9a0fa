"""Does a quarter of the time tell most of the answer, in time, and with an interval that holds the rest?

    python -m benchmarks.time_budgets SUBJECT... [--methods FILE] [--slowdown 0.5] [--goal all] [--tries 3]

A subject is a checkout; an `expected.json` in it, as in fixtures/subjects, names the methods.
A try scores it with a seed of its own without a budget, and then, in another session, with a quarter of
the seconds that this took. What is built is kept between both, so that a budget is spent on measuring.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

PROGRAM = Path(sys.executable).with_name("abs-audit")
PART = 0.25
"""Of the whole time; .6 of the methods should have their verdicts by then."""
ENDINGS = {0, 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is scored."""

    subject: Path
    methods: Path
    slowdown: float
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """A whole score, and one with a quarter of its time."""

    whole_s: float
    budget_s: float
    took_s: float
    methods: int
    settled: int
    """Methods whose verdict is that of the whole score."""
    wrong: int
    """Methods with another verdict, where both have one."""
    holds: bool
    """Whether the interval holds the whole score's."""


def scored(asked: Question, folder: Path, options: Sequence[str]) -> dict[str, Any]:
    """Return the document of a score in a fresh session."""
    command = [PROGRAM, "score", asked.subject, "--methods", asked.methods, "--slowdown", asked.slowdown]
    command += ["--goal", asked.goal, "--session", folder / "session.db", "--json", *options]
    done = subprocess.run([*map(str, command)], capture_output=True, check=False)
    if done.returncode not in ENDINGS:
        raise SystemExit(done.stderr.decode())
    document: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return document


def tried(asked: Question, seed: int) -> Try:
    """Score a subject twice with one seed."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        began = time.monotonic()
        whole = scored(asked, Path(first), ["--seed", str(seed)])
        whole_s = time.monotonic() - began
        budget_s = PART * whole_s
        began = time.monotonic()
        part = scored(asked, Path(second), ["--seed", str(seed), "--budget-time", f"{budget_s:.1f}s"])
        took_s = time.monotonic() - began
    expected, told = _verdicts(whole), _verdicts(part)
    open_methods = {method for method, verdict in told.items() if verdict == "no-verdict"}
    same = [method for method in told if told[method] == expected[method]]
    unsettled = {method for method, verdict in expected.items() if verdict == "no-verdict"}
    wrong = told.keys() - open_methods - unsettled - set(same)
    return Try(
        whole_s=whole_s,
        budget_s=budget_s,
        took_s=took_s,
        methods=len(expected),
        settled=len(same),
        wrong=len(wrong),
        holds=_holds(part, whole),
    )


def _verdicts(document: Mapping[str, Any]) -> dict[str, str]:
    return {method["method"]: method["verdict"] for method in document.get("methods", [])}


def _holds(part: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """Tell whether a score's interval holds all that another says; no answer at all excludes nothing."""
    if not part:
        return True
    (low, high), (least, most) = part["score"]["interval"], whole["score"]["interval"]
    return bool(low <= least and most <= high)


def main() -> int:
    """Try each subject with several seeds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subjects", nargs="+", type=Path)
    parser.add_argument("--methods", type=Path)
    parser.add_argument("--slowdown", type=float, default=0.5)
    parser.add_argument("--goal", default="all")
    parser.add_argument("--tries", type=int, default=3)
    options = parser.parse_args()
    made = []
    print("subject           whole  budget   took  settled  wrong  interval holds", flush=True)
    for subject in options.subjects:
        with tempfile.TemporaryDirectory() as folder:
            methods = options.methods or Path(folder) / "methods.txt"
            if options.methods is None:
                expected = json.loads((subject / "expected.json").read_text(encoding="utf-8"))
                methods.write_text("\n".join(expected["methods"]), encoding="utf-8")
            asked = Question(subject=subject, methods=methods, slowdown=options.slowdown, goal=options.goal)
            scored(asked, Path(folder), ["--budget-time", "60s"])
            for seed in range(1, options.tries + 1):
                made.append(tried(asked, seed))
                print(_line(subject.name, made[-1]), flush=True)
    parts = [known.settled / known.methods for known in made]
    over = max(known.took_s / known.budget_s - 1 for known in made)
    print(
        f"{len(made)} tries: settled in a quarter of the time {median(parts):.2f} (median), "
        f"{min(parts):.2f} (least); over by {over:.0%} at most; "
        f"intervals hold in {sum(known.holds for known in made)}; "
        f"{sum(known.wrong for known in made)} other verdicts"
    )
    return 0


def _line(name: str, known: Try) -> str:
    return (
        f"{name:16} {known.whole_s:6.1f} {known.budget_s:7.1f} {known.took_s:6.1f}"
        f"  {known.settled:3} of {known.methods}  {known.wrong:5}  {'yes' if known.holds else 'NO'}"
    )


if __name__ == "__main__":
    sys.exit(main())
