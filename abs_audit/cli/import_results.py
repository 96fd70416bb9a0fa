"""`import`: bring what other tools measured into the session."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.cli import options
from abs_audit.errors import ExitCode
from abs_audit.experiment.session import Session
from abs_audit.formats.reading import READERS, SUMMARIES_ONLY, format_of, read
from abs_audit.report import json

Format = StrEnum("Format", {name: name for name in READERS})  # type: ignore[misc]


def import_results(
    files: Annotated[list[Path], typer.Argument(help="Result files.", metavar="FILE...", show_default=False)],
    shape: Annotated[
        Format | None, typer.Option("--format", help="Of the files; without it, found out.")
    ] = None,
    session: options.SessionFile = options.SESSION,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Keep the values of result files in the session; a broken file leaves nothing behind."""
    recording = Session(session)
    documents: list[json.Document] = []
    try:
        for path in files:
            name = shape.value if shape else format_of(path)
            count = recording.add_samples(str(path), read(path, name))
            documents.append({"file": str(path), "format": name, "samples": count})
            if name in SUMMARIES_ONLY:
                sys.stderr.write(f"{path}: {name} keeps a summary only: one value a benchmark, no noise\n")
            elif not quiet and not as_json:
                sys.stdout.write(f"{path}: {count} samples ({name})\n")
    finally:
        recording.close()
    if as_json:
        sys.stdout.write(json.dumps({"schema": "abs-audit/import/1", "files": documents}) + "\n")
    return ExitCode.DONE
