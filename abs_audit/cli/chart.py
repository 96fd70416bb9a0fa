"""`chart`: is a new run out of control, compared with baseline runs, and where most?"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import answer, remark
from abs_audit.cli.declaring import argument, option, switch
from abs_audit.cli.options import Analysing, Common
from abs_audit.cli.pages import write_page
from abs_audit.errors import ExitCode, MismatchError, UsageError
from abs_audit.quantities import PATH, PERCENTILES, choice

if TYPE_CHECKING:
    from abs_audit.analyses.chart.flag_quality import FlagQuality
    from abs_audit.analyses.chart.model import ControlChart


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartOptions(Analysing):
    """Which runs are charted, and how."""

    more: tuple[Path, ...] = argument("Further baselines.", PATH, metavar="A...", repeated=True)
    baseline: tuple[Path, ...] = option(
        "Session, result file or CSV of counters.", PATH, metavar="A", repeated=True
    )
    target: Path | None = option("The new run; without it, the session.", PATH, metavar="B")
    labels: Path | None = option("Counters known to be bad.", PATH)
    limits: tuple[float, float] = option("Percentiles: 5/95, 10/90 or 1/99.", PERCENTILES, "5/95")
    rule: str = option(
        "paper: above the learned threshold; strict: well above it.", choice("strict", "paper"), "strict"
    )
    load: str | None = option("Column of a CSV that holds the load.", metavar="COLUMN")
    scale: bool = switch("Bring counters to one load where it is known.", default=True)
    filter: bool = switch("Drop samples of a second, lower kind of load.")


@command()
def chart(asked: ChartOptions, common: Common) -> int:
    """Draw limits from baseline runs and report which counters of a new run violate them."""
    from abs_audit.analyses.chart import model, page, text
    from abs_audit.analyses.chart.document import ChartDocument
    from abs_audit.cli import result_files

    result_files.seed(common)
    settings = model.ChartSettings(
        percentiles=asked.limits,
        scale_load=asked.scale,
        filter_load=asked.filter,
        rule=model.PAPER_RULE if asked.rule == "paper" else model.STRICT_RULE,
    )
    baselines = [*asked.baseline, *asked.more]
    if not baselines:
        raise UsageError("which baselines? Give earlier good runs with --baseline A, at least 10 if you can")
    runs = [result_files.chart_run(path, asked.load) for path in baselines]
    target = result_files.chart_run(asked.target or common.session, asked.load)
    for run in (*runs, target):
        remark(common, f"{run.name}: {len(run.counters)} counters")
    result = model.control_chart(runs, target, settings)
    if not result.counters:
        raise MismatchError(f"nothing to chart: {'; '.join(result.warnings)}")
    quality = _quality(result, asked.labels)
    write_page(asked.html, lambda: page.render(result, settings, quality))
    answer(common, lambda: text.summary(result, quality), lambda: ChartDocument.read(result, quality))
    return ExitCode.DONE


def _quality(result: "ControlChart", labels: Path | None) -> "FlagQuality | None":
    from abs_audit.analyses.chart.flag_quality import flag_quality
    from abs_audit.cli import labels_file

    if labels is None:
        return None
    names: Sequence[str] = [counter.name for counter in result.counters]
    flagged = [counter.name for counter in result.counters if counter.out_of_control]
    return flag_quality(flagged, labels_file.read(labels, names))
