"""Ranks API methods by how much downstream projects use them (Laaber & Leitner 2018, §6.1: K')."""

from collections.abc import Iterator, Mapping, Sequence

from abs_audit.interfaces import DownstreamCounts
from abs_audit.model.trace import DownstreamSummary, RankedMethod, Ranking, TraceResult
from abs_audit.wording import count

FEW_DOWNSTREAMS = 4
FEW_CALLS = 5
DOMINANT = 0.8

Traced = Mapping[str, tuple[str | None, DownstreamCounts]]
"""Name of a downstream project → its commit and counts."""


def rank(traced: Traced, ranking: Ranking, problems: Sequence[str] = ()) -> TraceResult:
    """Return the most called methods, exactly as many as asked for where there are so many.

    Equal calls: more projects first, then the id. Methods that nobody calls are never filled in.
    `problems`: downstream projects that could not be traced.
    """
    calls = {name: _calls(counts, ranking.caller) for name, (_, counts) in traced.items()}
    ranked = sorted(
        (_ranked(method, calls) for method in set().union(*calls.values())),
        key=lambda method: (-method.calls, -method.projects, method.method),
    )
    kept = tuple(ranked[: ranking.top])
    return TraceResult(
        methods=kept,
        downstreams=tuple(
            DownstreamSummary(
                name=name,
                commit=commit,
                tests_passed=counts.tests_passed,
                tests_failed=counts.tests_failed,
                calls=sum(calls[name].values()),
            )
            for name, (commit, counts) in traced.items()
        ),
        caller=ranking.caller,
        # A problem quotes what tests said, in several lines.
        warnings=(
            *(" ".join(problem.split()) for problem in problems),
            *(
                f"{name}: its tests were interrupted after {counts.ended_after_s / 60:.0f} min; "
                "what they had called by then counts"
                for name, (_, counts) in traced.items()
                if counts.ended_after_s is not None
            ),
            *_warnings(kept, calls, ranking.top),
        ),
    )


def _calls(counts: DownstreamCounts, caller: str) -> dict[str, int]:
    kinds = [counts.direct] if caller == "direct" else [counts.direct, counts.internal, counts.other]
    methods = {method for kind in kinds for method in kind}
    return {method: number for method in methods if (number := sum(kind.get(method, 0) for kind in kinds))}


def _ranked(method: str, calls: Mapping[str, Mapping[str, int]]) -> RankedMethod:
    by_project = {name: counts[method] for name, counts in calls.items() if method in counts}
    return RankedMethod(
        method=method, calls=sum(by_project.values()), projects=len(by_project), by_project=by_project
    )


def _warnings(
    ranked: Sequence[RankedMethod], calls: Mapping[str, Mapping[str, int]], top: int
) -> Iterator[str]:
    if len(ranked) < top:
        yield f"{count(ranked, 'method')} called in all; {top} were asked for, none is made up"
    if len(calls) < FEW_DOWNSTREAMS:
        yield f"{count(calls, 'downstream project')} asked; 4 to 6 make a ranking that means something"
    tail = [method for method in ranked if method.calls < FEW_CALLS]
    if tail:
        have = f"{count(tail, 'method')} at the end {'has' if len(tail) == 1 else 'have'}"
        yield f"{have} fewer than {FEW_CALLS} calls: the order there means little"
    whole = sum(method.calls for method in ranked)
    for name in calls:
        own = sum(method.by_project.get(name, 0) for method in ranked)
        if len(calls) > 1 and whole and own / whole > DOMINANT:
            yield f"{name} alone supplies {own / whole:.0%} of the calls: the ranking is mostly its own"
