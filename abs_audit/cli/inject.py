"""`inject`: what would be injected? Writes nothing."""

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit import config as configuration
from abs_audit.cli import options
from abs_audit.cli.context import print_documents
from abs_audit.errors import ExitCode
from abs_audit.experiment.preparation import check_methods, open_projects
from abs_audit.model.subject import Patch


def inject(
    method: Annotated[str, typer.Option("--method", help="Id of the API method.", metavar="M")],
    slowdown: Annotated[
        float, typer.Option("--slowdown", min=0.0, help="Extra time ÷ own time.", metavar="D")
    ],
    subject: options.Subject = Path(),
    diff: Annotated[bool, typer.Option("--diff", help="Show the changed sources.")] = False,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    suite: options.Suite = None,
    session: options.SessionFile = options.SESSION,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Show what would be injected into a copy of the sources; the subject is not touched."""
    settings, _ = configuration.load(subject, config, {"suite": suite})
    project = open_projects(subject, settings)[0]
    sources = dict(project.sources())
    patch = project.language.injector.instrument(sources, [method])
    check_methods(project.language.injector.api_methods(sources), patch, [method], "--method")
    changes = _diff(sources, patch) if diff or as_json else ""
    reason = next((one.reason for one in patch.skipped if one.method == method), "")
    if as_json:
        document: dict[str, object] = {
            "schema": "abs-audit/inject/1",
            "method": method,
            "slowdown": slowdown,
            "injectable": not reason,
            "reason": reason,
            "files": sorted(patch.files),
            "diff": changes,
        }
        print_documents([document])
    elif reason:
        sys.stdout.write(f"{method} cannot be slowed down: {reason}\n")
    else:
        sys.stdout.write(
            f"{method} would take {1 + slowdown:g} times as long: a probe in "
            f"{', '.join(sorted(set(patch.files) & set(sources)))}.\nNothing was written.\n{changes}"
        )
    return ExitCode.DONE


def _diff(sources: dict[str, str], patch: Patch) -> str:
    """Return the changes of the subject's own files; the probe's runtime is named, not printed."""
    parts: list[str] = []
    for path in sorted(patch.files):
        if path in sources:
            before, after = sources[path].splitlines(True), patch.files[path].splitlines(True)
            parts.extend(difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"))
    return "".join(parts)
