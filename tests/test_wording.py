import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.report.names import brief_method, shortened, visible
from abs_audit.wording import (
    count,
    duration,
    factor,
    fine_percent,
    percent,
    slower,
    time_per_invocation,
    within,
)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0.0, "0%"),
        (0.004, "<1%"),
        (11 / 17, "65%"),
        (0.996, ">99%"),
        (1.0, "100%"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_percent_never_rounds_nearly_all_to_all(rate: float | None, text: str) -> None:
    assert percent(rate) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "–"),
        (0.0, "0%"),
        (1e-5, "<0.01%"),
        (0.0013, "0.13%"),
        (0.047, "4.7%"),
        (0.12, "12%"),
        (3.4, "340%"),
    ],
)
def test_a_fine_percent_has_two_digits_that_count(rate: float | None, text: str) -> None:
    assert text == fine_percent(rate)


@pytest.mark.parametrize(
    ("slowdown", "text"),
    [
        (0.4, "40% slower"),
        (1.0, "2 times as slow"),
        (1.3, "2.3 times as slow"),
        (9149.2, "9 150 times as slow"),
    ],
)
def test_large_slowdowns_are_told_as_factors(slowdown: float, text: str) -> None:
    assert slower(slowdown) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.00035, "350 µs"),
        (0.012, "0.012 s"),
        (4.25, "4.2 s"),
        (59.4, "59 s"),
        (1260.0, "21 min"),
        (93_600.0, "26 h"),
        (276_480.0, "3.2 days"),
        (None, "–"),
        (math.inf, "–"),
    ],
)
def test_durations_use_the_unit_that_people_would_use(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (1.02e-3, "1.02 ms"), (3.14e-7, "314 ns"), (2e-11, "0.02 ns")]
)
def test_measured_times_have_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert time_per_invocation(seconds) == text


@pytest.mark.parametrize(
    ("rate", "interval", "text"),
    [
        (0.0, (0.0, 0.11), "0% (0% to 11%)"),
        (0.5, (0.498, 0.502), "50%"),
        (0.5, None, "50%"),
        (None, None, "–"),
    ],
)
def test_an_interval_is_told_where_it_reads_otherwise(
    rate: float | None, interval: tuple[float, float] | None, text: str
) -> None:
    assert text == within(rate, interval)


@pytest.mark.parametrize(("times", "text"), [(0.126, "0.13"), (1.24, "1.2"), (99.4, "99"), (260.4, "260")])
def test_large_factors_are_whole_numbers(times: float, text: str) -> None:
    assert text == factor(times)


def test_counts_agree_with_their_noun() -> None:
    assert [count(1, "method"), count([], "method"), count(12_000, "method")] == [
        "1 method",
        "0 methods",
        "12 000 methods",
    ]


@pytest.mark.parametrize(
    ("method", "brief"),
    [
        ("tokenmap.core.TokenMap.load", "TokenMap.load"),
        ("load", "load"),
        ("github.com/x/y.(*List).Push", "(*List).Push"),
        ("github.com/x/y.Parse", "y.Parse"),
        ("org.x.Map$Entry.put(java.lang.Object,int[])", "Map$Entry.put(Object, int[])"),
        ("org.x.Map.<init>()", "Map.<init>()"),
    ],
)
def test_a_method_is_called_by_its_last_two_parts(method: str, brief: str) -> None:
    assert brief_method(method) == brief


@given(st.text())
def test_nothing_invisible_stays_in_a_visible_name(text: str) -> None:
    assert visible(text).isprintable()


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_a_plain_name_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text(), st.integers(min_value=3, max_value=400))
def test_a_shortened_name_keeps_its_ends_and_its_limit(text: str, width: int) -> None:
    short = shortened(text, width)
    assert len(short) <= width
    if len(text) > width:
        begin, end = short.split("…", 1) if "…" not in text else (short[:0], short[-1:])
        assert text.startswith(begin)
        assert text.endswith(end)
    else:
        assert short == text


def test_a_time_just_below_a_unit_is_a_whole_one_of_it() -> None:
    assert time_per_invocation(0.00099951) == "1 ms"
    assert time_per_invocation(0.0009994) == "999 µs"


def test_a_shortened_sentence_keeps_what_it_says() -> None:
    names = ", ".join(f"tests/test_{number}.py::test_it" for number in range(9))
    short = shortened(f"121 benchmarks fail without any slowdown and watch nothing as they are: {names}", 200)
    assert short.startswith("121 benchmarks fail without any slowdown and watch nothing as they are: ")
    assert short.endswith("tests/test_8.py::test_it")
    short = shortened(f"called at first only, not when measured (a cache may answer), by {names}", 200)
    assert short.startswith("called at first only, not when measured (a cache may answer), by tests/")
