"""What is the smallest slowdown of each method that the suite notices? Predicted, then injected.

Benchmarks are learnt of as by a score, until no other can notice a method much sooner than one that is known.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from abs_audit.analyses.score.measure import injection, profiler_of
from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.analyses.sensitivity import model as questions
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Prediction, Sensitivity
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.model import BenchmarkSpread
from abs_audit.experiment.asking import Injection, pairs_of
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.forecast import confirming_s
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.probe_effect import believed
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.search import Search
from abs_audit.experiment.session import ResultKind
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.model.verdict import CellVerdict
from abs_audit.wording import count

KIND = ResultKind("sensitivity", Sensitivity)
ENDED = "the time budget ended before its shares were known"


def measure(project: Project, runtime: Runtime, scored: ScoreRecord) -> Sensitivity:
    """Predict the smallest noticed slowdown of each scored method and confirm it by injecting.

    Where a budget of time ends before anything could be measured, what was known before is told.
    """
    try:
        return _measure(project, runtime, scored)
    except BudgetEndedError:
        before = _comparable(project, runtime, scored)
        methods = [
            before.get(method, questions.unnoticed(method, why_open=ENDED))
            for method in scored.request.methods
        ]
    return replace(questions.sensitivity(scored.result.slowdown / 2, methods), cost=runtime.watch.cost)


def _measure(project: Project, runtime: Runtime, scored: ScoreRecord) -> Sensitivity:
    # The score has measured what it takes; here it is read again.
    unslowed = stability.of_benchmarks(project, runtime, (), {})
    answered = _answered(project, runtime, scored)
    asked = tuple(method for method in scored.request.methods if method not in answered)
    with prepare(project, runtime, asked) as prepared:
        spec = injection(project, scored.request, scored.result.slowdown)
        search = Search(profiler_of(prepared, plain=unslowed), asked)
        first = [search.profiler.plans[names[0]] for names in search.left.values() if names]
        runtime.watch.expect({Phase.CELLS: sum(confirming_s(prepared.harness, plan) for plan in first)})
        profiles = _learnt(prepared, search, unslowed.spreads)
        predictions = {
            method: questions.predict(method, _shares(profiles, method), spec.threshold) for method in asked
        }
        predicted = [prediction for prediction in predictions.values() if prediction]
        with runtime.watch.phase(Phase.CELLS):
            said = _inject(prepared, profiles, predicted, spec)
    methods = [
        questions.conclude(prediction, *said.get(method, (None, None)), unknown=_unknown(profiles, method))
        if prediction
        else questions.unnoticed(method, why_open=_why_open(profiles, method))
        for method, prediction in predictions.items()
    ]
    result = replace(
        questions.sensitivity(spec.threshold, [*methods, *answered.values()]), cost=runtime.watch.cost
    )
    runtime.session.store(project.digest, KIND, result)
    return result


def _answered(project: Project, runtime: Runtime, scored: ScoreRecord) -> dict[str, MethodSensitivity]:
    """Return the answers of an earlier sensitivity on methods that the newest build has no probes of."""
    older = set(scored.request.methods) - set(scored.newest)
    earlier = _comparable(project, runtime, scored)
    return {method: answer for method, answer in earlier.items() if method in older}


def _comparable(project: Project, runtime: Runtime, scored: ScoreRecord) -> dict[str, MethodSensitivity]:
    """Return the answers of the newest sensitivity, where it asked for the same threshold."""
    earlier = runtime.session.load(project.digest, KIND)
    if earlier is None or earlier.threshold != scored.result.slowdown / 2:
        return {}
    return {method.method: method for method in earlier.methods}


def _learnt(prepared: Prepared, search: Search, spreads: Sequence[BenchmarkSpread]) -> CellProfiles:
    """Return what is known of the cells once it suffices for every method, or there is no time for more."""
    waiting: Sequence[str] = tuple(search.left)
    with contextlib.suppress(BudgetEndedError):
        while search.widen(waiting):
            profiles = believed(prepared, search.profiler.profiles, spreads)
            sure = {share.method for share in profiles.shares.values() if _is_sure(share)}
            waiting = [method for method in search.left if method not in sure]
    return believed(prepared, search.profiler.profiles, spreads)


def _is_sure(share: Share) -> bool:
    """Tell whether a share suffices even if it is as small as its interval allows."""
    return questions.suffices(share.low or 0.0)


def _unknown(profiles: CellProfiles, method: str) -> int:
    """Return the number of benchmarks that call a method, and of which its share is not known."""
    calling = [name for name in profiles.calling if method in profiles.reach[name].calls]
    return len(set(calling) - {name for of, name in profiles.shares if of == method})


def _why_open(profiles: CellProfiles, method: str) -> str:
    """Return why it is open whether a method without a share is ever noticed; empty where it is not."""
    calling = f"its share is not known in {count(_unknown(profiles, method), 'benchmark')} calling it"
    return ENDED if profiles.ended else calling if _unknown(profiles, method) else ""


def _shares(profiles: CellProfiles, method: str) -> dict[str, float]:
    """Return the share of each benchmark: of those alone that are sure to suffice, if there are any."""
    shares = {name: share for (of, name), share in profiles.shares.items() if of == method}
    sure = {name: share for name, share in shares.items() if _is_sure(share)}
    return {name: share.share for name, share in (sure or shares).items()}


def _inject(
    prepared: Prepared, profiles: CellProfiles, predictions: list[Prediction], spec: Injection
) -> dict[str, tuple[CellVerdict, CellVerdict]]:
    """Return for each method what the best benchmark says at the prediction and below it.

    With a budget of time methods come one after the other; those that it does not suffice for are left out.
    """
    harness, plans = prepared.harness, profiles.calibration.iteration_plans
    together = len(predictions) if harness.watch.remaining_s is None else 1
    told_s = [confirming_s(harness, plans[prediction.benchmark]) for prediction in predictions]
    harness.watch.expect({Phase.CELLS: sum(told_s)})
    design = Design(name="sensitivity", seed=spec.seed)
    said: dict[str, tuple[CellVerdict, CellVerdict]] = {}
    for first in range(0, len(predictions), max(1, together)):
        asked = predictions[first : first + together]
        pairs = [
            _pair(profiles, prediction, slowdown, spec)
            for prediction in asked
            for slowdown in (prediction.at, prediction.below)
        ]
        design = replace(design, told_s=sum(told_s[first : first + together]))
        try:
            verdicts = [decision.verdict for _, decision in settle(harness, plans, pairs, design)]
        except BudgetEndedError:
            break
        names = [prediction.method for prediction in asked]
        said |= zip(names, zip(verdicts[::2], verdicts[1::2], strict=True), strict=True)
    return said


def _pair(profiles: CellProfiles, prediction: Prediction, slowdown: float, spec: Injection) -> Pair:
    share = profiles.shares[prediction.method, prediction.benchmark]
    (pair,) = pairs_of(profiles, [share], replace(spec, slowdown=slowdown))
    # Each of the two questions has a control of its own: their batches differ.
    return replace(pair, control=replace(pair.control, label=f"control of {slowdown:g}"))
