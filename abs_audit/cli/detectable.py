"""`detectable`: which regressions would a number of instances and trials reveal?"""

from dataclasses import dataclass

from abs_audit.cli.command import command
from abs_audit.cli.context import answer
from abs_audit.cli.declaring import option
from abs_audit.cli.options import Common, Sampled
from abs_audit.cli.pages import write_page
from abs_audit.errors import UsageError
from abs_audit.quantities import RATIO

INSTANCES, TRIALS = (1, 3, 5, 10, 20), (1, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectableOptions(Sampled):
    """What is to be seen, and by how many benchmarks."""

    regression: float = option("To be seen: 0.05 or 5%.", RATIO, "5%")
    share: float = option("Of the benchmarks, that are to see it.", RATIO, "90%")


@command()
def detectable(asked: DetectableOptions, common: Common) -> None:
    """Report the smallest regression that each sampling shows, and recommend one."""
    from abs_audit.analyses.detectable import document, model, page, recommendation, text
    from abs_audit.analyses.variability.model import cleaned
    from abs_audit.cli import result_files

    drawn = result_files.seed(common)
    path, samples = result_files.instances(asked, common)
    if asked.remove_outliers:
        samples = cleaned(samples)
    samplings = result_files.samplings(samples, asked, (INSTANCES, TRIALS))
    if not samplings:
        raise UsageError(
            f"{path}: two groups to compare need 2 instances, or 2 trials on one instance; "
            "found one trial on one instance of each benchmark"
        )
    result = model.smallest_regression(samples, samplings, drawn)
    if not result.benchmarks:
        raise UsageError(f"{path}: too little for any sampling asked for: {'; '.join(result.warnings)}")
    advice = recommendation.recommend(result, asked.regression, asked.share)
    write_page(asked.html, lambda: page.render(result, advice, str(path)))
    answer(
        common,
        lambda: text.summary(result, advice),
        lambda: document.DetectableDocument.read(result, advice, text.answer(advice)),
    )
