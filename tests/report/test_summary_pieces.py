"""What summaries are made of, as it looks in a file."""

import io

import pytest
from rich.console import Console, RenderableType
from rich.measure import Measurement

from abs_audit.report.text import (
    UNWRAPPED,
    facts,
    headline,
    more,
    named,
    names,
    page,
    show,
    table,
    verbatim,
    warnings,
)


def _shown(content: RenderableType, width: int = 40) -> list[str]:
    out = io.StringIO()
    show(content, out, width)
    return out.getvalue().splitlines()


def test_facts_stand_beside_their_labels_and_those_without_a_sentence_are_left_out() -> None:
    told = facts(("why", "its input is empty"), ("by", ""), ("since", None), ("next", "abs-audit stubs"))
    assert _shown(told) == ["why   its input is empty", "next  abs-audit stubs"]


def test_facts_about_a_name_are_indented_below_it() -> None:
    assert _shown(named("pkg.render", ("by", "bench_render"))) == ["pkg.render", "  by  bench_render"]


def test_parts_are_an_empty_line_apart_and_what_is_not_there_takes_none() -> None:
    assert _shown(page(headline("Answer."), None, facts(("next", "x")))) == ["Answer.", "", "next  x"]


def test_numbers_of_a_table_end_below_each_other() -> None:
    rows = [("1", "few"), ("200", "many")]
    assert _shown(table(("right", "calls"), ("fold", "method"), rows=rows) or "") == [
        "calls  method",
        "    1  few",
        "  200  many",
    ]


@pytest.mark.parametrize(
    "nothing", [table(("right", "calls"), rows=[]), more(0, "x"), names("x", []), warnings([])]
)
def test_a_part_without_content_is_no_part(nothing: RenderableType | None) -> None:
    assert nothing is None


def test_what_a_list_leaves_out_is_counted() -> None:
    assert _shown(names("lost:", ["a", "b", "c"], limit=2) or "") == ["lost:", "  a", "  b", "  and 1 more"]
    assert _shown(more(7, "steadier") or "", 80) == ["and 7 more, steadier; --json has them all"]


def test_a_command_is_not_wrapped_and_a_sentence_is() -> None:
    command = "abs-audit score --slowdown 0.25 --method pkg.render"
    assert _shown(page(verbatim(command)), 20) == [command]
    assert _shown(facts(("why", "never called while timed")), 20) == ["why  never called", "     while timed"]


@pytest.mark.parametrize("rows", [(), (("by", None),)], ids=["none", "without a sentence"])
def test_what_nothing_is_told_of_is_as_wide_as_its_name(rows: tuple[tuple[str, str | None], ...]) -> None:
    """A page of 2,100 methods was padded to a hundred thousand columns, which took half a minute."""
    console = Console(width=UNWRAPPED)
    assert Measurement.get(console, console.options, named("a.b", *rows)).maximum == len("a.b")
