"""What changed between two versions, as Markdown for pull requests."""

from collections.abc import Sequence

from abs_audit.analyses.compare.model import Change, ComparedBenchmark, Comparison
from abs_audit.analyses.compare.text import answer, by_attention, interval, own_alarms
from abs_audit.report.exports.markdown import FIRST, ROWS, code, folded, marker, plain
from abs_audit.wording import change, count


def markdown(result: Comparison, before: str, after: str) -> str:
    """Return the answer and what changed; what did not is counted, and the rest folded.

    The first line is a comment that is not shown: who posts the text finds by it what to replace.
    """
    told = [
        benchmark
        for benchmark in sorted(result.benchmarks, key=by_attention)
        if benchmark.change is not Change.UNCHANGED
    ]
    unchanged = len(result.benchmarks) - len(told)
    parts = [f"{marker(f'compare {before} {after}')}\n**{plain(answer(result))}**"]
    if told[:FIRST]:
        parts.append(_table(told[:FIRST]))
    if told[FIRST:]:
        left = f"\n\nand {len(told) - ROWS} more" if len(told) > ROWS else ""
        more = count(len(told) - FIRST, "more benchmark")
        parts.append(folded(more, _table(told[FIRST:ROWS]) + left))
    if len(result.packages) > 1:
        parts.append(folded(count(result.packages, "package"), _packages(result)))
    missing = [f"- missing afterwards: {code(name)}" for name in result.only_before[:FIRST]]
    if len(result.only_before) > FIRST:
        missing.append(f"- and {len(result.only_before) - FIRST} more missing afterwards")
    rests = [
        f"geometric mean {change(result.geometric_mean - 1)} over {count(result.benchmarks, 'benchmark')}, "
        f"{unchanged} of them unchanged",
        own_alarms(result),
        *result.warnings,
    ]
    foundations = folded("What this rests on", "\n".join(f"- {plain(line)}" for line in rests[:ROWS]))
    return "\n\n".join([*parts, *(["\n".join(missing)] if missing else []), foundations]) + "\n"


def _table(benchmarks: Sequence[ComparedBenchmark]) -> str:
    rows = [
        f"| {benchmark.change.value} | {code(benchmark.benchmark)} | {change(benchmark.ratio - 1)} "
        f"| {plain(interval(benchmark))} |"
        for benchmark in benchmarks
    ]
    return "\n".join(["| change | benchmark | median | 95 % |", "|---|---|--:|---|", *rows])


def _packages(result: Comparison) -> str:
    ranked = sorted(result.packages, key=lambda package: -abs(package.geometric_mean - 1))[:ROWS]
    rows = [
        f"| {code(package.package)} | {change(package.geometric_mean - 1)} | {package.benchmarks} |"
        for package in ranked
    ]
    return "\n".join(["| package | geometric mean | benchmarks |", "|---|--:|--:|", *rows])
