"""The smallest regression that noise lets through, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation, Sight
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.report.text import facts, headline, names, page, table, warnings
from abs_audit.wording import count, percent


def extent(sampling: Sampling) -> str:
    """Return what one version is measured with: "3 instances × 5 trials"."""
    return f"{count(sampling.instances, 'instance')} × {count(sampling.trials, 'trial')}"


def answer(advice: Recommendation) -> str:
    """Return which sampling to use and what it will show, in one sentence."""
    chosen, share, aim = advice.chosen, percent(advice.share), percent(advice.regression)
    if chosen is None:
        return f"No sampling tried lets you see a regression, even a doubling, in {share} of the benchmarks."
    setting = f"{extent(chosen.sampling)}{{}}, with both versions on {machines(chosen.sampling)}"
    if advice.reached:
        seen = f" let you see {percent(chosen.smallest)} in {share} of the benchmarks"
        return f"{setting.format(seen)}."
    if chosen.seeing:
        missed = f"No sampling tried lets you see {aim} in {share} of the benchmarks"
        return f"{missed}; {setting.format('')}, comes nearest: {percent(chosen.seeing)} of them."
    seen = f" let you see {percent(chosen.smallest)} in {share} of the benchmarks"
    return f"{setting.format(seen)}; no sampling tried lets you see {aim} in any."


def label(sampling: Sampling) -> str:
    """Return a sampling as short as a label must be: "3 × 5 same"."""
    kind = "same" if sampling.strategy is Strategy.TRIALS else "different"
    return f"{sampling.instances} × {sampling.trials} {kind}"


def machines(sampling: Sampling) -> str:
    """Return where the two versions are measured."""
    return "the same instances" if sampling.strategy is Strategy.TRIALS else "different instances"


def summary(result: SmallestRegression, advice: Recommendation) -> Group:
    """Return the recommendation, and what each sampling shows."""
    aim = percent(advice.regression)
    rows = (
        (
            "->" if sight is advice.chosen else "",
            extent(sight.sampling),
            sight.sampling.strategy.value,
            *(_sight(sight) if sight.answered else 4 * ("–",)),
        )
        for sight in advice.sights
    )
    return page(
        headline(answer(advice)),
        table(
            ("left", "", "for each version", "sampling"),
            ("right", f"{percent(advice.share)} see", "half see", f"see {aim}", "blind"),
            rows=rows,
        ),
        names(f"do not see {aim} there:", _blind(result, advice)),
        facts(
            ("blind", "benchmarks that see no regression up to a doubling"),
            ("instance-based", "both versions on different instances"),
            ("trial-based", "both versions on the same instances, in different trials"),
            ("draws", f"{result.draws} pairs of random groups for each benchmark and sampling"),
        ),
        warnings(result.warnings),
    )


def _sight(sight: Sight) -> tuple[str, str, str, Text]:
    """Return what the share asked for sees, what half see, how many see the aim, and how many nothing."""
    blind = Text(f"{sight.none} of {sight.answered}", style="red" if sight.none else "")
    return _seen(sight.smallest), _seen(sight.median), percent(sight.seeing), blind


def _seen(regression: float | None) -> str:
    return "none" if regression is None else percent(regression)


def _blind(result: SmallestRegression, advice: Recommendation) -> list[str]:
    """Return the benchmarks that miss the aim under the chosen sampling, the worst first."""
    if advice.chosen is None:
        return []
    rows = result.under(advice.chosen.sampling)
    blind = [row for row in rows if row.smallest is None or row.smallest > advice.regression]
    blind.sort(key=lambda row: -(row.smallest or float("inf")))
    return [f"{row.benchmark}: {_seen(row.smallest)}" for row in blind]
