"""`compare`: which benchmarks changed between two recorded sessions or result files?"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import answer, remark
from abs_audit.cli.declaring import argument, option, switch
from abs_audit.cli.options import Analysing, Common
from abs_audit.cli.pages import write_page
from abs_audit.errors import ExitCode, MismatchError
from abs_audit.quantities import PATH, PATTERN, RATIO, choice

if TYPE_CHECKING:
    from abs_audit.analyses.compare.model import Comparison

UNITS = ("fork", "iteration")
CORRECTIONS = ("bh", "holm", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(Analysing):
    """What is compared, and how."""

    before: Path = argument(
        "Session or result file of the old version.",
        PATH,
        metavar="A",
        required="which results? Give those of the old version and those of the new one: "
        "abs-audit compare A B",
    )
    after: Path | None = argument("The new version; without it, the session.", PATH, metavar="B")
    fail_on_regression: bool = switch("Exit 1 where a benchmark became slower.")
    threshold: float = option("Least change that matters: 0.05 or 5%.", RATIO, "0")
    unit: str | None = option("Independent value; forks where there are several.", choice(*UNITS))
    correction: str = option("For the number of benchmarks.", choice(*CORRECTIONS), "bh")
    filter: tuple[str, ...] = option("Only these benchmarks. Glob or /regex/.", PATTERN, repeated=True)
    format: str = option(
        "For standard output; markdown for a pull request.", choice("text", "json", "markdown"), "text"
    )
    by: str | None = option("Sum benchmarks up by this, too.", choice("package"))


@command()
def compare(asked: CompareOptions, common: Common) -> int:
    """Report which benchmarks became slower or faster, with forks as the unit of replication."""
    from rich.console import Group

    from abs_audit.analyses.compare import document, model, page, replication, text
    from abs_audit.analyses.compare.markdown import markdown
    from abs_audit.cli import result_files

    old, new = asked.before, asked.after or common.session
    settings = model.ComparisonSettings(
        threshold=asked.threshold,
        unit=replication.Unit(asked.unit) if asked.unit else None,
        correction=model.Correction(asked.correction),
        seed=result_files.seed(common),
    )
    old_forks, new_forks, units = result_files.both_sides(old, new, asked.filter)
    for path, side in ((old, old_forks), (new, new_forks)):
        remark(common, f"{path}: {len(side)} benchmarks")
    result = model.compare(old_forks, new_forks, settings, units)
    if not result.benchmarks:
        raise MismatchError(_nothing_common(result, old, new))
    write_page(asked.html, lambda: page.render(result, str(old), str(new)))
    if asked.format == "markdown" and not common.json:
        sys.stdout.write(markdown(result, str(old), str(new)))
    else:
        answer(
            replace(common, json=common.json or asked.format == "json"),
            lambda: (
                Group(text.summary(result), "", text.packages(result)) if asked.by else text.summary(result)
            ),
            lambda: document.CompareDocument.read(result, settings, str(old), str(new)),
        )
    return exit_code(result, fail_on_regression=asked.fail_on_regression)


def exit_code(result: "Comparison", *, fail_on_regression: bool) -> ExitCode:
    """Return what the caller must know: the gate first, then benchmarks without a verdict."""
    from abs_audit.analyses.compare.model import Change

    if fail_on_regression and result.regressions:
        return ExitCode.GATE_FAILED
    undecidable = any(benchmark.change is Change.UNDECIDABLE for benchmark in result.benchmarks)
    return ExitCode.INCOMPLETE if undecidable or result.only_before else ExitCode.DONE


def _nothing_common(result: "Comparison", before: Path, after: Path) -> str:
    from abs_audit.wording import some

    return (
        f"{before} and {after} have no benchmark in common: the first holds {some(result.only_before)}, "
        f"the second {some(result.only_after)}; give two results of one suite"
    )
