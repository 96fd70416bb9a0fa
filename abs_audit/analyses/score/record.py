"""What is asked of a score, and what it leaves in the session."""

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from abs_audit.analyses.score.model import Evidence, Score
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind, Session
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

    @property
    def unsettled(self) -> int:
        """Methods that more time may give another verdict."""
        return self.evidence.unfinished.methods if self.evidence.unfinished else 0

    @property
    def is_complete(self) -> bool:
        """Whether no budget of time has left a cell over."""
        return self.evidence.unfinished is None


KIND = ResultKind("score", ScoreRecord)


def recorded(project: Project, runtime: Runtime) -> ScoreRecord | None:
    """Return the newest score of this very subject, or None."""
    return runtime.session.load(project.digest, KIND)


def newest(session: Session) -> dict[str, ScoreRecord]:
    """Return framework → the newest score of its suite in a session."""
    records: dict[str, ScoreRecord] = {}
    for record in session.every(KIND).values():
        records.setdefault(record.identity.framework, record)
    return records


def best_share(path: Path, digest: str, method: str) -> float | None:
    """Return the largest share of a benchmark that a session knows of a method of these sources."""
    if not path.is_file():
        return None
    with contextlib.closing(Session(path)) as session:
        scored = session.load(digest, KIND)
    return max(scored.shares.get(method, {}).values(), default=None) if scored else None


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
