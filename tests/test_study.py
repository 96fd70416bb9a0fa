"""The page of the study says what the kept results say; where an audit had no answer, a dash."""

import json
from pathlib import Path
from typing import Any

import pytest

from study import audit, page
from study.result import digest

SUBJECT = audit.Subject(
    name="shelf",
    repository="https://example.invalid/shelf",
    commit="0123456789abcdef",
    language="Go",
    methods=2,
    slowdown=0.5,
    budget="5m",
    reading="Put is watched by nobody.",
)
DOWNSTREAMS = [{"name": "library", "commit": None, "tests_passed": 7, "tests_failed": 1, "calls": 9}]
TAKEN = [{"wall_s": 60.0, "load": [1.0, 2.5]}, {"wall_s": 30.0, "load": [2.0, 2.0]}]


RESULTS = Path(__file__).parents[1] / "study" / "results"
WITHIN = {"Context.Next": "Engine.ServeHTTP"}
"""gin: the outer method calls the inner one, and nothing else of a benchmark does."""
ROUNDING = 0.01


def cell(benchmark: str, verdict: str, realised: float | None) -> dict[str, Any]:
    measured = {"share": 0.9, "requested": 0.5, "realised": realised, "cause": "", "reason": "long"}
    return {"method": "shelf.Get", "benchmark": benchmark, "verdict": verdict, **measured}


def audited(**parts: object) -> dict[str, Any]:
    """Return the documents of an audit that its budget ended after the score."""
    methods = [
        {"method": "shelf.Get", "verdict": "detected", "cause": "", "best_share": 0.9, "detected_by": ["A"]},
        {"method": "shelf.Put", "verdict": "unreached", "cause": "", "best_share": None, "detected_by": []},
    ]
    counts = {"methods": 2, "detected": 1, "missed": 1, "unreached": 1, "no_verdict": 0}
    score = {
        "slowdown": 0.5,
        "score": {"total": 50.0, "relative": 50.0, "absolute": 50.0, "interval": [9.5, 90.5], **counts},
        "methods": methods,
        "cells": [cell("A", "detected", 0.55), cell("B", "missed", 0.45), cell("C", "unreached", None)],
        "skipped": [],
        "false_alarms": {"cells": 2, "alarms": 0},
        "cost": {"paper_protocol_s": 9000.0},
    }
    later = dict.fromkeys(("list", "stability", "redundancy", "select", "stubs"))
    subject = {"framework": "go-bench"}
    return {
        "version": "1",
        "subject": subject,
        "environment": {},
        "warnings": [],
        "score": score,
        **later,
        **parts,
    }


def rendered(**parts: object) -> str:
    result = digest(audited(**parts), {"downstreams": DOWNSTREAMS, "warnings": ["few"]}, TAKEN)
    return page.rendered({"shelf": SUBJECT}, {"shelf": result}, [])


def test_the_page_shows_the_score_its_cost_and_how_far_it_can_be_trusted() -> None:
    text = rendered()
    assert "| shelf | 2 | 0.5 | 1 | 0 | 1 | 0 | 50 % (10–90) |" in text
    # Median of .55 and .45 is the δ of .5; 90 s against 9000 s; loads are 1.0, 2.5, 2.0 and 2.0.
    assert "| shelf | 0 of 2 | 1.00 (2) | 90 s | 2.5 h | 100 | 1.0–2.5 |" in text
    assert "library (7 passed, 1 failed)" in text
    assert "Put is watched by nobody." in text


def test_a_question_that_the_budget_cut_off_is_a_dash_and_never_a_guess() -> None:
    assert "| shelf | Go, go-bench | 3 | – | – |" in rendered()
    assert "| shelf | – | – | – | – |" in rendered()


def test_what_is_kept_leaves_out_cells_that_were_not_measured() -> None:
    kept = digest(audited(), None, TAKEN)["score"]
    assert ["A", "B"] == [cell["benchmark"] for cell in kept["cells"]]
    assert {"detected": 1, "missed": 1, "unreached": 1} == kept["verdicts"]


def test_stubs_that_were_not_tried_do_not_count_as_detecting() -> None:
    stubs = [
        {
            **{"method": "shelf.Put", "file": "x", "compiles": True, "runs": True, "reason": ""},
            **{"detects": detects, "finished": finished},
        }
        for detects, finished in ((True, True), (False, True), (None, True), (None, False))
    ]
    assert "| 1 of 3 |" in rendered(stubs={"stubs": stubs})
    assert [] == digest(audited(stubs={"stubs": stubs[3:]}), None, TAKEN)["stubs"]


def test_every_subject_of_the_list_is_whole() -> None:
    for subject in audit.subjects().values():
        assert len(subject.commit) == 40, subject.name
        assert bool(subject.downstreams) != bool(subject.methods_file), subject.name


def test_the_lessons_are_computed_and_leave_out_what_no_audit_came_to() -> None:
    told = rendered()
    assert "**Of 2 methods** 1 are noticed." in told
    assert "smallest share that was noticed is 0.90 (of 1 cells)" in told
    assert "**A subset of a minute**" not in told


@pytest.mark.parametrize("subject", ["gin", "gin-today"])
def test_a_method_within_another_never_had_the_larger_share(subject: str) -> None:
    cells = json.loads((RESULTS / f"{subject}.json").read_text())["score"]["cells"]
    shares = {
        (cell["benchmark"], cell["method"].rsplit("(*")[-1].replace(")", "")): cell["share"] for cell in cells
    }
    pairs = {
        benchmark: (share, shares[benchmark, WITHIN[method]])
        for (benchmark, method), share in shares.items()
        if method in WITHIN
    }
    assert len(pairs) > 10
    assert {} == {name: pair for name, pair in pairs.items() if pair[0] > pair[1] + ROUNDING}
