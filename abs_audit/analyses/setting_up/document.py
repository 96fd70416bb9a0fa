"""The documents of `init`, `config show`, `doctor` and `inject`."""

from typing import Any, Literal

from abs_audit.model.bounds import Size
from abs_audit.report.document import Document, MaybeRate, Text, Texts, named


class InitDocument(Document):
    """What a checkout is written in, and where its configuration was written."""

    schema_: Literal["abs-audit/init/1"] = named("abs-audit/init/1")
    language: str
    frameworks: list[str]
    written: Text


class ConfigDocument(Document):
    """The settings in force, and who set each of them."""

    schema_: Literal["abs-audit/config/1"] = named("abs-audit/config/1")
    settings: dict[str, Any]
    origins: dict[str, Text]


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


class InjectDocument(Document):
    """What would be injected into a copy of the sources."""

    schema_: Literal["abs-audit/inject/1"] = named("abs-audit/inject/1")
    method: Text
    slowdown: Size
    injectable: bool
    reason: Text
    best_share: MaybeRate
    files: Texts
    diff: Text
