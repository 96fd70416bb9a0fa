"""Shards of one score: whether they belong together, and the score that they are parts of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from abs_audit.advising import advised
from abs_audit.analyses.score.combining import of_methods, together
from abs_audit.analyses.score.record import KIND, ScoreRecord
from abs_audit.errors import MismatchError, UsageError
from abs_audit.experiment.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One score, and where it is recorded."""

    path: Path
    context: str
    record: ScoreRecord


def check(sessions: Sequence[Session]) -> list[list[Shard]]:
    """Return the shards of each suite.

    Raises MismatchError where the sessions are not shards of one score, UsageError where one holds none.
    """
    suites: dict[str, list[Shard]] = {}
    for session in sessions:
        newest_of: dict[str, Shard] = {}
        for context, record in session.every(KIND).items():
            shard = Shard(path=session.path, context=context, record=record)
            newest_of.setdefault(record.identity.framework, shard)
        if not newest_of:
            measuring = advised("score", "--shard", "K/N")
            raise UsageError(f"{session.path}: no score is recorded; measure one with: {measuring}")
        for framework, shard in newest_of.items():
            suites.setdefault(framework, []).append(shard)
    for shards in suites.values():
        for shard in shards[1:]:
            _require_one_question(shards[0], shard)
    return list(suites.values())


def merge(
    sessions: Sequence[Session], suites: Sequence[Sequence[Shard]], target: Session
) -> list[ScoreRecord]:
    """Put what shards have recorded into one session, and return the score of each suite as a whole.

    `suites`: what `check` returned of the sessions.
    """
    for session in sessions:
        target.absorb(session)
    return [_merged_suite(shards, target) for shards in suites]


def _merged_suite(shards: Sequence[Shard], target: Session) -> ScoreRecord:
    parts = [of_methods(shard.record, shard.record.request.methods) for shard in shards]
    missing = missing_shards([record.request.shard for record in parts])
    told = ""
    if missing:
        told = f"shards {', '.join(missing)} are missing: what only their benchmarks notice counts as missed"
    parts[0] = replace(parts[0], evidence=replace(parts[0].evidence, part=told))
    whole = together(replace(parts[0].request, shard=parts[0].request.shard if missing else None), parts)
    for shard in shards:
        target.store(shard.context, KIND, whole)
    return whole


def _require_one_question(first: Shard, other: Shard) -> None:
    refusal = f"{other.path} and {first.path} do not belong together"
    asked, asked_first = other.record.result, first.record.result
    if other.record.identity != first.record.identity:
        raise MismatchError(f"{refusal}: they are about different sources")
    odd = sorted(set(other.record.request.methods) ^ set(first.record.request.methods))
    if odd:
        raise MismatchError(
            f"{refusal}: only one of them asked about {odd[0]}; "
            "measure all shards with the same --methods FILE"
        )
    if asked.slowdown != asked_first.slowdown:
        raise MismatchError(
            f"{refusal}: slowdowns of {asked_first.slowdown:g} and {asked.slowdown:g}; "
            "measure all shards with the same --slowdown"
        )
    if asked.protocol != asked_first.protocol:
        raise MismatchError(f"{refusal}: they follow different protocols")


def missing_shards(shards: Iterable[str | None]) -> list[str]:
    """Return which parts are not there; none where one of the scores is whole."""
    named = set(shards)
    if None in named:
        return []
    counts = {name.partition("/")[2] for name in named if name is not None}
    if len(counts) > 1:
        raise MismatchError(f"shards of different numbers of parts: {', '.join(sorted(filter(None, named)))}")
    (count,) = counts
    return [part for number in range(1, int(count) + 1) if (part := f"{number}/{count}") not in named]
