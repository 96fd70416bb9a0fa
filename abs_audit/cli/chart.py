"""`chart`: is a new run out of control, compared with baseline runs, and where most?"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.chart.flag_quality import FlagQuality, flag_quality
from abs_audit.analyses.chart.model import (
    PAPER_RULE,
    STRICT_RULE,
    ChartSettings,
    ControlChart,
    control_chart,
)
from abs_audit.cli import labels_file, option_parsing, options, result_files
from abs_audit.errors import ExitCode, MismatchError, UsageError
from abs_audit.report import documents, html, json, text


class Rule(StrEnum):
    """What marks a counter as out of control."""

    STRICT = "strict"
    PAPER = "paper"


RULES = {Rule.STRICT: STRICT_RULE, Rule.PAPER: PAPER_RULE}


More = Annotated[
    list[Path] | None, typer.Argument(metavar="[A]...", help="Further baselines.", show_default=False)
]
Baseline = Annotated[
    list[Path] | None,
    typer.Option("--baseline", metavar="A", help="Session, result file or CSV of counters; repeat it."),
]
Target = Annotated[
    Path | None, typer.Option("--target", metavar="B", help="The new run; without it, the session.")
]
Labels = Annotated[Path | None, typer.Option("--labels", metavar="FILE", help="Counters known to be bad.")]
Limits = Annotated[str, typer.Option("--limits", metavar="L/H", help="Percentiles: 5/95, 10/90 or 1/99.")]
RuleName = Annotated[
    Rule, typer.Option("--rule", help="paper: above the learned threshold; strict: well above it.")
]
Load = Annotated[
    str | None, typer.Option("--load", metavar="COLUMN", help="Column of a CSV that holds the load.")
]
Scale = Annotated[
    bool, typer.Option("--scale/--no-scale", help="Bring counters to one load where it is known.")
]
Filter = Annotated[bool, typer.Option("--filter", help="Drop samples of a second, lower kind of load.")]


def chart(
    more: More = None,
    baseline: Baseline = None,
    target: Target = None,
    labels: Labels = None,
    limits: Limits = "5/95",
    rule: RuleName = Rule.STRICT,
    load: Load = None,
    scale: Scale = True,
    filter_load: Filter = False,
    page: options.Page = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Draw limits from baseline runs and report which counters of a new run violate them."""
    result_files.seed(config, seed)
    settings = ChartSettings(
        percentiles=option_parsing.percentiles("--limits", limits),
        scale_load=scale,
        filter_load=filter_load,
        rule=RULES[rule],
    )
    baselines = [*(baseline or ()), *(more or ())]
    if not baselines:
        raise UsageError("which baselines? Give earlier good runs with --baseline A, at least 10 if you can")
    runs = [result_files.chart_run(path, load) for path in baselines]
    result = control_chart(runs, result_files.chart_run(target or session, load), settings)
    if not result.counters:
        raise MismatchError(f"nothing to chart: {'; '.join(result.warnings)}")
    quality = _quality(result, labels)
    result_files.write_page(page, lambda: html.chart(result, settings, quality))
    if as_json:
        sys.stdout.write(json.dumps(documents.chart(result, quality)) + "\n")
    else:
        text.show(text.chart(result, quality), sys.stdout)
    return ExitCode.DONE


def _quality(result: ControlChart, labels: Path | None) -> FlagQuality | None:
    if labels is None:
        return None
    bad = labels_file.read(labels, [one.name for one in result.counters])
    return flag_quality([one.name for one in result.counters if one.out_of_control], bad)
