"""`config show`: which settings are in force, and who set them?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit import config as configuration
from abs_audit.cli import options
from abs_audit.cli.context import print_documents
from abs_audit.errors import ExitCode

app = typer.Typer(help="Look at the configuration.", no_args_is_help=True)


@app.command("show")
def show(
    subject: options.Subject = Path(),
    config: options.ConfigFile = None,
    origin: Annotated[bool, typer.Option("--origin", help="Say who set each value.")] = False,
    as_json: options.Json = False,
) -> int:
    """Print the settings in force."""
    settings, origins = configuration.load(subject, config, {})
    values = settings.model_dump(mode="json")
    if as_json:
        print_documents(
            [
                {
                    "schema": "abs-audit/config/1",
                    "settings": values,
                    "origins": {one.key: one.origin for one in origins},
                }
            ]
        )
        return ExitCode.DONE
    for one in origins:
        sys.stdout.write(f"{one.key} = {values[one.key]!r}{f'  ({one.origin})' if origin else ''}\n")
    return ExitCode.DONE


@app.callback()
def _group() -> None:
    """Look at the configuration."""
