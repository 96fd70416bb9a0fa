"""`detectable`: which regressions would a number of instances and trials reveal?"""

import sys
from typing import Annotated

import typer

from abs_audit.analyses.detectable.model import smallest_regression
from abs_audit.analyses.detectable.recommendation import recommend
from abs_audit.analyses.variability.model import cleaned
from abs_audit.cli import option_parsing, options, result_files
from abs_audit.errors import ExitCode, UsageError
from abs_audit.report import answers, documents, html, json, text

INSTANCES, TRIALS = (1, 3, 5, 10, 20), (1, 3, 5)


def detectable(
    source: options.Source = None,
    instances: options.InstanceCounts = None,
    trials: options.TrialCounts = None,
    regression: Annotated[
        str, typer.Option("--regression", metavar="R", help="To be seen: 0.05 or 5%.")
    ] = "5%",
    share: Annotated[
        str, typer.Option("--share", metavar="P", help="Of the benchmarks, that are to see it.")
    ] = "90%",
    remove_outliers: options.RemoveOutliers = False,
    page: options.Page = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Report the smallest regression that each sampling shows, and recommend one."""
    aim = option_parsing.ratio("--regression", regression), option_parsing.ratio("--share", share)
    drawn = result_files.seed(config, seed)
    path = source or session
    samples = result_files.instances(path)
    if remove_outliers:
        samples = cleaned(samples)
    asked = result_files.samplings(samples, instances, trials, (INSTANCES, TRIALS))
    if not asked:
        raise UsageError(
            f"{path}: two groups to compare need 2 instances, or 2 trials on one instance; "
            "found one trial on one instance of each benchmark"
        )
    result = smallest_regression(samples, asked, drawn)
    if not result.benchmarks:
        raise UsageError(f"{path}: too little for any sampling asked for: {'; '.join(result.warnings)}")
    advice = recommend(result, *aim)
    result_files.write_page(page, lambda: html.detectable(result, advice, str(path)))
    if as_json:
        document = documents.detectable(result, advice, answers.recommendation(advice))
        sys.stdout.write(json.dumps(document) + "\n")
    else:
        text.show(text.detectable(result, advice), sys.stdout)
    return ExitCode.DONE
