"""Documents of the analyses that work on measurements alone."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abs_audit.analyses.chart.document import ChartDocument
from abs_audit.analyses.compare.document import CompareDocument
from abs_audit.analyses.compare.model import ComparisonSettings
from abs_audit.analyses.detectable.document import DetectableDocument
from abs_audit.analyses.detectable.recommendation import recommend
from abs_audit.analyses.variability.document import VariabilityDocument
from abs_audit.report.document import Document, dumps
from tests.support import builders as b
from tests.support import measurements as m
from tests.support.schemas import validate

SETTINGS = ComparisonSettings(threshold=0.05, seed=3)
DOCUMENTS: dict[str, Callable[[], Document]] = {
    "compare": lambda: CompareDocument.read(m.small_comparison(), SETTINGS, "a", "b"),
    "compare-hostile": lambda: CompareDocument.read(m.hostile_comparison(), SETTINGS, "a", "b"),
    "compare-empty": lambda: CompareDocument.read(m.comparison(), SETTINGS, "a", "b"),
    "chart": lambda: ChartDocument.read(m.small_chart(), m.small_quality()),
    "chart-hostile": lambda: ChartDocument.read(m.hostile_chart()),
    "chart-filtered": lambda: ChartDocument.read(m.filtered_chart()),
    "chart-empty": lambda: ChartDocument.read(m.chart()),
    "variability": lambda: VariabilityDocument.read(m.small_variability(), m.small_detectable()),
    "variability-alone": lambda: VariabilityDocument.read(m.hostile_variability()),
    "detectable": lambda: DetectableDocument.read(m.small_detectable(), m.small_advice(), "do this"),
    "detectable-empty": lambda: DetectableDocument.read(
        b.detectable(), recommend(b.detectable(samplings=())), ""
    ),
}


def read_back(document: Document) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = dumps(document)
    assert text.isascii()
    return json.loads(text, parse_constant=refuse)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_satisfies_its_shipped_schema(name: str) -> None:
    written = read_back(DOCUMENTS[name]())
    validate(written)
    assert f"abs-audit/{name.split('-', maxsplit=1)[0]}/1" == written["schema"]


def test_a_benchmark_without_a_verdict_is_undecidable_and_no_regression() -> None:
    written = read_back(DOCUMENTS["compare"]())
    assert "undecidable" == written["benchmarks"][8]["change"]
    assert written["benchmarks"][8]["id"] not in written["regressions"]
    assert 2 == len(written["regressions"])


def test_an_interval_without_an_upper_end_is_written_as_null() -> None:
    endless = m.compared("b", interval=(0.5, float("inf")))
    written = read_back(CompareDocument.read(m.comparison(endless), SETTINGS, "a", "b"))
    validate(written)
    assert [0.5, None] == written["benchmarks"][0]["interval"]


def test_a_counter_carries_the_keys_that_other_programs_read() -> None:
    counter = read_back(DOCUMENTS["chart"]())["counters"][0]
    keys = ("name", "lcl", "cl", "ucl", "violation_ratio", "threshold", "out_of_control")
    assert ["Tomcat IO data bytes/s", 90.0, 100.0, 110.0, 0.95, 0.1, True] == [counter[key] for key in keys]


def test_what_was_drawn_at_random_can_be_drawn_again() -> None:
    assert (3, 0.05) == tuple(
        read_back(DOCUMENTS["compare"]())["settings"][key] for key in ("seed", "threshold")
    )
    assert 7 == read_back(DOCUMENTS["variability"]())["seed"] == read_back(DOCUMENTS["detectable"]())["seed"]


def test_a_filter_is_documented_with_its_cut_and_the_normality_it_changed() -> None:
    two, one = (counter["filter"] for counter in read_back(DOCUMENTS["chart-filtered"]())["counters"])
    assert (120, 40.0, 1e-9, 0.3) == tuple(two.values())
    assert one["cut"] is None
    assert read_back(DOCUMENTS["chart"]())["counters"][0]["filter"] is None


def test_a_chart_without_labels_has_no_quality() -> None:
    assert read_back(DOCUMENTS["chart-empty"]())["quality"] is None


def test_a_detectable_row_carries_the_keys_that_other_programs_read() -> None:
    row = read_back(DOCUMENTS["detectable"]())["benchmarks"][0]
    keys = ("id", "strategy", "instances", "trials", "smallest", "false_positive_rate", "true_positive_rate")
    assert [m.BENCHMARKS[0], "instance-based", 1, 1, 0.5, 0.02, 0.99] == [row[key] for key in keys]


def test_a_recommendation_says_whether_it_reaches_its_aim() -> None:
    small = m.small_detectable()
    reached = read_back(DetectableDocument.read(small, recommend(small, 0.05), "x"))["recommendation"]
    missed = read_back(DetectableDocument.read(small, recommend(small, 0.01), "x"))["recommendation"]
    assert (True, 3, 3) == (
        reached["reached"],
        reached["sampling"]["instances"],
        reached["sampling"]["trials"],
    )
    assert (False, 0.03) == (missed["reached"], missed["sampling"]["smallest"])


def test_rates_that_no_test_could_give_are_null_and_not_zero() -> None:
    alarms = m.small_detectable()
    blind = replace(alarms, benchmarks=(replace(alarms.benchmarks[0], false_alarms_of_medians=None),))
    written = read_back(VariabilityDocument.read(m.small_variability(), blind))
    assert written["a_a"][0]["false_alarms_of_medians"] is None
