"""`variability`: how much do results differ, and is it the machine or the benchmark?"""

from abs_audit.cli.command import command
from abs_audit.cli.context import answer
from abs_audit.cli.options import Common, Sampled
from abs_audit.cli.pages import write_page
from abs_audit.errors import UsageError

INSTANCES, TRIALS = (1, 5, 10, 20), (1, 5)


@command()
def variability(asked: Sampled, common: Common) -> None:
    """Report deviations within trials, within instances and in total, outliers, and A/A rates."""
    from abs_audit.analyses.detectable.model import smallest_regression
    from abs_audit.analyses.variability import model, page, text
    from abs_audit.analyses.variability.document import VariabilityDocument
    from abs_audit.cli import result_files

    drawn = result_files.seed(common)
    path, samples = result_files.instances(asked, common)
    result = model.variability(samples, remove_outliers=asked.remove_outliers)
    if all(benchmark.rsd.total is None for benchmark in result.benchmarks):
        raise UsageError(f"{path}: a deviation needs at least 2 values of a benchmark, found 1 of each")
    kept = model.cleaned(samples) if asked.remove_outliers else samples
    samplings = result_files.samplings(kept, asked, (INSTANCES, TRIALS))
    alarms = smallest_regression(kept, samplings, drawn) if samplings else None
    write_page(asked.html, lambda: page.render(result, alarms, str(path)))
    answer(common, lambda: text.summary(result, alarms), lambda: VariabilityDocument.read(result, alarms))
