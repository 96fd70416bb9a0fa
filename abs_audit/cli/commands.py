"""The table of commands. Their work is imported when they are called, not here."""

import sys
from typing import Annotated

import typer

from abs_audit import __version__
from abs_audit.cli import configuration, image
from abs_audit.cli.command import work_of
from abs_audit.errors import ExitCode, UsageError

app = typer.Typer(
    help="Would your benchmark suite notice if a method that your users depend on became slower?",
    pretty_exceptions_enable=False,
    # Plain help is there in half the time: rich's takes as long to import as all the rest.
    rich_markup_mode=None,
    no_args_is_help=True,
)
NAMES = """init doctor list trace stability inject score sensitivity redundancy select stubs lint audit report
compare variability detectable chart stop rootcause worker merge cache import export"""
"""Each is a function in a module of its name, in the order of the help."""


COMMANDS = {name: work_of(name) for name in NAMES.split()}
for name, command in COMMANDS.items():
    # Said whole: what is derived from the docstring would end in dots.
    app.command(name, short_help=command.__doc__)(command)
app.add_typer(configuration.app, name="config")
app.add_typer(image.app, name="image")


def execute() -> int:
    """Execute what the command line says and return the exit code; raise UsageError for nonsense."""
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()
        # A command that needs more words is answered with its help.
        if not message.startswith("Usage:"):
            raise UsageError(f"{message} See: abs-audit --help") from error
        sys.stderr.write(f"{message}\n")
        code = ExitCode.USAGE
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return int(code or 0)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abs-audit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Would your benchmark suite notice if a method that your users depend on became slower?"""
