"""Passes proposed benchmarks through the formatter that the repository uses for its own sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from abs_audit.execution.workspace import workspace
from abs_audit.experiment.projects import Project, workspace_key
from abs_audit.experiment.runtime import Runtime
from abs_audit.languages.language import Formatter
from abs_audit.model.experiment import Workspace

PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """Files as they are offered."""

    files: Mapping[str, str]
    """Path relative to the root of the checkout → text."""
    remark: str
    """Why some are not in the repository's own format; empty where they are, or where it has none."""


def formatted(project: Project, runtime: Runtime, files: Mapping[str, str]) -> Formatted:
    """Return the files in the repository's own format; a file that a formatter refuses stays as it is."""
    with workspace(workspace_key(project)) as opened:
        formatter = project.language.formatter(opened, project.settings.build())
        if formatter is None or not files:
            return Formatted(files=files, remark="")
        if any(runtime.executor.execute(command).exit_code for command in formatter.fetching):
            return Formatted(files=files, remark=f"{formatter.name} is not to be had: files are as proposed")
        texts = {path: _text(runtime, opened, formatter, path, text) for path, text in files.items()}
    refused = [path for path, text in texts.items() if text is None]
    return Formatted(
        files={path: text if text is not None else files[path] for path, text in texts.items()},
        remark=f"{formatter.name} refused {', '.join(refused)}: as proposed" if refused else "",
    )


def _text(runtime: Runtime, opened: Workspace, formatter: Formatter, path: str, text: str) -> str | None:
    """Return one file as the formatter prints it, None where it does not."""
    proposal = opened.results / PROPOSAL
    proposal.write_text(text, encoding="utf-8")
    command = formatter.printing
    execution = runtime.executor.execute(
        replace(command, argv=(*command.argv, str(opened.tree / path), str(proposal)))
    )
    printed = execution.exit_code == 0 and not execution.truncated and execution.output.strip()
    return execution.output if printed else None
