"""How often is the right commit found under noise, and what does it take?

    python -m benchmarks.root_cause_noise [--histories 200] [--commits 1000] [--seed 20131]

Simulates random histories with merges. A run of a commit is 50 values of 5 % variation around a level that
is shifted by 1 % from run to run; one commit raises the level of itself and its descendants by 5, 10 or 25 %.
Both rules search the same histories. Beside the share of right answers (with its 95 % interval) stand the
commits measured, the runs made until there is an answer, and the runs (and values) made until the answer is
confirmed and the periods on both sides of it are seen to hold no further regression. Further tables let the
machine drift by 3 % besides, so slowly that neighbouring rounds are much alike; and let other work slow down
one run in five, by half on average.
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.rootcause.commits.history import History, ancestors_and_self
from abs_audit.analyses.rootcause.commits.investigation import Investigation
from abs_audit.analyses.rootcause.commits.rules import MidpointRule, PaperRule, Rule
from abs_audit.analyses.rootcause.commits.samples import Run, measured
from abs_audit.stats.intervals import wilson

EFFECTS = (0.05, 0.10, 0.25)
WEATHERS = ((0.0, 0.0), (0.03, 0.0), (0.0, 0.2))
"""Standard deviation of the drift, and part of the runs that other work disturbs."""
VALUES = 50
VARIATION = 0.05
SHIFT = 0.01
BAR = 0.95
"""Share of right answers that the default must reach at 10 %."""


@dataclass(frozen=True)
class Conditions:
    effect: float
    drift: float
    disturbed: float


@dataclass(frozen=True)
class Outcome:
    right: bool
    invented: int
    """Confirmed regressions beside the right one."""
    commits: int
    runs_to_answer: int
    runs: int


def random_history(size: int, seed: int) -> History:
    """Return a history in which a quarter of the commits are merges, all below one head."""
    draw = random.Random(seed)
    names = [f"{number:06d}" for number in range(size)]
    history_of: dict[str, list[str]] = {names[0]: []}
    childless = {0}
    for commit in range(1, size):
        near = max(0, commit - 10)
        parents = set(draw.choices(range(near, commit), k=1 if draw.random() < 0.75 else 2))
        # Nothing may be left behind: what nobody continues is merged before it is out of sight.
        parents |= {old for old in childless if old < near + 2 or commit == size - 1}
        childless = (childless - parents) | {commit}
        history_of[names[commit]] = [names[parent] for parent in sorted(parents)]
    return history_of


class Machine:
    """Answers requests for runs with simulated values."""

    def __init__(self, found: History, cause: str, conditions: "Conditions", seed: int) -> None:
        effect, drift = conditions.effect, conditions.drift
        self._disturbed = conditions.disturbed
        self._draw = np.random.default_rng(seed)
        self._slow: dict[str, bool] = {}
        for commit, parents in found.items():
            self._slow[commit] = commit == cause or any(self._slow[parent] for parent in parents)
        self._effect = effect
        self._drift = drift
        self._weather = drift * self._draw.normal()
        self._round = 0
        self.runs: dict[str, list[Run]] = {}

    def next_round(self) -> None:
        """Let the machine drift: a first-order autoregression, .9 from round to round."""
        self._round += 1
        self._weather = 0.9 * self._weather + np.sqrt(1 - 0.81) * self._drift * self._draw.normal()

    def run(self, commit: str) -> None:
        level = (1 + self._effect * self._slow[commit]) * (1 + self._weather)
        level *= 1 + SHIFT * self._draw.normal()
        if self._draw.random() < self._disturbed:
            level *= 1 + self._draw.exponential(0.5)
        values = level * (1 + VARIATION * self._draw.normal(size=VALUES))
        run = Run(round=self._round, values=tuple(np.maximum(values, 1e-3).tolist()))
        self.runs.setdefault(commit, []).append(run)


def search(found: History, conditions: Conditions, rule: Rule, seed: int) -> Outcome:
    cause = cause_of(found, seed)
    machine = Machine(found, cause, conditions, seed)
    first, *_, last = found
    investigation = Investigation(found, first, last)
    known = measured({})
    runs_to_answer = 0
    while True:
        progress = investigation.progress(known, rule)
        over = bool(progress.walks) and progress.walks[0].wanted is None
        runs_to_answer = runs_to_answer or (sum(map(len, machine.runs.values())) if over else 0)
        if not progress.wanted:
            break
        machine.next_round()
        for commit in progress.wanted:
            machine.run(commit)
        known = measured(machine.runs)
    answer = progress.regressions[0].cause if progress.regressions else None
    invented = sum(one.confirmed and one.cause != cause for one in progress.regressions)
    return Outcome(
        right=answer == cause,
        invented=invented,
        commits=len(machine.runs),
        runs_to_answer=runs_to_answer,
        runs=sum(map(len, machine.runs.values())),
    )


def cause_of(found: History, seed: int) -> str:
    """Return a commit that the head has, and the first does not have."""
    first, *_, last = found
    head = ancestors_and_self(found, last) - {first}
    return random.Random(seed).choice([commit for commit in found if commit in head])


def report(conditions: Conditions, rule: Rule, outcomes: Sequence[Outcome]) -> float:
    right = sum(one.right for one in outcomes)
    low, high = wilson(right, len(outcomes))
    print(
        f"{conditions.effect:6.0%} {conditions.drift:6.0%} {conditions.disturbed:10.0%}  {rule.name:8s}"
        f" {right / len(outcomes):6.3f}  [{low:.3f}, {high:.3f}]"
        f"  {sum(one.invented for one in outcomes):8d}"
        f"  {np.mean([one.commits for one in outcomes]):8.1f}"
        f"  {np.mean([one.runs_to_answer for one in outcomes]):10.1f}"
        f"  {np.mean([one.runs for one in outcomes]):6.1f}"
        f"  {VALUES * np.mean([one.runs for one in outcomes]):8.0f}"
    )
    return right / len(outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20131)
    options = parser.parse_args()
    print(f"{options.histories} histories of {options.commits} commits, log2 {np.log2(options.commits):.1f}")
    print("effect  drift  disturbed  rule      right  95 % interval   invented  ", end="")
    print(" commits  for answer    runs    values")
    histories = [random_history(options.commits, options.seed + n) for n in range(options.histories)]
    for conditions in [Conditions(effect, *weather) for weather in WEATHERS for effect in EFFECTS]:
        shares = {}
        for rule in (MidpointRule(), PaperRule()):
            outcomes = [
                search(found, conditions, rule, options.seed + n) for n, found in enumerate(histories)
            ]
            shares[rule.name] = report(conditions, rule, outcomes)
        if conditions.effect >= 0.10 and options.histories >= 200:
            assert shares["default"] >= BAR, "the default misses its bar"
            assert shares["default"] > shares["paper"], "the default does not beat the paper's rule"


if __name__ == "__main__":
    main()
