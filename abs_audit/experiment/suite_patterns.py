"""Which suite is meant by which pattern, where a checkout has several and benchmarks are chosen by name."""

from collections.abc import Iterable
from dataclasses import replace

from abs_audit.errors import AbsAuditError
from abs_audit.experiment import preparation
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime


def with_its_patterns(project: Project, others: Iterable[Project], runtime: Runtime) -> Project | None:
    """Return a suite chosen from only by the `--benchmarks` that match in it; each other has to elsewhere.

    None where no pattern matches in this suite, all do, or one matches in none: that one is a mistake.
    """
    patterns, suites = project.settings.benchmarks, list(others)
    its_own = tuple(pattern for pattern in patterns if _matches(pattern, project, runtime))
    elsewhere = [pattern for pattern in patterns if pattern not in its_own]
    if not its_own or not elsewhere:
        return None
    if not all(any(_matches(pattern, suite, runtime) for suite in suites) for pattern in elsewhere):
        return None
    return _with(project, benchmarks=its_own)


def _matches(pattern: str, project: Project, runtime: Runtime) -> bool:
    # What is excluded there, or left to another shard, is meant all the same.
    asked = _with(project, benchmarks=(pattern,), exclude_benchmarks=(), shard=None)
    try:
        preparation.listing(asked, runtime)
    except AbsAuditError:
        # It may also be that the suite cannot be listed: then nothing in it is chosen.
        return False
    return True


def _with(project: Project, **settings: object) -> Project:
    return replace(project, settings=project.settings.model_copy(update=settings))
