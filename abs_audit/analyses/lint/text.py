"""Known mistakes of benchmarks, for terminals and editors: one place a line, with why and what mends it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType

from abs_audit.analyses.lint.model import LintResult, Rotten
from abs_audit.grouping import grouped
from abs_audit.report.text import facts, headline, page, verbatim
from abs_audit.wording import count


def answer(result: LintResult) -> str:
    """Return how many mistakes there are in how many benchmarks."""
    if not result.lints:
        return "No known mistake in the sources of the benchmarks."
    holders = {(mistake.path, mistake.benchmark) for mistake in result.lints}
    return f"{count(result.lints, 'mistake')} in {count(holders, 'benchmark')}."


def summary(result: LintResult) -> Group:
    """Return each mistake with its place, then what the accept-list did."""
    rot = [] if result.rot is None else [headline(rot_answer(result.rot)), *_rotten(result.rot)]
    return page(headline(answer(result)), *_mistakes(result), facts(*_accepting(result)), *rot)


def rot_answer(rot: Sequence[Rotten]) -> str:
    """Return how many benchmarks no longer work."""
    if not rot:
        return "Every benchmark works at HEAD."
    broke = sum(rotten.since is not None for rotten in rot)
    never = f"; {len(rot) - broke} never worked" if broke < len(rot) else ""
    return f"{count(broke, 'benchmark')} broke{never}."


def _rotten(rot: Sequence[Rotten]) -> Iterator[RenderableType]:
    """Yield the benchmarks that one commit broke, with what they say; what never worked at the end."""
    ranked = sorted(rot, key=lambda rotten: (rotten.since is None, _breakage(rotten)))
    for breakage, group in groupby(ranked, _breakage):
        yield Group(*(verbatim(rotten.benchmark) for rotten in group), facts(*breakage))


def _breakage(rotten: Rotten) -> list[tuple[str, str]]:
    since = rotten.since
    commit = f"{since.commit[:12]}  {since.date[:10]}  {since.subject}" if since else "the first commit tried"
    facts_told = [("  since", commit), ("  says", rotten.reason)]
    if rotten.suspects:
        facts_told.append(("  or since", ", ".join(commit[:12] for commit in rotten.suspects)))
    return facts_told


def _mistakes(result: LintResult) -> Iterator[RenderableType]:
    """Yield the places of each mistake, then once why it is one; the commonest first."""
    by_rule = grouped((mistake.rule, mistake) for mistake in result.lints)
    for rule, mistakes in sorted(by_rule.items(), key=lambda kind: -len(kind[1])):
        places = [verbatim(f"{at.path}:{at.line}: {at.benchmark}: {rule}") for at in mistakes]
        yield Group(*places, facts(("  why", mistakes[0].advice.why), ("  fix", mistakes[0].advice.fix)))
    if result.lints:
        accept = f"[[accept]] in abs-audit.toml, id = {result.lints[0].id!r}"
        yield facts(("next", f"mend them, or live with one: {accept}"))


def _accepting(result: LintResult) -> Iterator[tuple[str, str]]:
    yield from (("accepted", f"{entry.id}: {entry.reason}") for entry in result.accepted)
    for entry in result.expired:
        yield "expired", f"{entry.id}: accepted until {entry.until}: {entry.reason}"
    for entry in result.unused:
        yield "unused", f"{entry.id}: there is no such mistake; remove it from the accept-list"
