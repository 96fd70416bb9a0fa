"""Go's benchmark format: verbatim outputs, the proposal's own rules, noise and truncation."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.formats import go_results
from abs_audit.formats.go_text import (
    TIME,
    begun,
    crash,
    endings,
    lasted_s,
    own_names,
    parse,
    plain_times,
    times,
)

OUTPUTS = Path(__file__).parents[2] / "fixtures" / "outputs" / "go"
ODD_PARTS = [
    *("a_b", "x/y", "[x]", "size-2", "size-2#01", "é", "#00", "a|b", "^.*$", "quote\"'", "tab_here"),
    *("\\x01", "a//b", "k=v/w-8"),
]
ODD_NAMES = [f"BenchmarkOddNames/{part}" for part in ODD_PARTS]


def output(name: str) -> str:
    return (OUTPUTS / name).read_text(encoding="utf-8")


def named(text: str) -> list[tuple[str, int]]:
    """Return the name in the sources and the number of processors of each result."""
    printed = [result.printed for result in parse(text)]
    known = own_names(set(printed))
    return [known[name] for name in printed]


def names(text: str) -> list[str]:
    return [name for name, _ in named(text)]


def test_all_values_of_a_line_are_read_with_their_units() -> None:
    _, own_time, *_ = parse(output("odd_names.txt"))
    assert ((123456.0, "ns/op"), (0.25, "hits/op"), (0.0, "B/op"), (0.0, "allocs/op")) == own_time.values
    assert ("BenchmarkTellsATimeOfItsOwn-2", 5) == (own_time.printed, own_time.invocations)


def test_a_line_without_a_time_is_a_result_of_what_it_has() -> None:
    hidden = next(parse(output("odd_names.txt")))
    assert ((7.0, "things/op"),) == hidden.values
    assert hidden.value("ns/op") is None


def test_names_keep_every_odd_character() -> None:
    assert ODD_NAMES == names(output("odd_names.txt"))[2:]


def test_a_dash_and_a_number_of_a_benchmarks_own_stay_where_one_processor_ran_it() -> None:
    assert ODD_NAMES == names(output("one_processor.txt"))


def test_the_suffix_is_told_from_benchmarks_without_parts() -> None:
    assert {2} == {processors for _, processors in named(output("odd_names.txt"))}


def test_the_suffix_is_told_from_what_all_parts_agree_on() -> None:
    text = "BenchmarkA/n=10-8 1 5 ns/op\nBenchmarkA/n=20-8 1 5 ns/op\n"
    assert ["BenchmarkA/n=10", "BenchmarkA/n=20"] == names(text)
    text = "BenchmarkA/n-10 1 5 ns/op\nBenchmarkA/n-20 1 5 ns/op\n"
    assert ["BenchmarkA/n-10", "BenchmarkA/n-20"] == names(text)


def test_packages_of_one_text_have_suffixes_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text(
        "pkg: one\nBenchmarkA-8 1 5 ns/op\npkg: two\nBenchmarkB 1 5 ns/op\nBenchmarkB/x-8 1 5 ns/op\n"
    )
    samples = go_results.read(tmp_path / "two.txt")
    assert ["one.BenchmarkA", "two.BenchmarkB", "two.BenchmarkB/x-8"] == [
        sample.benchmark for sample in samples
    ]


def test_runs_on_one_two_and_four_processors_have_one_name() -> None:
    ran = named(output("three_processors.txt"))
    assert [1, 2, 4] * 3 == [processors for _, processors in ran]
    sources = ["BenchmarkTellsATimeOfItsOwn", "BenchmarkOddNames/size-2", "BenchmarkOddNames/size-2#01"]
    assert [name for name in sources for _ in range(3)] == [name for name, _ in ran]


def test_results_are_read_through_noise_between_name_and_result() -> None:
    results = list(parse(output("wordbook.txt")))
    chatty = [result for result in results if result.printed == "BenchmarkChatty-8"]
    assert [8163.0, 7779.0] == [result.value("ns/op") for result in chatty]
    assert [50, 50] == [result.invocations for result in chatty]
    assert len(results) == 14


def test_the_last_name_before_a_result_is_its_own() -> None:
    text = "BenchmarkA-2  \tnoise\nBenchmarkB-2  \tnoise\n  50\t 7 ns/op\n  60\t 8 ns/op\n"
    assert [("BenchmarkB-2", 50)] == [(result.printed, result.invocations) for result in parse(text)]


def test_a_sentence_that_begins_like_a_name_is_none() -> None:
    text = "BenchmarkA-2  \tnoise\nBenchmarkB is next\n  50\t 7 ns/op\n"
    assert ["BenchmarkA"] == names(text)


def test_the_last_unit_of_a_text_may_be_half_of_one_unless_it_is_well_known() -> None:
    units = [result.values[-1][1] for text in ("B/op", "MB/s", "hits/o") for result in parse(_cut(text))]
    assert ["B/op", "MB/s", "ns/op"] == units


def _cut(unit: str) -> str:
    return f"BenchmarkA 5 7 ns/op 8 {unit}"


def test_configuration_lines_hold_for_what_follows() -> None:
    results = list(parse(output("wordbook.txt")))
    assert {"goos": "linux", "goarch": "amd64", "pkg": "example.com/wordbook", "cpu": "a processor"} == dict(
        results[0].configuration
    )
    assert results[-1].configuration["pkg"] == "example.com/wordbook/shelf"


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("note: a b: c ", "note", "a b: c"),
        ("empty:", "empty", ""),
        ("tab:\tx", "tab", "x"),
        ("commit-time: 2026-01-01T00:00:00Z", "commit-time", "2026-01-01T00:00:00Z"),
    ],
)
def test_configuration_follows_the_proposal(line: str, key: str, value: str) -> None:
    (result,) = parse(f"{line}\nBenchmarkA 1 2 ns/op\n")
    assert {key: value} == dict(result.configuration)


@pytest.mark.parametrize("line", ["Note: x", "no te: x", "note:x", "nOte: x", ": x", "http://x"])
def test_what_is_no_configuration_is_none(line: str) -> None:
    (result,) = parse(f"{line}\nBenchmarkA 1 2 ns/op\n")
    assert not result.configuration


@pytest.mark.parametrize(
    "line",
    [
        "BenchmarkA",
        "BenchmarkA 10",
        "BenchmarkA 10 5",
        "Benchmarking 10 5 ns/op",
        "BenchmarkA ten 5 ns/op",
        "BenchmarkA is 10 5 ns/op faster",
        "BenchmarkNobody-2   \t 5\t 100 ns/op is what some promise",
    ],
)
def test_what_is_no_result_is_none(line: str) -> None:
    assert [] == list(parse(line + "\n"))


def test_numbers_come_in_all_forms() -> None:
    (result,) = parse("Benchmark 1 1.5e-03 ns/op 2 B/op NaN x +Inf y -.5 z\r\n")
    assert [0.0015, 2.0, math.inf, -0.5] == [value for value, unit in result.values if unit != "x"]
    assert math.isnan(result.value("x") or 0.0)


def test_benchmarks_that_fail_are_named_with_what_they_said() -> None:
    ended = list(endings(output("failing.txt")))
    assert [
        ("BenchmarkFails", "failures_test.go:23: the answer is wrong"),
        ("BenchmarkFailsLater-2", "failures_test.go:29: only once"),
        ("BenchmarkParts/fails", "failures_test.go:73: part of BenchmarkParts/fails is wrong"),
        ("BenchmarkParts", ""),
    ] == [(ending.name, ending.reason) for ending in ended]
    good = names(output("failing.txt"))
    assert ["BenchmarkParts/good", "BenchmarkParts/better"] == good


def test_verbose_runs_say_first_what_went_wrong_and_what_was_skipped() -> None:
    ended = list(endings(output("failing_verbose.txt")))
    assert [
        ("BenchmarkFails", False, "failures_test.go:23: the answer is wrong"),
        ("BenchmarkFailsLater-2", False, "failures_test.go:29: only once"),
        ("BenchmarkSkips", True, "failures_test.go:55: not on this machine"),
        ("BenchmarkParts/fails", False, "failures_test.go:73: part of BenchmarkParts/fails is wrong"),
        ("BenchmarkParts", False, ""),
    ] == [(ending.name, ending.skipped, ending.reason) for ending in ended]


def test_a_panic_costs_only_what_came_after_it() -> None:
    assert ["BenchmarkFragile/first"] == names(output("panicking.txt"))
    assert crash(output("panicking.txt")) == "panic: a part breaks (failures_test.go:79)"


def test_a_panic_in_gos_own_code_is_told_by_the_line_that_called_it() -> None:
    log = (
        "panic: strings: negative Repeat count\n\ngoroutine 7 [running]:\npanic({0x1, 0x2})\n"
        "\t/opt/go/src/runtime/panic.go:787 +0x132\nstrings.Repeat({0x1, 0x2}, 0x3)\n"
        "\t/opt/go/src/strings/strings.go:624 +0x5b\nexample.com/p.BenchmarkA(0x1)\n"
        "\t/home/me/a p/a_test.go:9 +0x25\ntesting.(*B).runN(0x1, 0x1)\n"
    )
    assert crash(log) == "panic: strings: negative Repeat count (a_test.go:9)"


def test_a_panic_that_a_benchmark_only_talks_about_is_not_the_one_that_ended_it() -> None:
    log = (
        "panic: not really\nmore\npanic: first [recovered]\n\tpanic: real\n\ngoroutine 7 [running]:\npanic: x"
    )
    assert crash(log) == "panic: real"
    assert crash("all is well") == ""


def test_the_parts_of_a_verbose_run_are_told_apart() -> None:
    text = "noise\x16=== RUN   BenchmarkA\nBenchmarkA\nfirst\n\x16=== RUN   BenchmarkA/x\nlast"
    assert [("BenchmarkA", "\nBenchmarkA\nfirst\n"), ("BenchmarkA/x", "\nlast")] == begun(text)
    assert [] == begun("=== RUN   BenchmarkA\n")


@pytest.mark.parametrize("name", ["wordbook.txt", "odd_names.txt", "failing.txt", "panicking.txt"])
def test_a_text_that_was_cut_off_anywhere_yields_only_whole_results(name: str) -> None:
    text = output(name)
    whole = list(parse(text))
    for length in range(0, len(text), 3):
        for part, other in zip(parse(text[:length]), whole, strict=False):
            assert (other.printed, other.invocations) == (part.printed, part.invocations)
            assert set(part.values) <= set(other.values)


def test_times_are_found_by_the_number_of_invocations_that_was_asked_for() -> None:
    text = (
        "noise 50\t 1 ns/op\n150\t 3 ns/op\nx50\t  12.34 ns/op\t 0 B/op\n  50\t 5 ns/opera\n50\t .5 ns/op\n"
    )
    assert [1e-9, 1.234e-8, 5e-10] == times(text, 50)
    assert [] == times(text, 5)


def test_what_runs_took_is_known_if_each_says_so() -> None:
    text = "A\t 2\t 5.000 ns/op\t 1500 abs-audit-ns\n" + "A\t 2\t 6.000 ns/op\t 500.0 abs-audit-ns\t 3 B/op\n"
    assert [2e-6, 0.0, 0.0] == [lasted_s(text, runs) for runs in (2, 1, 3)]


def test_a_number_of_eight_digits_may_touch_the_noise_before_it() -> None:
    assert [2e-9] == times("step 710000000\t         2.000 ns/op\n", 10000000)
    assert [] == times("step 71000000\t         2.000 ns/op\n", 1000000)


@given(
    value=st.floats(min_value=1.0, max_value=1e9),
    invocations=st.integers(1, 10**9),
    noise=st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs", "Nd"]), max_size=30),
)
def test_a_printed_time_is_found_again_whatever_stands_before_it(
    value: float, invocations: int, noise: str
) -> None:
    assert [float(f"{value:.4g}") / 1e9] == times(
        f"{noise}{invocations:8d}\t{float(f'{value:.4g}')!r} ns/op\t7 B/op\nPASS\n", invocations
    )


def test_the_testing_package_rounds_a_time_by_half_a_thousandth_at_most() -> None:
    # Its formats: whole nanoseconds from 999.95 on, and four digits below. The worst case is 1000 ± .5.
    for exact in (999.96, 1000.49, 1234.5, 99.996, 9.9996, 0.99996):
        printed = f"{exact:.0f}" if exact >= 999.95 else f"{exact:.{3 - math.floor(math.log10(exact))}f}"
        (time_s,) = times(f"     100\t{printed} ns/op\n", 100)
        assert time_s * 1e9 == pytest.approx(exact, rel=5.1e-4)


LINES = st.sampled_from(
    [
        "BenchmarkA-8 \t 100\t 12.5 ns/op\n",
        "BenchmarkA-8 100 1e3 ns/op 5 B/op 2 allocs/op\r\n",
        "BenchmarkB/x=BenchmarkC-8\t3\t4 ns/op\n",
        "BenchmarkOnlyBytes-8 10 7 MB/s\n",
        "noise BenchmarkD-8 10 7 ns/op\n",
        "BenchmarkE-8 \t said something\n 10\t 8 ns/op\n",
        "BenchmarkCut-8 10 9",
        "pkg: example.com/p\n",
        "ok  \texample.com/p\t1.2s\n",
    ]
)


@given(st.lists(LINES, max_size=6).map("".join))
def test_plain_times_are_those_of_the_parser_or_none_at_all(text: str) -> None:
    plain = plain_times(text)
    if plain is not None:
        expected = [(result.printed, result.value(TIME)) for result in parse(text)]
        assert expected == [(name, float(time)) for name, time in plain]


def test_plain_times_are_found_where_lines_are_whole() -> None:
    assert [("BenchmarkA-8", "1.5"), ("BenchmarkA-8", "2")] == plain_times(
        "goos: linux\npkg: p\nBenchmarkA-8 \t 10\t 1.5 ns/op\nBenchmarkA-8 \t 10\t 2 ns/op\t 3 B/op\nPASS\n"
    )
    assert plain_times("BenchmarkA-8 \t 10\t 1.5 ns/op") is None


def test_marks_around_what_a_verbose_benchmark_logs_are_none_of_it() -> None:
    logged = "\x0f    a_test.go:3: the answer is wrong\x0e"
    text = f"BenchmarkFails\n{logged}\n\x16--- FAIL: BenchmarkFails\n\x16FAIL\n"
    assert [("BenchmarkFails", "a_test.go:3: the answer is wrong")] == [
        (ending.name, ending.reason) for ending in endings(text)
    ]
