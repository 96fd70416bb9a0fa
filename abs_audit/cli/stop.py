"""`stop`: was enough measured? Replays a stopping rule on what was measured."""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from abs_audit.analyses.stop.model import ReplaySettings
from abs_audit.analyses.stop.model import replay as replay_rule
from abs_audit.analyses.stop.rules.catalogue import RULES, RuleSettings, stopping_rule
from abs_audit.cli import options, result_files
from abs_audit.errors import ExitCode
from abs_audit.experiment.recorded_samples import samples
from abs_audit.report import documents, html, json, text


def stop(
    rule: Annotated[options.Rule, typer.Option("--rule", help="Stopping rule.")] = options.Rule.superflow1,  # type: ignore[attr-defined]
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", help="Values in the order measured; without it, the session.", metavar="FILE"
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", help="Ground truth; without it, the whole series.", metavar="FILE"),
    ] = None,
    cap: Annotated[int, typer.Option("--cap", help="Most values of a series.", min=1)] = 1000,
    paper_quirks: Annotated[
        bool, typer.Option("--paper-quirks", help="As the authors' programs, where they differ.")
    ] = False,
    page: options.Page = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
) -> int:
    """Report after how many values a rule would have stopped, and how good those values are."""
    series = _series(replay or session)
    truths = _series(truth) if truth else None
    chosen = RuleSettings(seed=result_files.seed(config, seed), paper_quirks=paper_quirks)
    settings = ReplaySettings(cap=cap, paper_quirks=paper_quirks)
    result = replay_rule(stopping_rule(rule.value, chosen), series, truths, settings)
    if page is not None:
        others = {
            name: replay_rule(stopping_rule(name, chosen), series, truths, settings).series for name in RULES
        }
        result_files.write_page(page, lambda: html.stopping(result, series, others))
    if as_json:
        sys.stdout.write(json.dumps(documents.stop(result)) + "\n")
    else:
        text.show(text.stop(result), sys.stdout)
    return ExitCode.DONE


def _series(path: Path) -> dict[str, np.ndarray]:
    """Return the values of each series in the order measured in, all levels in turn."""
    found: dict[str, list[float]] = {}
    for one in samples(path):
        found.setdefault(one.benchmark, []).extend(one.values)
    return {name: np.array(values) for name, values in found.items()}
