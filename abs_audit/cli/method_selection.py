"""Which methods and which score a command works on: given by the user, or recorded before."""

from collections.abc import Mapping
from pathlib import Path

from abs_audit.analyses.score import measure as scoring
from abs_audit.analyses.score.measure import ScoreRecord
from abs_audit.analyses.trace import measure as tracing
from abs_audit.cli import methods_file, old_configuration
from abs_audit.cli.methods_file import Methods
from abs_audit.errors import UsageError
from abs_audit.experiment.preparation import Project, Runtime


def methods_to_audit(project: Project, runtime: Runtime, path: Path | None) -> Methods:
    """Return the methods of a file, or of the recorded trace; never made up."""
    if path is not None:
        old = old_configuration.methods_of(methods_file.document_of(path))
        if old is not None:
            listing = project.language.injector.api_methods(project.sources())
            return old_configuration.found_again(path, old, listing.methods)
        return methods_file.read(path)
    traced = tracing.recorded(project, runtime)
    if traced is None:
        raise UsageError(
            "which methods? Give them with --methods FILE, or find out which ones your users call with: "
            "abs-audit trace --downstream DIR_OR_GIT_URL"
        )
    found = traced.result.methods
    return Methods(
        ids=tuple(one.method for one in found), weights={one.method: float(one.calls) for one in found}
    )


def recorded_score(project: Project, runtime: Runtime) -> ScoreRecord:
    """Return the recorded score; raise UsageError where this very subject has none."""
    found = scoring.recorded(project, runtime)
    if found is None:
        raise UsageError(
            f"{runtime.session.path}: no score of {project.subject.name} as it stands is recorded; "
            "measure one with: abs-audit score"
        )
    return found


def traced_weights(project: Project, runtime: Runtime) -> Mapping[str, float]:
    """Return how often each method is called by downstream projects; empty where that is not recorded."""
    traced = tracing.recorded(project, runtime)
    return {one.method: float(one.calls) for one in traced.result.methods} if traced else {}
