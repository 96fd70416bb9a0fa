"""The document of `list`."""

from typing import Annotated, Literal, Self

from abs_audit.model.bounds import Count, MaybeNumber, bounded
from abs_audit.model.subject import BrokenBenchmark, Discovery, Subject
from abs_audit.report.document import Document, Part, Text, named


class BenchmarkPart(Part):
    """One benchmark method with one combination of parameters."""

    id: Text
    parameters: dict[Text, Text]
    duration_s: Annotated[MaybeNumber, bounded(0, description="one execution of it; null: not recorded")]


class ListDocument(Document):
    """The benchmarks of a suite."""

    schema_: Literal["abs-audit/list/1"] = named("abs-audit/list/1")
    subject: Subject
    benchmarks: list[BenchmarkPart]
    count: Count
    duration_s: Annotated[
        MaybeNumber, bounded(0, description="seconds that one execution of the whole suite takes")
    ]
    broken: list[BrokenBenchmark]
    left_out: list[BrokenBenchmark]

    @classmethod
    def read(cls, subject: Subject, discovery: Discovery) -> Self:
        """Return the document of a suite."""
        benchmarks = [
            BenchmarkPart.of(benchmark, duration_s=discovery.durations_s.get(benchmark.id))
            for benchmark in discovery.benchmarks
        ]
        return cls.of(discovery, subject=subject, benchmarks=benchmarks, count=len(benchmarks))
