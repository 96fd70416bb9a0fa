"""`compare`: which benchmarks changed between two recorded sessions or result files?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.compare.model import Change, Comparison, ComparisonSettings, Correction
from abs_audit.analyses.compare.model import compare as compare_measured
from abs_audit.analyses.compare.replication import Unit
from abs_audit.cli import option_parsing, options, result_files
from abs_audit.errors import ExitCode, MismatchError
from abs_audit.report import documents, html, json, text


def compare(
    before: Annotated[Path, typer.Argument(metavar="A", help="Session or result file of the old version.")],
    after: Annotated[
        Path | None, typer.Argument(metavar="B", help="The new version; without it, the session.")
    ] = None,
    fail_on_regression: Annotated[
        bool, typer.Option("--fail-on-regression", help="Exit 1 where a benchmark became slower.")
    ] = False,
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="R", help="Least change that matters: 0.05 or 5%.")
    ] = "0",
    unit: Annotated[
        Unit | None, typer.Option("--unit", help="Independent value; forks where there are several.")
    ] = None,
    correction: Annotated[
        Correction, typer.Option("--correction", help="For the number of benchmarks.")
    ] = Correction.BENJAMINI_HOCHBERG,
    page: options.Page = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Report which benchmarks became slower or faster, with forks as the unit of replication."""
    old, new = before, after or session
    settings = ComparisonSettings(
        threshold=option_parsing.ratio("--threshold", threshold),
        unit=unit,
        correction=correction,
        seed=result_files.seed(config, seed),
    )
    old_forks, new_forks, units = result_files.both_sides(old, new)
    result = compare_measured(old_forks, new_forks, settings, units)
    if not result.benchmarks:
        raise MismatchError(_nothing_common(result, old, new))
    result_files.write_page(page, lambda: html.comparison(result, str(old), str(new)))
    if as_json:
        sys.stdout.write(json.dumps(documents.comparison(result, settings, str(old), str(new))) + "\n")
    else:
        text.show(text.comparison(result), sys.stdout)
    return exit_code(result, fail_on_regression=fail_on_regression)


def exit_code(result: Comparison, *, fail_on_regression: bool) -> ExitCode:
    """Return what the caller must know: the gate first, then benchmarks without a verdict."""
    if fail_on_regression and result.regressions:
        return ExitCode.GATE_FAILED
    undecidable = any(one.change is Change.UNDECIDABLE for one in result.benchmarks)
    return ExitCode.INCOMPLETE if undecidable or result.only_before else ExitCode.DONE


def _nothing_common(result: Comparison, before: Path, after: Path) -> str:
    return (
        f"{before} and {after} have no benchmark in common: the first holds {_some(result.only_before)}, "
        f"the second {_some(result.only_after)}; give two results of one suite"
    )


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
