"""Where a suite executes: on this machine, or in containers of an image."""

import contextlib
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from abs_audit.config import Settings
from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import Executor
from abs_audit.model.experiment import Sandbox

if TYPE_CHECKING:
    from abs_audit.execution.cluster import ClusterExecutor

UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
SMALLEST_MEMORY = 16 * 2**20


@contextlib.contextmanager
def runner(settings: Settings) -> Iterator[tuple[Executor, Settings]]:
    """Yield what executes commands, and the settings with the image's identity in place of its name.

    A name may come to mean another image; what was measured with this one must not pass for its.
    """
    pinned = cpus(settings.cpus)
    if settings.cluster is not None:
        if settings.runner != "local":
            raise UsageError("--cluster: its hosts execute without containers; leave --runner out")
        with contextlib.closing(_cluster(settings.cluster, pinned, settings.sandbox)) as cluster:
            yield cluster, settings
        return
    if settings.runner == "local":
        yield LocalExecutor(pinned, settings.sandbox), settings
        return
    if settings.image is None:
        raise UsageError(
            "--runner container: which image? Give one with the language's toolchain with --image NAME, "
            "or build one with: abs-audit image build LANGUAGE"
        )
    limits = Limits(cpus=pinned, memory=size(settings.memory))
    with contextlib.closing(Engine()) as engine:
        executor = ContainerExecutor(engine, settings.image, limits)
        yield executor, settings.model_copy(update={"image": executor.image})


def _cluster(address: str, pinned: tuple[int, ...], sandbox: Sandbox) -> "ClusterExecutor":
    try:
        from abs_audit.execution.cluster import ClusterExecutor  # noqa: PLC0415 - takes long, and few need it
    except ImportError as error:
        raise UnfitEnvironmentError(
            f"--cluster needs the package {error.name}; install it with: pip install 'abs-audit[cluster]'"
        ) from error
    return ClusterExecutor(address, pinned, sandbox)


def cpus(text: str | None) -> tuple[int, ...]:
    """Read a list of CPU numbers; raise UsageError for anything else."""
    if text is None:
        return ()
    try:
        wanted = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"--cpus {text}: expected numbers such as 1 or 0,2") from error
    number = os.cpu_count() or 1
    if not set(wanted) <= set(range(number)):
        raise UsageError(f"--cpus {text}: this machine has CPUs 0 to {number - 1}; choose among them")
    return wanted


def size(text: str | None) -> int | None:
    """Read an amount of memory, such as 512m or 2g, in bytes; raise UsageError for anything else."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)([kmg]?)b?", text.strip().lower())
    if found is None or int(found[1]) * UNITS[found[2]] < SMALLEST_MEMORY:
        raise UsageError(f"--memory {text}: expected a size of at least 16m, such as 512m or 2g")
    return int(found[1]) * UNITS[found[2]]
