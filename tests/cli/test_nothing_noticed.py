"""What is redundant and what to choose follows from what a score executed: nothing is executed for it."""

import json
from pathlib import Path

import pytest

from abs_audit.analyses.selection.measure import stability
from abs_audit.analyses.sensitivity import measure as sensing
from abs_audit.analyses.sensitivity.model import sensitivity, unnoticed
from abs_audit.analyses.stability.measure import UnslowedRecord
from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.model.verdict import Verdict
from tests.cli.conftest import Run
from tests.support.builders import cell, stub
from tests.support.recorded_scores import keep, keep_cells
from tests.support.schemas import validate


def test_what_notices_nothing_is_answered_at_once(run: Run, checkout: Path) -> None:
    keep(checkout, Verdict.MISSED)
    for words in (("redundancy",), ("select", "--budget", "10s")):
        code, out, err = run(words[0], str(checkout), *words[1:], "--json")
        assert 0 == code, err
        validate(json.loads(out))
        # Whatever is executed needs a copy.
        assert not Path("cache").exists()


def test_what_the_score_knows_of_benchmarks_that_notice_is_enough(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(checkout)
    name = "benchmarks/test_it.py::test_render"
    monkeypatch.setattr(
        stability, "of_benchmarks", lambda *_: UnslowedRecord(spreads=(), durations={name: 0.25})
    )
    for words, key, told in (
        (["redundancy"], "removable", []),
        (["select", "--budget", "9s"], "chosen", [name]),
    ):
        code, out, err = run(words[0], str(checkout), *words[1:], "--json")
        assert 0 == code, err
        assert told == json.loads(out)[key]
        assert not Path("cache").exists()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, 0),
        ({"detects": False}, 0),
        ({"compiles": False, "runs": False, "detects": None, "reason": "needs a palette"}, 0),
        ({"detects": None, "reason": "its values scatter too much"}, 4),
        ({"runs": False, "detects": None, "finished": False}, 4),
    ],
)
def test_a_proposal_of_which_it_is_not_known_whether_it_notices_is_no_pass(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], code: int
) -> None:
    keep(checkout, Verdict.MISSED)
    outcomes = (stub("pkg.render"), stub("pkg.render", **changes))
    monkeypatch.setattr(stubbing, "measure", lambda *_: stubbing.Tried(stubs=(), outcomes=outcomes))
    assert code == run("stubs", str(checkout))[0]


def test_no_verdict_on_a_method_is_none_on_whether_a_benchmark_is_missing(run: Run, checkout: Path) -> None:
    keep(checkout, Verdict.NO_VERDICT)
    code, out, _ = run("stubs", str(checkout))
    assert (4, True) == (code, out.startswith("No benchmark is missing, as far as methods have a verdict."))


def test_a_sensitivity_that_noise_keeps_unknown_is_no_pass(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(checkout)
    open_ = unnoticed("pkg.render", why_open="its shares scatter too much")
    monkeypatch.setattr(sensing, "measure", lambda *_: sensitivity(0.25, [open_]))
    assert 4 == run("sensitivity", str(checkout))[0]


def test_what_is_executed_as_a_whole_costs_what_all_its_parts_do(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One part notices something; a budget that it fits into alone is too small for what is executed."""
    keep_cells(
        checkout,
        cell("pkg.render", "whole/a"),
        cell("pkg.render", "whole/b", Verdict.MISSED),
        cell("pkg.render", "other", Verdict.MISSED),
    )

    def executed(
        _project: object, _runtime: object, names: tuple[str, ...], _plans: object
    ) -> UnslowedRecord:
        return UnslowedRecord(durations=dict.fromkeys(names, 2.0), wholes=frozenset({"whole"}))

    monkeypatch.setattr(stability, "of_benchmarks", executed)
    for budget, chosen in (("3s", []), ("5s", ["whole"])):
        code, out, err = run("select", str(checkout), "--budget", budget, "--json")
        assert 0 == code, err
        assert chosen == json.loads(out)["chosen"]
