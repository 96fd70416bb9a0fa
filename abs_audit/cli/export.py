"""`export`: what was measured, in the formats of other tools."""

import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.declaring import Writes, option
from abs_audit.cli.pages import write_file
from abs_audit.errors import UsageError
from abs_audit.quantities import PATH, choice
from abs_audit.report.exports.formats import OF_SAMPLES, write_samples

LOSSES = {
    "benchstat": "instances and trials are forks here, and blanks in names became _",
    "bmf": "a median and quartiles a benchmark: forks and values are left out",
    "github-action-benchmark": "a median a benchmark: forks and values are left out",
    "openmetrics": "quartiles of a benchmark: forks and values are left out",
}
"""What a format cannot hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What is written, where from and where to."""

    source: Path | None = options.source()
    format: str = option("What to write.", choice(*OF_SAMPLES), "csv")
    output: Path | None = option("File to write.", PATH, short="-o", writes=Writes.FILE)
    session: Path = options.session_file()


@command()
def export(asked: ExportOptions) -> None:
    """Write what a session or result file holds for another tool."""
    from abs_audit.cli import result_files
    from abs_audit.experiment.recorded_samples import samples

    if asked.output is None and asked.format == "parquet" and sys.stdout.isatty():
        raise UsageError("--format parquet is not for a terminal: name a file with --output")
    written = write_samples(asked.format, samples(result_files.recorded(asked.source, asked.session)))
    if asked.format in LOSSES:
        sys.stderr.write(f"{asked.format}: {LOSSES[asked.format]}\n")
    if asked.output is None:
        sys.stdout.buffer.write(written)
        return
    write_file(f"--output {asked.output}", asked.output, written)
