"""The analyses: one row each. What a row names is imported when it is asked for."""

from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_audit.report.document import Document

SCHEMAS = "schemas"
"""Folder of the shipped JSON schemas, in the package of the reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One question: its command, the folder beside this file that answers it, and its document."""

    command: str
    folder: str
    document: str
    """Class in `document.py`. Beside it lie `text.py` (for terminals) and, where there is one, `page.py`."""

    def document_type(self) -> "type[Document]":
        """Return the class that the command's document is an object of."""
        module = import_module(f"abs_audit.analyses.{self.folder}.document")
        document_type: type[Document] = getattr(module, self.document)
        return document_type


ANALYSES = (
    Analysis(command="list", folder="list", document="ListDocument"),
    Analysis(command="trace", folder="trace", document="TraceDocument"),
    Analysis(command="stability", folder="stability", document="StabilityDocument"),
    Analysis(command="score", folder="score", document="ScoreDocument"),
    Analysis(command="sensitivity", folder="sensitivity", document="SensitivityDocument"),
    Analysis(command="redundancy", folder="redundancy", document="RedundancyDocument"),
    Analysis(command="select", folder="selection", document="SelectDocument"),
    Analysis(command="lint", folder="lint", document="LintDocument"),
    Analysis(command="stubs", folder="stubs", document="StubsDocument"),
    Analysis(command="audit", folder="audit", document="AuditDocument"),
    Analysis(command="compare", folder="compare", document="CompareDocument"),
    Analysis(command="variability", folder="variability", document="VariabilityDocument"),
    Analysis(command="detectable", folder="detectable", document="DetectableDocument"),
    Analysis(command="chart", folder="chart", document="ChartDocument"),
    Analysis(command="stop", folder="stop", document="StopDocument"),
    Analysis(command="rootcause", folder="rootcause", document="RootCauseDocument"),
    Analysis(command="cache", folder="cache", document="CacheDocument"),
    Analysis(command="import", folder="import_results", document="ImportDocument"),
    Analysis(command="init", folder="setting_up", document="InitDocument"),
    Analysis(command="config", folder="setting_up", document="ConfigDocument"),
    Analysis(command="doctor", folder="setting_up", document="DoctorDocument"),
    Analysis(command="inject", folder="setting_up", document="InjectDocument"),
)


def schemas() -> dict[str, str]:
    """Return the JSON Schema of each document by the name of its file, as its model says it now."""
    from abs_audit.report.document import schema  # noqa: PLC0415 - lazily, as rows are read for --help

    return {f"{row.command}.schema.json": schema(row.document_type()) for row in ANALYSES}


def write_schemas() -> None:
    """Write the schemas that ship; `make schemas` calls it."""
    folder = Path(str(files("abs_audit.report").joinpath(SCHEMAS)))
    folder.mkdir(exist_ok=True)
    for name, text in schemas().items():
        folder.joinpath(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
