"""Which methods and which score a command works on: given by the user, or recorded before."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from abs_audit.advising import advised
from abs_audit.analyses.score.record import ScoreRecord, recorded
from abs_audit.analyses.trace import measure as tracing
from abs_audit.cli import methods_file
from abs_audit.cli.methods_file import Methods
from abs_audit.cli.options import MethodChoice
from abs_audit.config import Settings
from abs_audit.errors import AbsAuditError, UsageError
from abs_audit.experiment import preparation
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.runtime import Runtime
from abs_audit.model.subject import ApiMethod
from abs_audit.patterns import matching, unmatched
from abs_audit.quantities import echoed

MOST_TOLD = 20
SCORE = "the recorded score"


def methods_of(project: Project, runtime: Runtime, asked: MethodChoice) -> Methods:
    """Return the methods of a file, of the recorded trace, of the sources or score; never made up.

    Raises UsageError for all that the sources do not have.
    """
    listed = methods_file.read(asked.methods) if asked.methods else None
    if listed is None:
        traced = tracing.recorded(project, runtime)
        listed = _traced(traced) if traced else None
    patterns = project.settings.method
    chosen = _chosen(project, listed, patterns) if patterns else listed or _scored(project, runtime)
    wrong = unknown_methods(project, _untried(chosen, listed, patterns), chosen.source)
    if wrong:
        raise UsageError.of(wrong)
    return chosen


def complaints(subject: Path, settings: Settings, asked: MethodChoice) -> list[str]:
    """Return what is wrong with the methods of a command that is wrong anyway."""
    try:
        told, patterns = list[str](), settings.method
        listed = methods_file.read(asked.methods) if asked.methods else None
        for project in open_projects(subject, settings):
            chosen = _chosen(project, listed, patterns) if patterns else listed
            if chosen:
                told += unknown_methods(project, _untried(chosen, listed, patterns), chosen.source)
    except AbsAuditError as error:
        return [str(error)]
    return told


def unknown_methods(project: Project, methods: Sequence[str], source: str) -> list[str]:
    """Return what is said of each method that the sources do not have, with the closest that they have."""
    if not methods:
        return []
    injector = project.language.injector
    patch = injector.instrument(project.sources(), methods)
    doubtful = [method for method in methods if method not in patch.instrumented]
    if not doubtful:
        return []
    listing = injector.api_methods(project.sources())
    declared = {method.id for method in listing.methods} | {skipped.method for skipped in listing.skipped}
    reasons = {skipped.method: skipped.reason for skipped in patch.skipped}
    return [
        f"{source}: method {echoed(method)!r}: {_wrong(method, reasons.get(method, ''), declared)}"
        for method in doubtful
        if method not in declared
    ][:MOST_TOLD]


def _untried(chosen: Methods, listed: Methods | None, patterns: Sequence[str]) -> Sequence[str]:
    """Return the chosen methods that the sources may not have: what patterns matched in them they have."""
    if not patterns:
        return chosen.ids
    given = frozenset(listed.ids if listed else ())
    return [method for method in chosen.ids if method in given]


def recorded_score(project: Project, runtime: Runtime) -> ScoreRecord:
    """Return the recorded score; raise UsageError where this very subject has none."""
    scored = recorded(project, runtime)
    if scored is None:
        # Raises where benchmarks of another suite are chosen: this one need not have a score then.
        preparation.kept_listing(project, runtime)
        raise UsageError(
            f"{runtime.session.path}: no score of {project.subject.name} as it stands is recorded; "
            f"measure one with: {advised('score')}"
        )
    return scored


def chosen_score(project: Project, runtime: Runtime) -> ScoreRecord:
    """Return the recorded score of the methods that are chosen: all of them without a pattern."""
    scored = recorded_score(project, runtime)
    if not project.settings.method:
        return scored
    kept = frozenset(_matching(scored.request.methods, project.settings.method, SCORE))
    result = replace(
        scored.result,
        methods=tuple(method for method in scored.result.methods if method.method in kept),
        cells=scored.result.cells.within(methods=kept),
    )
    ids = tuple(method for method in scored.request.methods if method in kept)
    return replace(scored, request=replace(scored.request, methods=ids), result=result)


def traced_weights(project: Project, runtime: Runtime) -> Mapping[str, float]:
    """Return how often each method is called by downstream projects; empty where that is not recorded."""
    traced = tracing.recorded(project, runtime)
    return _traced(traced).weights if traced else {}


def _wrong(method: str, reason: str, declared: set[str]) -> str:
    """Return why a method is none, and which one was meant."""
    if "did you mean" in reason:
        return reason
    close = difflib.get_close_matches(method, declared, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"list what is in use with: {advised('trace')}"
    return f"{reason or 'not in the sources'}; {hint}"


def _traced(record: tracing.TraceRecord) -> Methods:
    ranked = record.result.methods
    return Methods(
        ids=tuple(method.method for method in ranked),
        weights={method.method: float(method.calls) for method in ranked},
        source="trace",
    )


def _scored(project: Project, runtime: Runtime) -> Methods:
    """Return what the newest score asked about, with which a command without methods goes on."""
    scored = recorded(project, runtime)
    if scored is None:
        raise UsageError(
            "which methods? Give them with --methods FILE or --method PATTERN, or find out which ones your "
            f"users call with: {advised('trace', '--downstream', 'DIR_OR_GIT_URL')}"
        )
    return Methods(ids=scored.request.methods, weights={}, source=SCORE)


def _chosen(project: Project, listed: Methods | None, patterns: Sequence[str]) -> Methods:
    """Return what each pattern means: methods of the list if any match, else of the sources."""
    ids: dict[str, None] = {}
    elsewhere: list[str] = []
    for pattern in patterns:
        matched = matching(pattern, listed.ids) if listed else []
        ids |= dict.fromkeys(matched)
        elsewhere += [] if matched else [pattern]
    if elsewhere:
        ids |= dict.fromkeys(_of_sources(project, elsewhere))
    weights = listed.weights if listed else {}
    return Methods(
        ids=tuple(ids),
        weights={method: weights[method] for method in ids if method in weights},
        source="--method",
    )


def _of_sources(project: Project, patterns: Sequence[str]) -> list[str]:
    """Return the API methods that patterns match; of a pattern that matches none the other functions."""
    injector = project.language.injector
    listed = injector.api_methods(project.sources()).methods
    public = [method.id for method in listed]
    private = [pattern for pattern in patterns if not matching(pattern, public)]
    matched = _matching(public, [pattern for pattern in patterns if pattern not in private], "the sources")
    api = each_body_once(matched, {method.id: method for method in listed})
    if not private:
        return api
    functions = (function.id for function in injector.all_functions(project.sources()))
    return api + _matching([*dict.fromkeys([*public, *functions])], private, "the sources")


def each_body_once(matched: Sequence[str], methods: Mapping[str, ApiMethod]) -> list[str]:
    """Return the ids without those of inherited methods that another one of them is, too.

    A score would count its body several times.
    """
    asked = [methods[name] for name in dict.fromkeys(matched)]
    bodies = {(method.path, method.line) for method in asked if not method.inherited}
    kept = []
    for method in asked:
        if not method.inherited or (method.path, method.line) not in bodies:
            bodies.add((method.path, method.line))
            kept.append(method.id)
    return kept


def _matching(names: Sequence[str], patterns: Sequence[str], whose: str) -> list[str]:
    """Return the names that any pattern matches; raise UsageError for the patterns that match none."""
    if wrong := unmatched("--method", patterns, names, f"method of {whose}"):
        raise UsageError.of(wrong)
    return [name for pattern in patterns for name in matching(pattern, names)]
