"""The document of `import`."""

from typing import Literal

from abs_audit.report.document import Count, Document, Part, Text, named


class FilePart(Part):
    """A file that was read."""

    file: Text
    format: str
    samples: Count


class ImportDocument(Document):
    """What was imported."""

    schema_: Literal["abs-audit/import/1"] = named("abs-audit/import/1")
    files: list[FilePart]
