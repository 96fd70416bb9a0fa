"""`export`: what was measured, in the formats of other tools."""

import sys
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.cli import options
from abs_audit.errors import ExitCode, UsageError
from abs_audit.experiment.recorded_samples import samples
from abs_audit.formats.sample import Sample
from abs_audit.report.exports import benchstat, dashboards, tables

WRITERS: Mapping[str, Callable[[Iterable[Sample]], bytes]] = {
    "pa": tables.pa_csv,
    "csv": tables.plain_csv,
    "parquet": tables.parquet,
    "benchstat": benchstat.benchstat,
    "bmf": dashboards.bmf,
    "github-action-benchmark": dashboards.github_action,
}
Format = StrEnum("Format", {name: name for name in WRITERS})  # type: ignore[misc]


def export(
    source: options.Source = None,
    shape: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.csv,  # type: ignore[attr-defined]
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", metavar="FILE")
    ] = None,
    session: options.SessionFile = options.SESSION,
) -> int:
    """Write what a session or result file holds for another tool."""
    written = WRITERS[shape.value](samples(source or session))
    if output is None and shape.value == "parquet" and sys.stdout.isatty():
        raise UsageError("--format parquet is not for a terminal: name a file with --output")
    if output is None:
        sys.stdout.buffer.write(written)
        return ExitCode.DONE
    try:
        output.write_bytes(written)
    except OSError as error:
        raise UsageError(f"--output {output}: cannot write it ({error.strerror})") from error
    return ExitCode.DONE
