"""`worker`: this machine executes for a cluster."""

from dataclasses import dataclass

from abs_audit.cli.command import command
from abs_audit.cli.declaring import argument, option, switch


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """Whose worker this is."""

    address: str = argument(
        "Of the scheduler, such as tcp://10.0.0.1:8786.",
        metavar="ADDRESS",
        required="whose worker? Give the scheduler's address: abs-audit worker tcp://10.0.0.1:8786",
    )
    name: str | None = option("Of this host.", metavar="NAME")
    insecure: bool = switch("Even where others can reach it without a certificate.")


@command()
def worker(asked: WorkerOptions) -> None:
    """Execute what others measure with --cluster ADDRESS, one command at a time, until interrupted."""
    from abs_audit.cli.executor import clusters

    clusters("a worker").join(asked.address, asked.name, insecure=asked.insecure)
