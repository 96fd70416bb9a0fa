"""The document of `import`."""

from typing import Literal

from abs_audit.model.bounds import Count
from abs_audit.report.document import Document, Part, Text, named


class FilePart(Part):
    """A file that was read."""

    file: Text
    format: str
    samples: Count


class ImportDocument(Document):
    """What was imported."""

    schema_: Literal["abs-audit/import/1"] = named("abs-audit/import/1")
    files: list[FilePart]
