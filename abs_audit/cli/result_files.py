"""Turns recorded sessions and result files into what the analyses take; one clear message where it cannot."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from abs_audit import config as configuration
from abs_audit.analyses.chart.counters import holds_counters, read_counters
from abs_audit.analyses.chart.samples import ChartRun
from abs_audit.analyses.compare.replication import Measured
from abs_audit.analyses.detectable.model import possible
from abs_audit.analyses.detectable.sampling import Instances, Sampling, grid
from abs_audit.cli import option_parsing
from abs_audit.errors import MismatchError, UsageError
from abs_audit.experiment.recorded_samples import samples
from abs_audit.formats.sample import Sample


def both_sides(before: Path, after: Path) -> tuple[Measured, Measured, Mapping[str, str]]:
    """Return both sides of a comparison and what their benchmarks are measured in.

    Raises MismatchError where a benchmark changed its unit.
    """
    sides = _by_benchmark(before), _by_benchmark(after)
    for name in sorted(sides[0].keys() & sides[1].keys()):
        old, new = (side[name][0].unit for side in sides)
        if old != new:
            raise MismatchError(
                f"{name}: measured in {old} in {before} and in {new} in {after}; give two results in one unit"
            )
    units = {name: parts[0].unit for name, parts in sides[0].items()}
    return forks(sides[0]), forks(sides[1]), units


def forks(found: Mapping[str, Sequence[Sample]]) -> Measured:
    """Return benchmark → forks → values, in the order measured in; instances and trials in turn."""
    return {name: [sample.values for sample in parts] for name, parts in found.items()}


def instances(source: Path) -> Mapping[str, Instances]:
    """Return benchmark → instances → trials → values; the forks of a trial are pooled."""
    return {name: _levels(parts) for name, parts in _by_benchmark(source).items()}


def chart_run(source: Path, load: str | None) -> ChartRun:
    """Return the counters of a CSV, or the benchmarks of a session or result file as counters."""
    if holds_counters(source):
        return read_counters(source, load)
    counters = {
        name: np.concatenate([sample.values for sample in parts])
        for name, parts in _by_benchmark(source).items()
    }
    return ChartRun(name=source.name, counters=counters, load=None)


def _by_benchmark(source: Path) -> dict[str, list[Sample]]:
    found = defaultdict[str, list[Sample]](list)
    for sample in samples(source):
        found[sample.benchmark].append(sample)
    return dict(found)


def _levels(parts: Sequence[Sample]) -> list[list[list[float]]]:
    machines = defaultdict[str, dict[str, list[float]]](dict)
    for part in parts:
        machines[part.instance].setdefault(part.trial, []).extend(part.values)
    return [list(trials.values()) for trials in machines.values()]


def samplings(
    found: Mapping[str, Instances],
    instance_counts: str | None,
    trial_counts: str | None,
    defaults: tuple[tuple[int, ...], tuple[int, ...]],
) -> tuple[Sampling, ...]:
    """Return the samplings asked for; without being asked, those of the defaults that the data allow."""
    machines = option_parsing.counts("--instances", instance_counts) if instance_counts else defaults[0]
    trials = option_parsing.counts("--trials", trial_counts) if trial_counts else defaults[1]
    asked = grid(machines, trials)
    return asked if instance_counts or trial_counts else possible(found, asked)


def seed(config: Path | None, given: int | None) -> int:
    """Return the seed that is in force, from option, environment, configuration or default."""
    settings, _ = configuration.load(Path(), config, {"seed": given})
    if settings.seed < 0:
        raise UsageError(f"--seed {settings.seed}: expected a whole number of at least 0")
    return settings.seed


def write_page(path: Path | None, render: Callable[[], str]) -> None:
    """Write a page where one is wanted; raise UsageError where it cannot be written."""
    if path is None:
        return
    try:
        path.write_text(render(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--html {path}: cannot write the page ({error.strerror})") from error
