"""How much of a benchmark does a method take, as far as a session says?"""

import contextlib
from pathlib import Path

from abs_audit.analyses.score.record import ADAPTER, KIND
from abs_audit.experiment.session import Session


def best_share(path: Path, digest: str, method: str) -> float | None:
    """Return the largest share of a benchmark that a session knows of a method of these sources."""
    if not path.is_file():
        return None
    with contextlib.closing(Session(path)) as session:
        scored = session.load(digest, KIND, ADAPTER)
    return max(scored.shares.get(method, {}).values(), default=None) if scored else None
