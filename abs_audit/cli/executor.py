"""Where a suite executes: on this machine, or in containers of an image."""

import contextlib
import os
from collections.abc import Iterator
from types import ModuleType

from abs_audit.config import Settings
from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution.confinement import Limits
from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import Executor
from abs_audit.quantities import memory_bytes


@contextlib.contextmanager
def runner(settings: Settings) -> Iterator[tuple[Executor, Settings]]:
    """Yield what executes commands, and the settings with the image's identity in place of its name.

    A name may come to mean another image; what was measured with this one must not pass for its.
    """
    pinned = cpus(settings.cpus)
    if settings.cluster is not None:
        if settings.runner != "local":
            raise UsageError("--cluster: its hosts execute without containers; leave --runner out")
        made = clusters("--cluster").ClusterExecutor(settings.cluster, pinned, settings.sandbox)
        with contextlib.closing(made) as cluster:
            yield cluster, settings
        return
    if settings.runner == "local":
        with contextlib.closing(LocalExecutor(pinned, settings.sandbox)) as local:
            yield local, settings
        return
    if settings.image is None:
        raise UsageError(
            "--runner container: which image? Give one with the language's toolchain with --image NAME, "
            "or build one with: abs-audit image build LANGUAGE"
        )
    from abs_audit.execution.container import ContainerExecutor, Engine

    limits = Limits(cpus=pinned, memory=memory_bytes(settings.memory) if settings.memory else None)
    with contextlib.closing(Engine()) as engine:
        executor = ContainerExecutor(engine, settings.image, limits)
        yield executor, settings.model_copy(update={"image": executor.image})


def clusters(who: str) -> ModuleType:
    """Return what speaks to clusters, an optional part; raise UnfitEnvironmentError where it is missing."""
    try:
        from abs_audit.execution import cluster
    except ImportError as error:
        raise UnfitEnvironmentError(
            f"{who} needs the package {error.name}; install it with: pip install distributed"
        ) from error
    return cluster


def cpus(text: str | None) -> tuple[int, ...]:
    """Return the numbers of a list of CPUs; raise UsageError where this machine has not all of them."""
    if text is None:
        return ()
    wanted = tuple(int(part) for part in text.split(","))
    number = os.cpu_count() or 1
    if not set(wanted) <= set(range(number)):
        raise UsageError(f"--cpus {text}: this machine has CPUs 0 to {number - 1}; choose among them")
    return wanted
