"""`worker`: this machine executes for a cluster."""

from typing import Annotated

import typer

from abs_audit.errors import ExitCode, UnfitEnvironmentError


def worker(
    address: Annotated[str, typer.Argument(help="Of the scheduler, such as tcp://10.0.0.1:8786.")],
    name: Annotated[str | None, typer.Option("--name", help="Of this host.", metavar="NAME")] = None,
) -> int:
    """Execute what others measure with --cluster ADDRESS, one command at a time, until interrupted."""
    try:
        from abs_audit.execution import cluster  # noqa: PLC0415 - takes long, and few need it
    except ImportError as error:
        raise UnfitEnvironmentError(
            f"a worker needs the package {error.name}; install it with: pip install 'abs-audit[cluster]'"
        ) from error
    cluster.join(address, name)
    return ExitCode.DONE
