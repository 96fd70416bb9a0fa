"""Which benchmarks of a suite are worked on: what users choose by name."""

from collections.abc import Iterable
from dataclasses import replace

from abs_audit.config import Settings
from abs_audit.errors import NothingChosenError
from abs_audit.model.subject import Discovery
from abs_audit.patterns import matching, unmatched


def chosen(discovery: Discovery, settings: Settings) -> Discovery:
    """Return the benchmarks that the settings choose; raise NothingChosenError for patterns without any."""
    ids = [benchmark.id for benchmark in discovery.benchmarks]
    every = [*ids, *(benchmark.id for benchmark in discovery.broken)]
    if empty := unmatched("--benchmarks", settings.benchmarks, every, "benchmark of the suite"):
        raise NothingChosenError("\n".join(empty))
    left = set(kept(every, settings))
    if not left & set(ids) and ids:
        raise NothingChosenError(
            f"--benchmarks, --exclude-benchmarks and --shard leave none of {len(ids)} benchmarks, "
            f"such as {ids[0]}"
        )
    return replace(
        discovery,
        benchmarks=tuple(benchmark for benchmark in discovery.benchmarks if benchmark.id in left),
        broken=tuple(benchmark for benchmark in discovery.broken if benchmark.id in left),
    )


def kept(names: Iterable[str], settings: Settings) -> list[str]:
    """Return the names that the settings choose, in order."""
    every = list(names)
    wanted = [name for pattern in settings.benchmarks for name in matching(pattern, every)]
    excluded = {name for pattern in settings.exclude_benchmarks for name in matching(pattern, every)}
    left = set(wanted if settings.benchmarks else every) - excluded
    if settings.shard:
        left = part(left, settings.shard)
    return [name for name in every if name in left]


def selection(settings: Settings) -> tuple[tuple[str, ...], ...]:
    """Return the patterns that choose benchmarks; empty where all of the suite are meant."""
    shard = (settings.shard,) if settings.shard else ()
    patterns = (settings.benchmarks, settings.exclude_benchmarks, shard)
    return patterns if any(patterns) else ()


def part(benchmarks: Iterable[str], shard: str) -> set[str]:
    """Return the benchmarks of one of several shards, such as `1/3`.

    Dealt out in turn over the sorted ids, so that neighbours, which often cost alike, lie in different
    shards. Recorded durations would balance better, but jobs that know different ones would leave
    benchmarks out.
    """
    number, _, shards = shard.partition("/")
    return set(sorted(benchmarks)[int(number) - 1 :: int(shards)])
