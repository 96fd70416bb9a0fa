"""How several answers to one question become one score: of shards, or of methods that were asked in turn."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score.model import Evidence, ScoreSettings
from abs_audit.analyses.score.record import Request, ScoreRecord
from abs_audit.analyses.stability.model import BenchmarkSpread
from abs_audit.experiment.runtime import Runtime
from abs_audit.grouping import grouped
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import FalseAlarms, Verdict

CONCLUSIVE = (Verdict.DETECTED, Verdict.MISSED, Verdict.UNREACHED, Verdict.NO_VERDICT)
"""Where two shards measured the same cell, the earlier of these counts: no verdict says least."""


def together(request: Request, records: Sequence[ScoreRecord]) -> ScoreRecord:
    """Return one record of several that settled different cells of one question."""
    evidence = merged([replace(record.evidence, methods=request.methods) for record in records])
    evidence = replace(evidence, unfinished=records[0].evidence.unfinished, part=records[0].evidence.part)
    score_settings = _settings_of([record.result for record in records])
    shares: dict[str, dict[str, float]] = {}
    for record in records:
        for method, of_benchmark in record.shares.items():
            shares[method] = {**of_benchmark, **shares.get(method, {})}
    return replace(
        records[0],
        request=request,
        trials=sum(record.trials for record in records),
        shares=shares,
        evidence=evidence,
        result=scores.score(evidence, score_settings),
        built=records[0].newest if len(records) > 1 else records[0].built,
    )


def of_methods(record: ScoreRecord, methods: Sequence[str]) -> ScoreRecord:
    """Return what a record says of some methods; its A/A cells are about the suite, and stay."""
    evidence, asked = record.evidence, frozenset(methods)
    return replace(
        record,
        evidence=replace(
            evidence,
            methods=tuple(methods),
            cells=evidence.cells.within(methods=asked),
            skipped=tuple(skipped for skipped in evidence.skipped if skipped.method in asked),
            unfinished=None,
        ),
    )


def completed(record: ScoreRecord, spreads: Iterable[BenchmarkSpread]) -> ScoreRecord:
    """Return a score with the spreads that were measured after it, of benchmarks that lacked theirs."""
    before = record.evidence.spreads
    measured = {spread.benchmark: spread.max_spread for spread in spreads if spread.max_spread is not None}
    later = {name: spread for name, spread in measured.items() if before.get(name) is None}
    if not later:
        return record
    evidence = replace(record.evidence, spreads={**before, **later})
    return replace(record, evidence=evidence, result=scores.score(evidence, record.result))


def kept_beside(record: ScoreRecord, earlier: ScoreRecord) -> ScoreRecord:
    """Return a score with the verdicts of an earlier one on the cells that a budget of time left open now.

    Going on takes the way anew, by what is recorded, and may end before it is as far.
    """
    evidence = record.evidence
    cells = evidence.cells.filled(earlier.evidence.cells, Cause.BUDGET)
    if cells == evidence.cells:
        return record
    left = cells.because(Cause.BUDGET)
    unfinished = evidence.unfinished and replace(evidence.unfinished, methods=len(left - cells.noticed))
    evidence = replace(evidence, cells=cells, unfinished=unfinished if left else None)
    return replace(record, evidence=evidence, result=scores.score(evidence, record.result))


def of_this_command(runtime: Runtime, record: ScoreRecord) -> ScoreRecord:
    """Return the record with the time of this command instead of the sum of several."""
    took = runtime.watch.cost
    cost = replace(record.result.cost, total_s=took.total_s, phases=took.phases)
    return replace(record, result=replace(record.result, cost=cost))


def merged(shards: Sequence[Evidence]) -> Evidence:
    """Return the evidence of all shards of one question, as if one command had come by it."""
    methods = shards[0].methods
    return Evidence(
        methods=methods,
        cells=_best([shard.cells for shard in shards]),
        skipped=tuple({skipped.method: skipped for shard in shards for skipped in shard.skipped}.values()),
        spreads=_known(shards),
        broken=frozenset().union(*(shard.broken for shard in shards)),
        changed=frozenset().union(*(shard.changed for shard in shards)),
        remark="; ".join(dict.fromkeys(filter(None, (shard.remark for shard in shards)))),
    )


def _best(parts: Sequence[Cells]) -> Cells:
    """Return one verdict a cell."""
    if all(_have_nothing_in_common(*pair) for pair in combinations(parts, 2)):
        return Cells.joined(parts)
    alike = grouped(((cell.method, cell.benchmark), cell) for part in parts for cell in part).values()
    return Cells.of(min(group, key=lambda cell: CONCLUSIVE.index(cell.verdict)) for group in alike)


def _have_nothing_in_common(cells: Cells, others: Cells) -> bool:
    return cells.methods.isdisjoint(others.methods) or cells.benchmarks.isdisjoint(others.benchmarks)


def _known(shards: Sequence[Evidence]) -> dict[str, float | None]:
    """Return each benchmark's maxSpread, of the shard that measured it."""
    every = [of_benchmark for shard in reversed(shards) for of_benchmark in shard.spreads.items()]
    return dict(every) | {benchmark: spread for benchmark, spread in every if spread is not None}


def _settings_of(parts: Sequence[ScoreSettings]) -> ScoreSettings:
    first = parts[0]
    alarms = [part.false_alarms for part in parts]
    return replace(
        first,
        false_alarms=FalseAlarms(
            cells=sum(part.cells for part in alarms), alarms=sum(part.alarms for part in alarms)
        ),
        cost=replace(
            first.cost,
            total_s=sum(part.cost.total_s for part in parts),
            benchmark_s=sum(part.cost.benchmark_s for part in parts),
            build_s=sum(part.cost.build_s for part in parts),
        ),
    )
