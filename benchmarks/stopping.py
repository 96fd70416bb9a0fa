"""Replay the stopping rules on recorded series: accuracy, credibility and values used, beside a fixed count.

    python benchmarks/stopping.py series.npz [--windows 3] [--rules superflow1,metior] [--json out.json]

The file holds either one array a series, or `names`, `offsets` and `values` of many short ones. Of each
series, `windows` stretches of `--length` values are replayed. A stretch is its own ground truth, as in
paper 002, and the stretch behind it is an independent one ("fresh"). Each rule stands next to a fixed count
with the same mean cost, because much of a rule's accuracy is just the number of values it takes.
"""

import argparse
import itertools
import json
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import numpy as np

from abs_audit.analyses.stop.model import Replay, ReplaySettings, judge, replay
from abs_audit.analyses.stop.rules.catalogue import RULES, stopping_rule
from abs_audit.analyses.stop.rules.metior import Metior
from abs_audit.analyses.stop.rules.rule import StoppingRule
from tests.support.fixed_count import FixedCount

Series = Mapping[str, np.ndarray]


def load(path: Path, shortest: int) -> Series:
    """Return all series of the file with at least `shortest` values, all above 0."""
    data = np.load(path)
    if "offsets" in data.files:
        offsets, values = data["offsets"], data["values"].astype(float)
        bounds = itertools.pairwise(offsets)
        found = {f"{i}": values[low:high] for i, (low, high) in enumerate(bounds)}
    else:
        found = {name: data[name].astype(float) for name in data.files}
    return {name: values for name, values in found.items() if values.size >= shortest and values.min() > 0}


def stretches(series: Series, length: int, windows: int) -> tuple[Series, Series]:
    """Return the stretches to replay, and for those with enough values behind them a fresh one."""
    own, fresh = {}, {}
    for name, values in series.items():
        starts = np.linspace(0, max(0, values.size - 2 * length), windows).astype(int)
        for start in sorted(set(starts.tolist())):
            key = f"{name}@{start}"
            own[key] = values[start : start + length]
            behind = values[start + length : start + 2 * length]
            if behind.size == length:
                fresh[key] = behind
    return own, fresh


def sampled(series: Series, limit: int, seed: int) -> Series:
    """Return at most `limit` of the series, drawn without replacement."""
    names = list(series)
    if len(names) <= limit:
        return series
    chosen = np.random.default_rng(seed).choice(len(names), size=limit, replace=False)
    return {names[i]: series[names[i]] for i in sorted(chosen)}


def row(label: str, result: Replay, own: Series, fresh: Series, *, quirks: bool) -> dict[str, object]:
    """Return one line of the table."""
    used = {one.series: one.used for one in result.series}
    again = [judge(own[k][: used[k]], fresh[k], paper_quirks=quirks).accuracy for k in fresh]
    stopped = fmean(one.stop_at is not None for one in result.series)
    return {
        "rule": label,
        "accuracy": result.accuracy_mean,
        "worst": result.accuracy_worst,
        "fresh": fmean(again) if again else None,
        "credible": result.credibility,
        "runs": result.runs_mean,
        "stopped": stopped,
        "accuracy_zero": sum(
            one.judgement is not None and one.judgement.accuracy == 0 for one in result.series
        ),
    }


def show(line: dict[str, object]) -> str:
    """Return a line of a Markdown table."""

    def number(value: object, form: str = ".4f") -> str:
        return "–" if value is None else format(value, form)

    credible = " / ".join(number(share, ".2f") for share in line["credible"])  # type: ignore[attr-defined]
    figures = (number(line[key]) for key in ("accuracy", "worst", "fresh"))
    return (
        f"| {line['rule']} | {' | '.join(figures)} | {credible} | {number(line['runs'], '.1f')} "
        f"| {number(line['stopped'], '.2f')} | {line['accuracy_zero']} |"
    )


def rules(names: list[str], seed: int) -> Mapping[str, StoppingRule]:
    """Return the rules by label; Metior in both of its forms."""
    chosen: dict[str, StoppingRule] = {
        name: stopping_rule(name, seed=seed, paper_quirks=True) for name in names
    }
    if "metior" in chosen:
        chosen["metior (text)"] = Metior(seed=seed, paper_quirks=False)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--length", type=int, default=1000, help="values in a stretch, and the cap")
    parser.add_argument("--windows", type=int, default=1, help="stretches of each series")
    parser.add_argument("--limit", type=int, default=10_000, help="most series, drawn at random")
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", action="store_true", help="judge without the quirks of the programs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    series = sampled(load(options.data, options.length), options.limit, options.seed)
    own, fresh = stretches(series, options.length, options.windows)
    settings = ReplaySettings(cap=options.length, looks_kept=False, paper_quirks=not options.text)
    print(f"{len(own)} stretches of {options.length} values, {len(fresh)} with a fresh one\n")
    print(
        "| rule | accuracy | worst | fresh | credible p25 / p50 / p75 / p90 | runs | stopped | accuracy 0 |"
    )
    print("|---|---|---|---|---|---|---|---|")
    lines = []
    for label, rule in rules(options.rules.split(","), options.seed).items():
        started = time.perf_counter()
        result = replay(rule, own, settings=settings)
        took = time.perf_counter() - started
        count = max(1, round(result.runs_mean))
        baseline = replay(FixedCount(first=count), own, settings=settings)
        for text, one in ((label, result), (f"– fixed at {count}", baseline)):
            lines.append(row(text, one, own, fresh, quirks=not options.text) | {"seconds": took})
            print(show(lines[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
