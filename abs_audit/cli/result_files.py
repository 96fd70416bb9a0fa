"""Turns recorded sessions and result files into what the analyses take; one clear message where it cannot."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import numpy as np

from abs_audit import config as configuration
from abs_audit.analyses.chart.counters import holds_counters, read_counters
from abs_audit.analyses.chart.samples import ChartRun
from abs_audit.analyses.compare.replication import Measured
from abs_audit.analyses.detectable.model import possible
from abs_audit.analyses.detectable.sampling import Instances, Sampling, grid
from abs_audit.cli.context import remark
from abs_audit.cli.declaring import overrides
from abs_audit.cli.options import Common, Sampled
from abs_audit.errors import MismatchError, UsageError
from abs_audit.experiment.recorded_samples import samples
from abs_audit.formats.reading import holds_results
from abs_audit.formats.sample import Sample
from abs_audit.grouping import grouped
from abs_audit.patterns import matching, unmatched


def both_sides(
    before: Path, after: Path, chosen: Sequence[str] = ()
) -> tuple[Measured, Measured, Mapping[str, str]]:
    """Return both sides of a comparison and what their benchmarks are measured in.

    `chosen`: patterns of benchmarks; none: all. Raises UsageError for a pattern that chooses none, and
    MismatchError where a benchmark changed its unit.
    """
    sides = _by_benchmark(before), _by_benchmark(after)
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    if empty := unmatched("--filter", chosen, names, "benchmark"):
        raise UsageError("\n".join(empty))
    if chosen:
        wanted = {name for pattern in chosen for name in matching(pattern, names)}
        old_side, new_side = ({name: side[name] for name in side if name in wanted} for side in sides)
        sides = old_side, new_side
    for name in sorted(sides[0].keys() & sides[1].keys()):
        old, new = (side[name][0].unit for side in sides)
        if old != new:
            raise MismatchError(
                f"{name}: measured in {old} in {before} and in {new} in {after}; give two results in one unit"
            )
    units = {name: parts[0].unit for name, parts in sides[0].items()}
    return forks(sides[0]), forks(sides[1]), units


def forks(measured: Mapping[str, Sequence[Sample]]) -> Measured:
    """Return benchmark → forks → values, in the order measured in; instances and trials in turn."""
    return {name: [sample.values for sample in parts] for name, parts in measured.items()}


def recorded(source: Path | None, session: Path) -> Path:
    """Return where values are read from: a checkout stands for the session with its records."""
    if source is None:
        return session
    if not source.is_dir() or not session.exists():
        return source
    is_checkout = (source / ".git").exists() or not holds_results(source)
    return session if is_checkout else source


def instances(asked: Sampled, common: Common) -> tuple[Path, Mapping[str, Instances]]:
    """Return where values come from, and benchmark → instances → trials → values, forks of a trial pooled."""
    source = recorded(asked.source, common.session)
    measured = {name: _levels(parts) for name, parts in _by_benchmark(source).items()}
    remark(common, f"{source}: {len(measured)} benchmarks")
    return source, measured


def chart_run(source: Path, load: str | None) -> ChartRun:
    """Return the counters of a CSV, or the benchmarks of a session or result file as counters."""
    if holds_counters(source):
        return read_counters(source, load)
    return ChartRun(name=source.name, counters=series(source), load=None)


def series(source: Path) -> dict[str, np.ndarray]:
    """Return the values of each benchmark in the order measured in, all levels in turn."""
    measured = grouped((sample.benchmark, sample.values) for sample in samples(source))
    return {name: np.concatenate(parts) for name, parts in measured.items()}


def _by_benchmark(source: Path) -> dict[str, list[Sample]]:
    return grouped((sample.benchmark, sample) for sample in samples(source))


def _levels(parts: Sequence[Sample]) -> list[list[list[float]]]:
    machines = defaultdict[str, dict[str, list[float]]](dict)
    for part in parts:
        machines[part.instance].setdefault(part.trial, []).extend(part.values)
    return [list(trials.values()) for trials in machines.values()]


def samplings(
    measured: Mapping[str, Instances], asked: Sampled, defaults: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[Sampling, ...]:
    """Return the samplings asked for; of what is not asked for, those of the defaults that the data allow.

    A number that is asked for keeps all of them where none is allowed: what it lacks is to be said.
    """
    wanted = grid(asked.instances or defaults[0], asked.trials or defaults[1])
    if asked.instances and asked.trials:
        return wanted
    allowed = possible(measured, wanted)
    if not asked.instances and not asked.trials:
        return allowed
    number = attrgetter("instances" if asked.instances else "trials")
    answered = {number(sampling) for sampling in allowed}
    return tuple(sampling for sampling in wanted if sampling in allowed or number(sampling) not in answered)


def seed(common: Common) -> int:
    """Return the seed that is in force, from option, environment, configuration or default."""
    return configuration.load(Path(), common.config, overrides((common,)))[0].seed
