"""What a score leaves in the session, and how several of them become one."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score.merge import merged
from abs_audit.analyses.score.model import Evidence, FalseAlarms, Score, ScoreSettings
from abs_audit.experiment.preparation import Project, Runtime
from abs_audit.model.subject import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks of a score."""

    methods: tuple[str, ...]
    source: str
    """Where the methods come from, for messages."""
    slowdown: float | None
    """None: twice the noise of the suite."""
    protocol: str
    """`switched` or `paper`."""
    settle_all: bool
    stop: str | None = None
    """Stopping rule of the unslowed runs that δ comes from; verdicts have looks of their own."""
    shard: str | None = None
    """Which part of the benchmarks, such as `1/3`; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What must be the same for two scores to be about one thing."""

    subject: str
    framework: str
    sources: str
    """Digest of the checkout's contents."""
    texts: str = ""
    """Digest of its sources alone, which a commit has as well; empty: not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRecord:
    """What a score leaves in the session."""

    request: Request
    context: str
    trials: int
    """Trials recorded for it."""
    shares: Mapping[str, Mapping[str, float]]
    """Method → benchmark → share."""
    identity: Identity
    evidence: Evidence
    result: Score
    built: tuple[str, ...] = ()
    """Methods of the newest build, where other answers are older than it; empty: all of them."""

    @property
    def newest(self) -> tuple[str, ...]:
        """Methods whose probes the newest build has."""
        return self.built or self.request.methods


ADAPTER = TypeAdapter(ScoreRecord)
KIND = "score"


def recorded(project: Project, runtime: Runtime) -> ScoreRecord | None:
    """Return the newest score of this very subject, or None."""
    return runtime.session.load(project.digest, KIND, ADAPTER)


def identity(project: Project) -> Identity:
    """Return what a score of this project is about."""
    return Identity(
        subject=project.subject.name,
        framework=project.subject.framework,
        sources=project.checkout.digest,
        texts=digest(project.sources()),
    )


def digest(tree: SourceTree) -> str:
    """Return what is the same for the same sources."""
    return hashlib.sha256(repr(sorted(tree.items())).encode(errors="surrogatepass")).hexdigest()


def of_methods(record: ScoreRecord, methods: Sequence[str]) -> ScoreRecord:
    """Return what a record says of some methods; its A/A cells are about the suite, and stay."""
    evidence = record.evidence
    return replace(
        record,
        evidence=replace(
            evidence,
            methods=tuple(methods),
            cells=tuple(cell for cell in evidence.cells if cell.method in methods),
            skipped=tuple(skipped for skipped in evidence.skipped if skipped.method in methods),
            unfinished=None,
        ),
    )


def completed(record: ScoreRecord, spreads: Mapping[str, float | None]) -> ScoreRecord:
    """Return a score with the spreads that were measured after it, of benchmarks that lacked theirs.

    `spreads`: benchmark → maxSpread; None, where it has none.
    """
    before = record.evidence.spreads
    later = {
        name: spread for name, spread in spreads.items() if spread is not None and before.get(name) is None
    }
    if not later:
        return record
    evidence = replace(record.evidence, spreads={**before, **later})
    return replace(record, evidence=evidence, result=scores.score(evidence, record.result))


def together(request: Request, records: Sequence[ScoreRecord]) -> ScoreRecord:
    """Return one record of several that settled different cells of one question."""
    evidence = merged([replace(record.evidence, methods=request.methods) for record in records])
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
            wall_s=sum(part.cost.wall_s for part in parts),
            total_s=sum(part.cost.total_s for part in parts),
            benchmark_s=sum(part.cost.benchmark_s for part in parts),
            build_s=sum(part.cost.build_s for part in parts),
        ),
    )
