"""Puts the evidence of several shards of one score together."""

from collections.abc import Iterable, Sequence

from abs_audit.analyses.score.model import Evidence
from abs_audit.model.verdict import CellVerdict, Verdict

CONCLUSIVE = (Verdict.DETECTED, Verdict.MISSED, Verdict.UNREACHED, Verdict.NO_VERDICT)
"""Where two shards measured the same cell, the earlier of these counts: no verdict says least."""


def merged(shards: Sequence[Evidence]) -> Evidence:
    """Return the evidence of all shards of one question, as if one command had come by it."""
    methods = shards[0].methods
    return Evidence(
        methods=methods,
        cells=tuple(_best(cell for shard in shards for cell in shard.cells)),
        skipped=tuple({skipped.method: skipped for shard in shards for skipped in shard.skipped}.values()),
        spreads=_known(shards),
        broken=frozenset().union(*(shard.broken for shard in shards)),
        changed=frozenset().union(*(shard.changed for shard in shards)),
        remark=shards[0].remark,
    )


def _best(cells: Iterable[CellVerdict]) -> list[CellVerdict]:
    """Return one verdict a cell, in the order in which the cells come."""
    best: dict[tuple[str, str], CellVerdict] = {}
    for cell in cells:
        key = (cell.method, cell.benchmark)
        if key not in best or CONCLUSIVE.index(cell.verdict) < CONCLUSIVE.index(best[key].verdict):
            best[key] = cell
    return list(best.values())


def _known(shards: Sequence[Evidence]) -> dict[str, float | None]:
    """Return each benchmark's maxSpread, of the shard that measured it."""
    spreads: dict[str, float | None] = {}
    for shard in shards:
        for benchmark, spread in shard.spreads.items():
            if spreads.get(benchmark) is None:
                spreads[benchmark] = spread
    return spreads
