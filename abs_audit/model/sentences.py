"""The one place that says in English why a cell or a method has its verdict."""

from collections.abc import Mapping

from abs_audit.model import explanation as details
from abs_audit.model.explanation import BelowFloor, Cause, Explanation, TallyGap
from abs_audit.tables import table
from abs_audit.wording import factor, fine_percent, slower, some

NEEDED = 0.5
"""Share that a benchmark needs to show half of δ (Laaber & Leitner 2018, Eq. 2)."""
_WORDS: Mapping[str, Mapping[str, str]] = table("model/sentences.toml")
_PLAIN = {Cause(name): text for name, text in _WORDS["cells"].items()}
_OF_METHODS = {Cause(name): text for name, text in _WORDS["methods"].items()}
"""Where a method needs other words than a cell."""
_GAPS = {TallyGap(name): text for name, text in _WORDS["tallies"].items()}


def of_cell(explanation: Explanation, below_floor: BelowFloor | None = None) -> str:
    """Return why a cell has its verdict, and what lessens it; empty where there is nothing to say."""
    note = ""
    if below_floor is not None:
        note = (
            f"floor: {below_floor.delay_ns:.0f} ns a call is below the probe's {below_floor.floor_ns:.0f} ns"
        )
    return "; ".join(filter(None, (_sentence(explanation), note)))


def of_method(explanation: Explanation) -> str:
    """Return why a method has its verdict; empty where some benchmark notices it."""
    if explanation.details is None and explanation.cause in _OF_METHODS:
        return _OF_METHODS[explanation.cause]
    return _sentence(explanation)


def _sentence(explanation: Explanation) -> str:
    """Return why, in one sentence; empty where a verdict needs no explanation."""
    match explanation.details:
        case details.TrialEnded(said=said) if explanation.cause is Cause.CHANGED_BY_PROBE:
            return f"unviable: the benchmark runs without probes, with them it fails: {said}"
        case details.TrialEnded(said=said, arm=arm):
            where = f" ({arm} arm)" if arm else ""
            return f"{_PLAIN[explanation.cause].partition(':')[0]}: {said}{where}"
        case details.Difference() as difference:
            return _difference(explanation.cause, difference)
        case details.InSetUp(benchmarks=benchmarks) if explanation.cause is Cause.AT_FIRST:
            return f"called at first only, not when measured (a cache may answer), by {some(benchmarks)}"
        case details.InSetUp(benchmarks=benchmarks):
            return f"called in set-up only, outside the timed region, by {some(benchmarks)}"
        case details.Nearest() as nearest:
            return _nearest(nearest)
        case details.OpenCells() as open_cells:
            return _open(explanation.cause, open_cells)
        case None:
            return _PLAIN[explanation.cause]
        case shortcoming:
            return _shortcoming(shortcoming)


def _shortcoming(missing: details.Shortcoming) -> str:
    """Say what keeps measured values from being evidence."""
    match missing:
        case details.NoTally(gap=gap, probed=probed, tally_of=arm):
            entered = f" {probed}" if gap is TallyGap.NEVER_ENTERED else ""
            return f"unviable: the {arm} arm {_GAPS[gap]}{entered}"
        case details.Injected(injected_s=injected_s, requested_s=requested_s):
            return f"unviable: {injected_s:.3g} s of delay were injected, {requested_s:.3g} s requested"
        case details.Felt(doses=doses):
            felt = ", ".join(map(factor, doses))
            return f"unviable: it felt {felt} times the requested slowdown"
        case details.ShareRange(lowest=lowest, highest=highest):
            interval = f"{fine_percent(lowest)} to {fine_percent(highest)}"
            return f"noisy: its share is {interval}, and the verdict depends on it"
        case details.ProbeEffect(slower=slower, lowest=lowest, highest=highest):
            return (
                f"unviable: {factor(slower)} times as slow with probes in it; "
                f"the share without them may be {fine_percent(lowest)} to {fine_percent(highest)}"
            )
        case details.RunsMissing(made=made, needed=needed):
            return f"not-run: {made} of {needed} runs made, all of them said yes"
        case details.TooFew(run=run, repetitions=repetitions, smallest_p=smallest_p):
            why = "too few for an answer"
            if smallest_p is not None:
                why = f"which cannot reach the p that is asked for (smallest {smallest_p:.2g})"
            return f"not-run: run {run} has {repetitions} repetitions, {why}"


def _difference(cause: Cause, shown: details.Difference) -> str:
    means = f"difference of means {fine_percent(shown.difference)}"
    threshold = f"the threshold {fine_percent(shown.threshold)}"
    if cause is Cause.DIFFERENCE_TOO_SMALL:
        return f"{means} is below {threshold}"
    if cause is Cause.NOISY:
        return f"{means} may be above or below {threshold}: its values scatter too much to tell"
    return f"{means} does not stand out from the noise (p = {shown.largest_p:.2g})"


def _nearest(nearest: details.Nearest) -> str:
    """Say how near the best benchmark came."""
    told = f"at most {fine_percent(nearest.at_most)}" if nearest.at_most else fine_percent(nearest.share)
    where = f"largest share {told} in {nearest.benchmark}"
    if not nearest.share or nearest.slowdown is None:
        return where
    if nearest.share >= NEEDED:
        return f"{where}: enough in principle, but {_sentence(nearest.shortfall)}"
    needed = nearest.slowdown * NEEDED / nearest.share
    instead = f"the method {slower(needed)} instead of {slower(nearest.slowdown)}"
    return f"{where}: it needs {fine_percent(NEEDED)}, or {instead}"


def _open(cause: Cause, open_cells: details.OpenCells) -> str:
    """Say on how many benchmarks there is no verdict and why, with an example."""
    parts = ", ".join(f"{number} {kind}" for kind, number in open_cells.causes.items())
    silent = f"no verdict on {sum(open_cells.causes.values())} of {open_cells.judged} benchmarks ({parts})"
    others = "and no other notices it"
    if cause in {Cause.NOT_CALLED, Cause.LOADING_ONLY, Cause.SETUP_ONLY}:
        others = f"and no other calls it{' in its timed region' if cause is Cause.SETUP_ONLY else ''}"
    example = _sentence(open_cells.example_of)
    return f"{silent}, {others}; {open_cells.example}: {example.partition(': ')[2] or example}"
