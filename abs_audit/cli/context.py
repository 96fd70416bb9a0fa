"""What every command needs on its desk: settings, session, executor, progress, and a place to print."""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from abs_audit import config
from abs_audit.cli.executor import runner
from abs_audit.cli.progress import Bar, Lines, Silent
from abs_audit.config import Settings
from abs_audit.errors import UsageError
from abs_audit.experiment.preparation import Project, Runtime, open_projects
from abs_audit.experiment.session import Session
from abs_audit.report import json

FOR_PEOPLE = Console(stderr=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The options that all commands have."""

    subject: Path
    session: Path
    config: Path | None
    quiet: bool
    verbose: bool
    options: Mapping[str, Any]
    """Configuration keys set on the command line; None where not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """An open session and the projects of the checkout."""

    settings: Settings
    runtime: Runtime
    projects: list[Project]


@contextlib.contextmanager
def open_context(common: Common) -> Iterator[CommandContext]:
    """Open everything for one command and close it again."""
    if not common.subject.is_dir():
        raise UsageError(f"{common.subject}: expected a directory with a checkout; give its path as SUBJECT")
    settings, _ = config.load(common.subject, common.config, common.options)
    for name in ("image", "memory"):
        if common.options.get(name) and settings.runner == "local":
            raise UsageError(f"--{name}: for containers only; add --runner container")
    with contextlib.ExitStack() as open_things:
        executor, settings = open_things.enter_context(runner(settings))
        projects = open_projects(common.subject, settings)
        session = open_things.enter_context(contextlib.closing(Session(common.session)))
        progress = open_things.enter_context(contextlib.closing(_progress(common)))
        runtime = Runtime(executor=executor, session=session, progress=progress)
        yield CommandContext(settings=settings, runtime=runtime, projects=projects)


def _progress(common: Common) -> Bar | Lines | Silent:
    if common.quiet:
        return Silent()
    if common.verbose:
        return Lines(FOR_PEOPLE, every_s=0.0)
    return Bar(FOR_PEOPLE) if FOR_PEOPLE.is_terminal else Lines(FOR_PEOPLE)


def print_documents(documents: Sequence[json.Document]) -> None:
    """Print the one JSON document of a command; several suites are reported apart, in a list within it."""
    first = documents[0]
    whole = first if len(documents) == 1 else {"schema": first["schema"], "suites": list(documents)}
    sys.stdout.write(json.dumps(whole) + "\n")
