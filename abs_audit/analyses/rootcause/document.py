"""The document of `rootcause`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.rootcause.calls.call_tree import Change
from abs_audit.analyses.rootcause.calls.changes import MethodChange
from abs_audit.analyses.rootcause.commits.bisection import Judgement
from abs_audit.analyses.rootcause.commits.categories import Categories, Category, Kind
from abs_audit.analyses.rootcause.model import Hint, RootCause
from abs_audit.model.bounds import Count, Size, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from

Commit = Annotated[str, Field(json_schema_extra={"pattern": "^[0-9a-f]{40,64}$"})]
MaybeSize = Annotated[float | None, bounded(0)]


class MeasuredPart(Part):
    """One commit of the history."""

    commit: Commit
    date: str
    title: Text
    place: Annotated[int, bounded(0, description="position in topological order; the good end is 0")]
    runs: Count
    disturbed: Annotated[
        int, bounded(0, description="runs that other work made slower; they count for nothing")
    ]
    sample_size: Count
    mean: Annotated[
        float | None,
        bounded(0, description="seconds per invocation over the undisturbed runs; null: not measurable"),
    ] = read_from("mean_s")
    level: Annotated[
        float | None, bounded(0, description="centre of those runs, drift taken off; decisions rest on it")
    ] = read_from("level_s")
    category: Category | None
    judgement: Judgement | None
    log_odds: float | None
    reason: Text


class StepPart(Part):
    """One step of the search for the main cause."""

    commit: Commit
    judgement: Judgement
    candidates: Count
    weight: Count


class RegressionPart(Part):
    """A commit that made the benchmark slower."""

    # Not `from`: a word of the language.
    start: Annotated[Commit, Field(serialization_alias="from")]
    to: Commit = read_from("cause")
    kind: Kind
    suspects: list[Commit]
    confirmed: bool
    levels: tuple[Size, Size] = read_from("level_s")


class NodePart(Part):
    """A method where the comparison of the call trees first came to it."""

    method: Text
    caller: Annotated[Text | None, Field(description="null: the benchmark itself")]
    level: Annotated[int, bounded(1)]
    calls: tuple[Size, Size]
    times: tuple[MaybeSize, MaybeSize] = read_from("time_s")
    p: MaybeSize
    change: Change
    restructured: bool
    entered: bool
    cause: bool


class SuspectPart(Part):
    """A method that changed between the two commits."""

    method: Text = read_from("changed", "method")
    change: MethodChange = read_from("changed", "change")
    file: Text = read_from("changed", "path")
    line: Count = read_from("changed", "line")
    suspicion: Annotated[
        float, bounded(0, 1, "part of the lost time that it explains; the list is in this order")
    ]
    increase_s: float | None
    reason: Text


class RootCauseDocument(Document):
    """Which commit made a benchmark slower, and where."""

    schema_: Literal["abs-audit/rootcause/1"] = named("abs-audit/rootcause/1")
    benchmark: Text
    rule: Literal["default", "paper"]
    improvement: Annotated[bool, Field(description="true: the bad end is the faster one")]
    good: Commit
    bad: Commit
    candidates: Annotated[
        int, bounded(1, description="commits that might have been the cause before any was measured")
    ]
    cause: Annotated[
        Commit | None, Field(description="null: the bad end is not slower, or no single commit explains it")
    ]
    confidence: Annotated[
        float | None,
        bounded(0, 1, "probability that all steps were right under the rule's model; null: not known"),
    ]
    categories: Categories
    measured: list[MeasuredPart]
    path: list[StepPart]
    regressions: list[RegressionPart]
    compared: tuple[Commit, Commit] | None
    lost_s: float | None
    callers_recorded: Annotated[
        bool | None, Field(description="false: inferred from the text of the methods; null: no tree")
    ]
    tree: list[NodePart]
    changed_methods: list[SuspectPart]
    changed_elsewhere: Texts
    commands: list[Hint] = read_from("hints")
    warnings: Texts

    @classmethod
    def read(cls, result: RootCause) -> Self:
        """Return the document; `cause` is null where no single commit is to blame."""
        where = result.where
        return cls.of(
            result,
            compared=where and where.compared,
            lost_s=where and where.lost_s,
            callers_recorded=where and where.recorded,
            tree=where.tree if where else (),
            changed_methods=where.suspects if where else (),
            changed_elsewhere=where.elsewhere if where else (),
        )
