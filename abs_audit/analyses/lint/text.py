"""Known mistakes of benchmarks, for terminals and editors: one place a line, with why and what mends it."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from abs_audit.analyses.lint.model import LintResult
from abs_audit.model.lint import ADVICE
from abs_audit.report.text import facts, headline, page, verbatim
from abs_audit.report.wording import count


def answer(result: LintResult) -> str:
    """Return how many mistakes there are in how many benchmarks."""
    if not result.lints:
        return "No known mistake in the sources of the benchmarks."
    holders = {(mistake.path, mistake.benchmark) for mistake in result.lints}
    return f"{count(result.lints, 'mistake')} in {count(holders, 'benchmark')}."


def summary(result: LintResult) -> Group:
    """Return each mistake with its place, then what the accept-list did."""
    return page(headline(answer(result)), *_mistakes(result), facts(list(_accepting(result))))


def _mistakes(result: LintResult) -> Iterator[RenderableType]:
    for mistake in result.lints:
        advice = ADVICE[mistake.rule]
        place = verbatim(f"{mistake.path}:{mistake.line}: {mistake.benchmark}: {mistake.rule}")
        yield Group(place, facts([("  why", advice.why), ("  fix", advice.fix)]))


def _accepting(result: LintResult) -> Iterator[tuple[str, str]]:
    for entry in result.accepted:
        yield "accepted", f"{entry.id}: {entry.reason}"
    for entry in result.expired:
        yield "expired", f"{entry.id}: accepted until {entry.until}: {entry.reason}"
    for entry in result.unused:
        yield "unused", f"{entry.id}: no such mistake; remove it from the accept-list"
