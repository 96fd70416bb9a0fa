"""`stop`: was enough measured? Replays a stopping rule on what was measured."""

from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli.command import command
from abs_audit.cli.context import answer, remark
from abs_audit.cli.declaring import option, switch
from abs_audit.cli.options import STOPPING_RULE, STOPPING_RULES, Analysing, Common, source
from abs_audit.cli.pages import write_page
from abs_audit.quantities import COUNT, PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class StopOptions(Analysing):
    """Which rule is replayed on what."""

    source: Path | None = source()
    rule: str = option("Stopping rule.", STOPPING_RULE, "superflow1")
    replay: Path | None = option("Values in the order measured; without it, the session.", PATH)
    truth: Path | None = option("Ground truth; without it, the whole series.", PATH)
    cap: int = option("Most values of a series.", COUNT, "1000")
    paper_quirks: bool = switch("As the authors' programs, where they differ.")


@command()
def stop(asked: StopOptions, common: Common) -> None:
    """Report after how many values a rule would have stopped, and how good those values are."""
    from abs_audit.analyses.stop import document, model, page, text
    from abs_audit.analyses.stop.rules.catalogue import stopping_rule
    from abs_audit.cli import result_files

    recording = asked.replay or result_files.recorded(asked.source, common.session)
    series = result_files.series(recording)
    remark(common, f"{recording}: {len(series)} series")
    truths = result_files.series(asked.truth) if asked.truth else None
    seed = result_files.seed(common)
    settings = model.ReplaySettings(cap=asked.cap, paper_quirks=asked.paper_quirks)

    def replayed(name: str) -> model.Replay:
        rule = stopping_rule(name, seed=seed, paper_quirks=asked.paper_quirks)
        return model.replay(rule, series, truths, settings)

    result = replayed(asked.rule)
    if asked.html is not None:
        others = {name: replayed(name).series for name in STOPPING_RULES}
        write_page(asked.html, lambda: page.render(result, series, others))
    answer(common, lambda: text.summary(result), lambda: document.StopDocument.read(result))
