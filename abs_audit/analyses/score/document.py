"""The document of `score`; methods without a verdict stay in every denominator."""

from typing import Literal, Self

from abs_audit.analyses.score.model import Score
from abs_audit.model.bounds import Count, MaybeNumber, MaybeRate, MaybeSize, Rate, Size
from abs_audit.model.cost import CommandCost
from abs_audit.model.explanation import Cause
from abs_audit.model.subject import Skipped
from abs_audit.model.verdict import FalseAlarms, Verdict
from abs_audit.report.document import CommandCostPart, Document, Part, Percent, Text, Texts, named, read_from

LISTED = 100_000
"""Cells up to which each of them is told: of larger tables what is alike is told at once."""


class TotalsPart(Part):
    """The score in percent, and what it counts: detected + missed + no_verdict = methods."""

    total: Percent
    relative: Percent
    absolute: Percent
    variants_known: bool = True
    interval: tuple[Percent, Percent]
    methods: Count
    detected: Count
    missed: Count
    unreached: Count
    no_verdict: Count

    @classmethod
    def read(cls, result: Score) -> Self:
        """Return the totals of a score."""
        verdicts = [method.verdict for method in result.methods]
        return cls.of(
            result,
            methods=len(verdicts),
            detected=verdicts.count(Verdict.DETECTED),
            # Who reads three numbers must be able to add them up; the fourth says how many of the missed
            # are not called while any benchmark is timed.
            missed=verdicts.count(Verdict.MISSED) + verdicts.count(Verdict.UNREACHED),
            unreached=verdicts.count(Verdict.UNREACHED),
            no_verdict=verdicts.count(Verdict.NO_VERDICT),
        )


class MethodPart(Part):
    """Whether any benchmark notices one method."""

    method: Text
    verdict: Verdict
    cause: Cause
    reason: Text
    detected_by: Texts
    best_share: MaybeRate


class CellPart(Part):
    """One benchmark × one method."""

    method: Text
    benchmark: Text
    verdict: Verdict
    cause: Cause
    reason: Text
    share: MaybeRate
    share_interval: tuple[Rate, Rate] | None = None
    requested: MaybeNumber
    realised: MaybeNumber
    difference_mean: MaybeNumber
    difference_median: MaybeNumber
    p_values: list[MaybeRate]
    repetitions: list[Count]


class AlikePart(Part):
    """Each of the methods with each benchmark has this verdict, but for the cells that are told."""

    methods: Texts
    benchmarks: Texts
    verdict: Verdict
    cause: Cause = read_from("explanation", "cause")
    reason: Text


class CostPart(CommandCostPart):
    """What the score took, in seconds."""

    wall_s: Size = read_from("total_s")
    benchmark_s: Size
    build_s: Size
    paper_protocol_s: MaybeSize

    def billed(self, cost: CommandCost) -> Self:
        """Return it at the end of its command; `wall_s` is the total under its older name."""
        return super().billed(cost).model_copy(update={"wall_s": cost.total_s})


class SincePart(Part):
    """Which methods a change was measured for, and which answers come from an earlier score."""

    revision: Text
    measured: Texts
    taken_over: Texts
    unasked: Texts
    lost: Texts


class ScoreDocument(Document):
    """The API benchmarking score (ABS)."""

    schema_: Literal["abs-audit/score/1"] = named("abs-audit/score/1")
    protocol: Literal["switched", "paper"]
    slowdown: Size
    runs: Count
    score: TotalsPart
    methods: list[MethodPart]
    cells: list[CellPart]
    alike: list[AlikePart]
    skipped: list[Skipped]
    false_alarms: FalseAlarms
    cost: CostPart
    warnings: Texts
    since: SincePart | None = None

    @classmethod
    def read(cls, result: Score) -> Self:
        """Return the document of a score."""
        whole = len(result.cells) <= LISTED
        return cls.of(
            result,
            score=TotalsPart.read(result),
            cells=[*result.cells] if whole else result.cells.listed,
            alike=() if whole else result.cells.alike,
        )
