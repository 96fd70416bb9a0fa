"""How fast is a step of the bisection, and do its weights equal git's?

    python -m benchmarks.bisection [--data DIR] [--sizes 1000,10000,100000] [--git-up-to 30000]

Part one makes random histories of growing size, writes each into a git repository, and measures one step
(candidates and all weights) beside `git rev-list --bisect-all` on that repository: the same work, though git
reads its objects as well. Part two, where the folder with recorded commit graphs is at hand, compares the
weights of every commit of one graph and of a sample of a larger one with the distances that git printed.
"""

import argparse
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from abs_audit.analyses.rootcause.commits.history import History, ancestors_and_self, restricted, weights

STEP_BAR_S = 1.0
"""A step on 100,000 commits must take less."""
RATIO_BAR = 10.0
"""And be at least so many times faster than git from 10,000 commits on."""
DATA = Path("../shared/data")

Parents = list[list[int]]


def random_parents(size: int, seed: int) -> Parents:
    """Return a history below one head; a quarter of the commits are merges, as in git's own history."""
    draw = random.Random(seed)
    parents: Parents = [[]]
    childless = {0}
    for commit in range(1, size):
        near = max(0, commit - 10)
        own = set(draw.choices(range(near, commit), k=1 if draw.random() < 0.75 else 2))
        own |= {old for old in childless if old < near + 2 or commit == size - 1}
        childless = (childless - own) | {commit}
        parents.append(sorted(own))
    return parents


def named(parents: Parents) -> History:
    """Return the history with names for its commits."""
    names = list(map(str, range(len(parents))))
    return {name: [names[parent] for parent in own] for name, own in zip(names, parents, strict=True)}


def step(history: History) -> dict[str, int]:
    """Return the candidates between both ends, with their weights: what one step of the search computes."""
    good, *_, bad = history
    kept = ancestors_and_self(history, bad) - ancestors_and_self(history, good)
    return weights(restricted(history, [commit for commit in history if commit in kept]))


def timed_step(history: History) -> float:
    start = time.perf_counter()
    step(history)
    return time.perf_counter() - start


def repository(folder: Path, parents: Parents) -> list[str]:
    """Write the history as empty commits; return their ids."""
    lines = []
    for commit, own in enumerate(parents, start=1):
        lines.append(
            f"commit refs/heads/main\nmark :{commit}\ncommitter A <a@b> {1_500_000_000 + commit} +0000"
        )
        lines.append(f"data 1\n{commit % 10}")
        lines += [f"{'merge' if place else 'from'} :{parent + 1}" for place, parent in enumerate(own)]
        lines.append("")
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force", "--export-marks=marks"],
        cwd=folder,
        input="\n".join(lines).encode(),
        check=True,
    )
    subprocess.run(
        ["git", "commit-graph", "write", "--reachable"], cwd=folder, check=True, capture_output=True
    )
    marks = dict(line.split() for line in (folder / "marks").read_text().splitlines())
    return [marks[f":{number}"] for number in range(1, len(parents) + 1)]


def git_distances(folder: Path, commits: Sequence[str]) -> tuple[dict[str, int], float]:
    """Return git's own distances and what it took to print them."""
    start = time.perf_counter()
    done = subprocess.run(
        ["git", "rev-list", "--bisect-all", commits[-1], f"^{commits[0]}"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    took = time.perf_counter() - start
    lines = done.stdout.splitlines()
    return {line.split()[0]: int(line.split("dist=")[1].rstrip(")")) for line in lines}, took


def growth(sizes: Sequence[int], git_up_to: int) -> None:
    print("  commits     step     git   ratio   growth   weights that differ")
    before = None
    for size in sizes:
        parents = random_parents(size, seed=size)
        history = named(parents)
        took = min(timed_step(history) for _ in range(3))
        line = f"{size:9,d} {took:8.4f}"
        line += beside_git(parents, took) if size <= git_up_to else " " * 26
        if before is not None:
            line += f"   ×{took / before[1]:.1f} for ×{size / before[0]:.0f}"
        before = size, took
        print(line, flush=True)
        assert size > 100_000 or took < STEP_BAR_S, "a step takes too long"


def beside_git(parents: Parents, took: float) -> str:
    with tempfile.TemporaryDirectory() as folder:
        commits = repository(Path(folder), parents)
        distances, git_s = git_distances(Path(folder), commits)
    weighed = step(named(parents))
    differ = sum(distances[commits[int(name)]] != weight for name, weight in weighed.items())
    assert len(distances) == len(weighed)
    assert differ == 0, "weights differ from git's"
    assert len(parents) < 10_000 or git_s / took >= RATIO_BAR, "not faster than git"
    return f" {git_s:7.3f} {git_s / took:6.0f}x {differ:9d}"


def recorded(path: Path, sample: int | None) -> None:
    """Compare with the distances that git printed for a real repository."""
    data = np.load(path)
    offsets, flat = data["offsets"].tolist(), data["parents"].tolist()
    history = named([flat[begin:end] for begin, end in pairwise(offsets)])
    start = time.perf_counter()
    weighed = step(history)
    took = time.perf_counter() - start
    members, found = list(map(int, weighed)), np.array(list(weighed.values()))
    expected = data["git_bisect_all_dist"][members]
    chosen = np.arange(len(members))
    if sample is not None:
        chosen = np.random.default_rng(1).choice(chosen, size=sample, replace=False)
    differ = int((found[chosen] != expected[chosen]).sum())
    print(f"{path.name}: {len(chosen):,d} of {len(members):,d} commits, {differ} differ, step {took:.3f} s")
    assert differ == 0, "weights differ from git's"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sizes", default="1000,3000,10000,30000,100000")
    parser.add_argument("--git-up-to", type=int, default=30_000, help="git's own time grows with the square")
    options = parser.parse_args()
    growth([int(size) for size in options.sizes.split(",")], options.git_up_to)
    for name, sample in (("dag_etcd.npz", None), ("dag_git.npz", 20_000)):
        if (options.data / name).exists():
            recorded(options.data / name, sample)
        else:
            print(f"{options.data / name}: not there, not compared")


if __name__ == "__main__":
    main()
