"""The document of `doctor`."""

from typing import Literal

from abs_audit.model.bounds import Size
from abs_audit.report.document import Document, Text, named


class DoctorDocument(Document):
    """What this machine has, how noisy it is, and which promises hold here."""

    schema_: Literal["abs-audit/doctor/1"] = named("abs-audit/doctor/1")
    version: str
    environment: dict[str, Text]
    tools: dict[str, Text | None]
    engine: Text
    clock_step_ns: Size
    noise: Size
    noise_p95: Size
    noise_verdict: Literal["good", "fair", "bad"]
    subject: dict[str, Text] | None
    promises: dict[str, bool]
