"""`variability`: how much do results differ, and is it the machine or the benchmark?"""

import sys

from abs_audit.analyses.detectable.model import smallest_regression
from abs_audit.analyses.variability.model import cleaned
from abs_audit.analyses.variability.model import variability as describe
from abs_audit.cli import options, result_files
from abs_audit.errors import ExitCode, UsageError
from abs_audit.report import documents, html, json, text

INSTANCES, TRIALS = (1, 5, 10, 20), (1, 5)


def variability(
    source: options.Source = None,
    remove_outliers: options.RemoveOutliers = False,
    instances: options.InstanceCounts = None,
    trials: options.TrialCounts = None,
    page: options.Page = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Report deviations within trials, within instances and in total, outliers, and A/A rates."""
    drawn = result_files.seed(config, seed)
    path = source or session
    samples = result_files.instances(path)
    result = describe(samples, remove_outliers=remove_outliers)
    if all(one.total is None for one in result.benchmarks):
        raise UsageError(f"{path}: a deviation needs at least 2 values of a benchmark, found 1 of each")
    kept = cleaned(samples) if remove_outliers else samples
    asked = result_files.samplings(kept, instances, trials, (INSTANCES, TRIALS))
    alarms = smallest_regression(kept, asked, drawn) if asked else None
    result_files.write_page(page, lambda: html.variability(result, alarms, str(path)))
    if as_json:
        sys.stdout.write(json.dumps(documents.variability(result, alarms)) + "\n")
    else:
        text.show(text.variability(result, alarms), sys.stdout)
    return ExitCode.DONE
