"""The analyses: a row each. What a row names is imported when it is asked for."""

from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_audit.report.document import Document

SCHEMAS = "schemas"
"""Folder of the shipped JSON schemas, in the package of the reports."""
NAMESAKES = """list trace stability score sensitivity redundancy lint stubs audit compare variability
detectable chart stop rootcause cache doctor inject"""
FOLDERS = {
    **{command: command for command in NAMESAKES.split()},
    "select": "selection",
    "import": "import_results",
    **dict.fromkeys(("init", "config"), "setting_up"),
}
"""Command → the folder beside this file that answers its question.

There lie `document.py`, `text.py` (for terminals) and, where there is one, `page.py`.
"""


def document_type(command: str) -> "type[Document]":
    """Return the class that a command's document is an object of: the one in its folder that says so."""
    from abs_audit.report.document import Document  # noqa: PLC0415 - lazily, as rows are read for --help

    module = import_module(f"abs_audit.analyses.{FOLDERS[command]}.document")
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Document))
    return next(kind for kind in kinds if kind is not Document and kind.command() == command)


def schemas() -> dict[str, str]:
    """Return the JSON Schema of each document by the name of its file, as its model says it now."""
    from abs_audit.report.document import schema  # noqa: PLC0415 - as above

    return {f"{command}.schema.json": schema(document_type(command)) for command in FOLDERS}


def write_schemas() -> None:
    """Write the schemas that ship; `make schemas` calls it."""
    folder = Path(str(files("abs_audit.report").joinpath(SCHEMAS)))
    folder.mkdir(exist_ok=True)
    for name, text in schemas().items():
        folder.joinpath(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
