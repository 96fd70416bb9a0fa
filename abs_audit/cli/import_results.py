"""`import`: bring what other tools measured into the session."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents
from abs_audit.cli.declaring import argument, option, switch
from abs_audit.quantities import PATH, choice

FORMATS = (
    *("jmh", "jmh-text", "jmh-csv", "go", "go-json", "pytest-benchmark", "asv", "pyperf", "codspeed"),
    *("hyperfine", "criterion", "criterion-estimates", "google-benchmark", "benchmark-dotnet", "pa", "csv"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What is brought in, and where to."""

    files: tuple[Path, ...] = argument(
        "Result files.",
        PATH,
        metavar="FILE...",
        repeated=True,
        required="which files? Give result files of other tools: abs-audit import FILE...",
    )
    format: str | None = option("Of the files; without it, found out.", choice(*FORMATS))
    session: Path = options.session_file()
    json: bool = options.json_switch()
    quiet: bool = switch("Say nothing of what went well.", short="-q")


@command(records=True)
def import_results(asked: ImportOptions) -> None:
    """Keep the values of result files in the session; a broken file leaves nothing behind."""
    from abs_audit.analyses.import_results.document import FilePart, ImportDocument
    from abs_audit.experiment.session import Session
    from abs_audit.formats.reading import SUMMARIES_ONLY, format_of, read
    from abs_audit.report.names import visible
    from abs_audit.wording import count

    documents: list[FilePart] = []
    with contextlib.closing(Session(asked.session)) as recording:
        for path in asked.files:
            name, shown = asked.format or format_of(path), visible(str(path))
            samples = recording.add_samples(str(path), read(path, name))
            documents.append(FilePart(file=str(path), format=name, samples=samples))
            if name in SUMMARIES_ONLY:
                sys.stderr.write(f"{shown}: {name} keeps a summary only: one value a benchmark, no noise\n")
            elif not asked.quiet and not asked.json:
                sys.stdout.write(f"{shown}: {count(samples, 'sample')} ({name})\n")
    if asked.json:
        print_documents([ImportDocument(files=documents)])
