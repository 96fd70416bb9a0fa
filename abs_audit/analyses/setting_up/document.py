"""The documents of `init` and `config show`."""

from typing import Any, Literal

from abs_audit.report.document import Document, Text, named


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
