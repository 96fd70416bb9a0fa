"""What changed between two versions, as Markdown for pull requests."""

from abs_audit.analyses.compare import text
from abs_audit.analyses.compare.model import Change, Comparison
from abs_audit.report.exports.markdown import filled
from abs_audit.wording import change, count


def markdown(result: Comparison, before: str, after: str) -> str:
    """Return the answer and what changed; what did not is counted, and the rest folded.

    The first line is a comment that is not shown: who posts the text finds by it what to replace.
    """
    unchanged = sum(benchmark.change is Change.UNCHANGED for benchmark in result.benchmarks)
    ranked = sorted(result.benchmarks, key=text.by_attention)
    return filled(
        "compare/markdown.md.j2",
        text=text,
        result=result,
        before=before,
        after=after,
        changed=[benchmark for benchmark in ranked if benchmark.change is not Change.UNCHANGED],
        packages=sorted(result.packages, key=lambda package: -abs(package.geometric_mean - 1)),
        rests=[
            f"geometric mean {change(result.geometric_mean - 1)} over {count(ranked, 'benchmark')}, "
            f"{unchanged} of them unchanged",
            text.own_alarms(result),
            *result.warnings,
        ],
    )
