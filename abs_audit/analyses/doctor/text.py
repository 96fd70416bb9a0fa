"""What this machine has and which promises hold, for terminals."""

from collections.abc import Sequence

from abs_audit.analyses.doctor.document import DoctorDocument
from abs_audit.analyses.doctor.model import Noise


def lines(document: DoctorDocument, noise: Noise, *, quiet: bool) -> Sequence[str]:
    """Return the answer; `quiet`: only what is not as it should be."""
    promises = document.promises
    kept = [f"{'holds':<15}{promise}" for promise, holds in promises.items() if holds]
    broken = [f"{'DOES NOT HOLD':<15}{promise}" for promise, holds in promises.items() if not holds]
    if quiet:
        return [noise.answer, *broken]
    tools = {name: path or "not found" for name, path in document.tools.items()}
    clock = {"clock": f"readings differ by {document.clock_step_ns:g} ns at least"}
    facts = document.environment | (document.subject or {}) | tools | {"engine": document.engine} | clock
    told = [f"{name:<12}{value}" for name, value in facts.items()]
    return [noise.answer, "", *broken, *kept, "", f"abs-audit {document.version}", *told]
