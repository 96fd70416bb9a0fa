"""What is the smallest slowdown of each method that the suite notices? Predicted, then injected."""

from dataclasses import replace

from pydantic import TypeAdapter

from abs_audit.analysis import sensitivity as questions
from abs_audit.analysis.detection import Cell
from abs_audit.analysis.sensitivity import Prediction, Sensitivity
from abs_audit.experiment.pairs import Design, Pair, settle
from abs_audit.experiment.preparation import Apparatus, Prepared, Project, prepare
from abs_audit.experiment.scoring import ScoreRecord, injection, survey_of
from abs_audit.experiment.share import pair_of_arms
from abs_audit.experiment.stability import known_or_measured
from abs_audit.experiment.survey import Survey
from abs_audit.experiment.switched import Injection
from abs_audit.model.verdict import CellVerdict

ADAPTER = TypeAdapter(Sensitivity)
KIND = "sensitivity"


def measure(project: Project, apparatus: Apparatus, scored: ScoreRecord) -> Sensitivity:
    """Predict the smallest noticed slowdown of each scored method and confirm it by injecting."""
    stable = known_or_measured(project, apparatus)
    with prepare(project, apparatus, scored.request.methods) as prepared:
        request = replace(scored.request, slowdown=scored.result.slowdown)
        how = injection(project, stable, request)
        surveyed = survey_of(prepared, stable)
        predictions = {
            method: questions.predict(method, _shares(surveyed, method), how.threshold)
            for method in scored.request.methods
        }
        said = _inject(prepared, surveyed, [one for one in predictions.values() if one], how)
    methods = [
        questions.conclude(one, *said[one.method])
        if one
        else questions.unnoticed(method, "no benchmark calls it in its timed loop")
        for method, one in predictions.items()
    ]
    result = questions.sensitivity(how.threshold, methods)
    apparatus.session.store(project.digest, KIND, ADAPTER, result)
    return result


def _shares(surveyed: Survey, method: str) -> dict[str, float]:
    return {name: one.share for (of, name), one in surveyed.shares.items() if of == method}


def _inject(
    prepared: Prepared, surveyed: Survey, predictions: list[Prediction], how: Injection
) -> dict[str, tuple[CellVerdict, CellVerdict]]:
    """Return for each method what the best benchmark says at the prediction and below it."""
    pairs = [_pair(surveyed, one, slowdown, how) for one in predictions for slowdown in (one.at, one.below)]
    decided = settle(
        prepared.lab, surveyed.calibration.paces, pairs, Design(name="sensitivity", seed=how.seed)
    )
    verdicts = [decision.verdict for _, decision in decided]
    return {
        one.method: (verdicts[2 * place], verdicts[2 * place + 1]) for place, one in enumerate(predictions)
    }


def _pair(surveyed: Survey, one: Prediction, slowdown: float, how: Injection) -> Pair:
    share = surveyed.shares[one.method, one.benchmark]
    invocations = surveyed.calibration.paces[one.benchmark].invocations
    control, mutant = pair_of_arms(share, slowdown, invocations, how.payment_ns)
    cell = Cell(
        method=one.method,
        benchmark=one.benchmark,
        share=share.share,
        requested=slowdown,
        threshold=how.threshold,
    )
    # Each of the two questions has a control of its own: their batches differ.
    return Pair(
        cell=cell,
        control=replace(control, label=f"control of {slowdown:g}"),
        mutant=mutant,
        plain_s=share.plain_s,
    )
