"""The document of `rootcause`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.rootcause.calls.call_tree import Node
from abs_audit.analyses.rootcause.calls.changes import MethodChange
from abs_audit.analyses.rootcause.commits.bisection import Step
from abs_audit.analyses.rootcause.commits.categories import Categories
from abs_audit.analyses.rootcause.commits.history import Commit
from abs_audit.analyses.rootcause.model import FoundRegression, Hint, MeasuredCommit, RootCause
from abs_audit.model.bounds import Count, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from


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
    measured: list[MeasuredCommit]
    path: list[Step]
    regressions: list[FoundRegression]
    compared: tuple[Commit, Commit] | None
    lost_s: float | None
    callers_recorded: Annotated[
        bool | None, Field(description="false: inferred from the text of the methods; null: no tree")
    ]
    tree: list[Node]
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
