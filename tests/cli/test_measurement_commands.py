"""`compare`, `chart`, `variability`, `detectable` as users call them: answers, exit codes, bad input."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abs_audit.cli.commands import COMMANDS
from tests.cli.conftest import Run
from tests.support.html_page import Page
from tests.support.schemas import validate

HEADER = ("benchmark", "instance", "trial", "fork", "value")


def document(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out)
    validate(found)
    return found


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def forks(name: str, count: int = 6, **levels: float) -> None:
    """Write benchmarks with some forks of five values; no two files have equal noise."""
    draw = np.random.default_rng(len(name) + sum(map(ord, name)))
    rows = [
        (benchmark, 1, 1, fork, value)
        for benchmark, level in levels.items()
        for fork in range(count)
        for value in level * (1 + 0.005 * draw.normal()) * (1 + 0.001 * draw.normal(size=5))
    ]
    write(name, HEADER, rows)


def cloud(name: str, instances: int = 8, trials: int = 6) -> None:
    """Write two benchmarks whose machines differ by 5 % and whose trials differ by 1 %."""
    draw = np.random.default_rng(7)
    rows = []
    for benchmark in ("one", "two"):
        for instance in range(instances):
            machine = 1 + 0.05 * draw.normal()
            for trial in range(trials):
                level = machine * (1 + 0.01 * draw.normal())
                rows += [
                    (benchmark, instance, trial, 1, level * (1 + 0.002 * draw.normal())) for _ in range(3)
                ]
    write(name, HEADER, rows)


def counters(name: str, memory: float = 50.0, seed: int = 0) -> None:
    """Write a run with a counter that follows the load and one that does not."""
    draw = np.random.default_rng(seed)
    load = draw.normal(100 + 10 * draw.normal(), 5, size=60)
    rows = [
        (minute, one, 0.4 * one * (1 + 0.02 * draw.normal()), memory + draw.normal())
        for minute, one in enumerate(load)
    ]
    write(name, ("time", "load", "cpu", "memory"), rows)


# compare


def test_a_slower_benchmark_is_named_and_fails_the_gate_only_where_one_is_asked_for(run: Run) -> None:
    forks("a.csv", steady=1e-3, changed=1e-3)
    forks("b.csv", steady=1e-3, changed=1.2e-3)
    code, out, _ = run("compare", "a.csv", "b.csv", "--json")
    found = document(out)
    assert (0, ["changed"]) == (code, found["regressions"])
    assert {"steady": "unchanged", "changed": "slower"} == {
        one["id"]: one["change"] for one in found["benchmarks"]
    }
    assert 1 == run("compare", "a.csv", "b.csv", "--fail-on-regression")[0]
    assert 0 == run("compare", "b.csv", "a.csv", "--fail-on-regression")[0]


def test_a_change_below_the_threshold_passes(run: Run) -> None:
    forks("a.csv", b=1.0)
    forks("b.csv", b=1.2)
    assert 1 == run("compare", "a.csv", "b.csv", "--fail-on-regression", "--threshold", "10%")[0]
    assert 0 == run("compare", "a.csv", "b.csv", "--fail-on-regression", "--threshold", "0.3")[0]


def test_three_forks_a_side_are_no_pass(run: Run) -> None:
    forks("a.csv", count=3, b=1.0)
    forks("b.csv", count=3, b=1.0)
    code, out, _ = run("compare", "a.csv", "b.csv", "--fail-on-regression")
    assert 4 == code
    assert "1 has no verdict" in out
    assert "measure at least 4 a side" in " ".join(out.split())


def test_a_filter_leaves_the_benchmarks_that_it_names(run: Run) -> None:
    forks("a.csv", parse=1e-3, render=1e-3)
    forks("b.csv", parse=1e-3, render=2e-3)
    code, out, _ = run("compare", "a.csv", "b.csv", "--filter", "par*", "--json", "--fail-on-regression")
    assert (0, ["parse"]) == (code, [row["id"] for row in document(out)["benchmarks"]])
    code, _, err = run("compare", "a.csv", "b.csv", "--filter", "rendr")
    assert 2 == code
    assert "--filter rendr: no benchmark matches; close names: render" in err


def test_a_pull_request_gets_what_changed_and_how_many_did_not(run: Run) -> None:
    steady = {f"pkg.Suite.steady{number}": 1e-3 for number in range(40)}
    forks("a.csv", **steady, **{"other.Suite.ch|nged": 1e-3})
    forks("b.csv", **steady, **{"other.Suite.ch|nged": 1.2e-3})
    code, out, _ = run("compare", "a.csv", "b.csv", "--format", "markdown")
    assert 0 == code
    lines = out.splitlines()
    assert lines[0] == "<!-- abs-audit: compare a.csv b.csv -->"
    assert lines[1].startswith("**1 of 41 benchmarks became slower, by ")
    rows = [line for line in lines if line.startswith("| ") and "benchmark" not in line]
    assert rows[0].startswith("| slower | `other.Suite.ch\\|nged` | +")
    assert any("40 of them unchanged" in line for line in lines)
    assert len(lines) < 30


def test_a_benchmark_that_vanished_is_named_and_no_pass_but_a_new_one_is(run: Run) -> None:
    forks("a.csv", b=1.0, gone=1.0)
    forks("b.csv", b=1.0, new=1.0)
    code, out, _ = run("compare", "a.csv", "b.csv", "--json")
    assert (4, ["gone"], ["new"]) == (code, document(out)["only_before"], document(out)["only_after"])
    forks("c.csv", b=1.0)
    assert 0 == run("compare", "c.csv", "b.csv", "--fail-on-regression")[0]


def test_a_regression_wins_over_a_missing_verdict(run: Run) -> None:
    forks("a.csv", b=1.0, gone=1.0)
    forks("b.csv", b=1.5)
    assert 1 == run("compare", "a.csv", "b.csv", "--fail-on-regression")[0]


def test_results_without_a_common_benchmark_do_not_belong_together(run: Run) -> None:
    forks("a.csv", one=1.0)
    forks("b.csv", two=1.0)
    code, out, err = run("compare", "a.csv", "b.csv")
    assert (5, "") == (code, out)
    assert "a.csv and b.csv have no benchmark in common: the first holds one, the second two" in err


def test_pooled_iterations_of_one_fork_are_warned_of(run: Run) -> None:
    forks("a.csv", count=1, b=1.0)
    forks("b.csv", count=1, b=1.0)
    assert "pseudo-replication" in run("compare", "a.csv", "b.csv")[1]


def test_constant_values_are_unchanged(run: Run) -> None:
    for name in ("a.csv", "b.csv"):
        write(name, HEADER, [("b", 1, 1, fork, 2.0) for fork in range(6) for _ in range(3)])
    code, out, _ = run("compare", "a.csv", "b.csv", "--json")
    one = document(out)["benchmarks"][0]
    assert (0, "unchanged", 1.0, [1.0, 1.0]) == (code, one["change"], one["ratio"], one["interval"])


def test_a_higher_throughput_is_faster(run: Run) -> None:
    def throughput(name: str, level: float) -> None:
        records = [
            {
                "benchmark": "pkg.Bench.run",
                "mode": "thrpt",
                "threads": 1,
                "forks": 6,
                "primaryMetric": {
                    "score": level,
                    "scoreUnit": "ops/s",
                    "rawData": [[level * (1 + 0.001 * (fork + at)) for at in range(3)] for fork in range(6)],
                },
            }
        ]
        Path(name).write_text(json.dumps(records))

    throughput("a.json", 1000.0)
    throughput("b.json", 1300.0)
    found = document(run("compare", "a.json", "b.json", "--json")[1])["benchmarks"][0]
    assert ("faster", pytest.approx(1 / 1.3)) == (found["change"], found["ratio"])
    assert 1 == run("compare", "b.json", "a.json", "--fail-on-regression")[0]


def test_two_units_of_one_benchmark_are_not_compared(run: Run) -> None:
    for name, unit in (("a.csv", "s"), ("b.csv", "B")):
        write(name, (*HEADER, "unit"), [("b", 1, 1, fork, 2.0 + fork, unit) for fork in range(6)])
    code, _, err = run("compare", "a.csv", "b.csv")
    assert (5, True) == (code, "b: measured in" in err)


# variability and detectable


def test_variability_tells_machines_from_trials_and_rates_false_alarms(run: Run) -> None:
    cloud("cloud.csv")
    code, out, _ = run("variability", "cloud.csv", "--json", "--instances", "1,3", "--trials", "2")
    found = document(out)
    rsd = found["benchmarks"][0]["rsd"]
    assert 0 == code
    assert rsd["per_trial"] < rsd["per_instance"] < rsd["total"]
    assert (8, 48) == (found["benchmarks"][0]["instances"], found["benchmarks"][0]["trials"])
    assert {("instance-based", 1), ("instance-based", 3), ("trial-based", 1), ("trial-based", 3)} == {
        (one["strategy"], one["instances"]) for one in found["a_a"]
    }


def test_outliers_are_counted_and_removed_on_demand(run: Run) -> None:
    write(
        "x.csv", HEADER, [("b", 1, trial, 1, 1.0 + trial / 100) for trial in range(9)] + [("b", 1, 9, 1, 50)]
    )
    kept = document(run("variability", "x.csv", "--json")[1])["benchmarks"][0]
    removed = document(run("variability", "x.csv", "--json", "--remove-outliers")[1])["benchmarks"][0]
    assert [(10, 1), (9, 1)] == [(one["values"], one["outliers"]) for one in (kept, removed)]
    assert removed["rsd"]["total"] < 0.1 < kept["rsd"]["total"]


def test_one_value_of_each_benchmark_has_no_deviation(run: Run) -> None:
    write("x.csv", ("benchmark", "value"), [("a", 1), ("b", 2)])
    code, out, err = run("variability", "x.csv")
    assert (2, "") == (code, out)
    assert "x.csv: a deviation needs at least 2 values of a benchmark, found 1 of each" in err


def test_detectable_recommends_a_sampling_in_words(run: Run) -> None:
    cloud("cloud.csv")
    code, out, _ = run("detectable", "cloud.csv", "--instances", "1,3", "--trials", "1,3")
    first = " ".join(out.split(".")[0].split())
    assert (0, True) == (code, "let you see" in first and "of the benchmarks" in first)
    found = document(run("detectable", "cloud.csv", "--json", "--instances", "1,3", "--trials", "1,3")[1])
    assert 2 * 2 * 4 == len(found["benchmarks"])
    assert first.startswith(found["recommendation"]["sentence"].rstrip("."))
    assert {"id", "strategy", "instances", "trials", "smallest"} <= set(found["benchmarks"][0])


def test_the_same_seed_gives_the_same_answer(run: Run) -> None:
    cloud("cloud.csv")
    once, again, other = (
        run("detectable", "cloud.csv", "--json", "--trials", "1", "--seed", seed)[1]
        for seed in ("5", "5", "6")
    )
    assert once == again != other


def test_without_being_asked_only_possible_samplings_are_tried(run: Run) -> None:
    cloud("cloud.csv", instances=1, trials=4)
    found = document(run("detectable", "cloud.csv", "--json")[1])
    assert {("trial-based", 1, 1)} == {
        (one["strategy"], one["instances"], one["trials"]) for one in found["samplings"]
    }


def test_of_what_is_not_asked_for_only_possible_samplings_are_tried(run: Run) -> None:
    cloud("cloud.csv", instances=1, trials=8)
    found = document(run("detectable", "cloud.csv", "--json", "--trials", "1,2")[1])
    assert {("trial-based", 1, 1), ("trial-based", 1, 2)} == {
        (sampling["strategy"], sampling["instances"], sampling["trials"]) for sampling in found["samplings"]
    }


def test_a_number_asked_for_that_no_data_allow_is_told_beside_the_others(run: Run) -> None:
    cloud("cloud.csv", instances=1, trials=4)
    _, out, _ = run("detectable", "cloud.csv", "--trials", "2,3")
    assert "trial-based 1 × 3 needs 1 instance with 6 trials each, found 0" in " ".join(out.split())
    (row,) = (line for line in out.splitlines() if "1 instance × 3 trials" in line and "trial-based" in line)
    assert row.split()[-4:] == 4 * ["–"]


def test_too_few_trials_for_any_sampling_are_said_with_the_number_needed(run: Run) -> None:
    write("x.csv", ("benchmark", "value"), [("a", 1), ("a", 2), ("a", 3)])
    code, _, err = run("detectable", "x.csv")
    assert (2, True) == (code, "two groups to compare need 2 instances, or 2 trials on one instance" in err)
    cloud("cloud.csv", instances=4, trials=2)
    code, _, err = run("detectable", "cloud.csv", "--instances", "20", "--trials", "1")
    assert (2, True) == (code, "needs 40 instances with 1 trial each, found 4" in err)


def test_constant_values_show_the_smallest_regression_tried(run: Run) -> None:
    write("x.csv", HEADER, [("b", 1, trial, 1, 2.0) for trial in range(6)])
    found = document(run("detectable", "x.csv", "--json", "--instances", "1", "--trials", "3")[1])
    assert [0.01] == [one["smallest"] for one in found["benchmarks"]]
    assert [0.0] == [
        one["rsd"]["total"] for one in document(run("variability", "x.csv", "--json")[1])["benchmarks"]
    ]


# chart


def test_a_shifted_counter_is_out_of_control_and_one_that_follows_the_load_is_not(run: Run) -> None:
    for seed in range(6):
        counters(f"good{seed}.csv", seed=seed)
    counters("bad.csv", memory=60.0, seed=9)
    Path("bad.txt").write_text("# known\nmemory\n")
    code, out, _ = run(
        "chart", "--baseline", *(f"good{seed}.csv" for seed in range(6)), "--target", "bad.csv", "--json",
        "--labels", "bad.txt",
    )  # fmt: skip
    found = document(out)
    assert 0 == code
    assert {"memory": True, "cpu": False} == {one["name"]: one["out_of_control"] for one in found["counters"]}
    assert "memory" == found["counters"][0]["name"]
    assert [] == next(one for one in found["counters"] if one["name"] == "cpu")["notes"]
    assert "not scaled" in found["counters"][0]["notes"][0]
    assert (1.0, 1.0) == (found["quality"]["precision"], found["quality"]["recall"])
    assert 6 == len(found["baselines"])


def test_baselines_may_be_repeated_or_listed(run: Run) -> None:
    for seed in range(3):
        counters(f"g{seed}.csv", seed=seed)
    listed = run("chart", "--baseline", "g0.csv", "g1.csv", "--target", "g2.csv", "--json")[1]
    repeated = run("chart", "--baseline", "g0.csv", "--baseline", "g1.csv", "--target", "g2.csv", "--json")[1]
    assert (
        sorted(document(listed)["baselines"])
        == sorted(document(repeated)["baselines"])
        == ["g0.csv", "g1.csv"]
    )


@pytest.mark.parametrize(
    ("limits", "low", "high"), [("5/95", 5, 95), ("5/50/95", 5, 95), ("10/90", 10, 90), ("1/99", 1, 99)]
)
def test_limits_are_the_percentiles_asked_for(run: Run, limits: str, low: int, high: int) -> None:
    write("base.csv", ("c",), [(value,) for value in range(101)])
    write("new.csv", ("c",), [(50,)] * 5)
    found = document(
        run("chart", "--baseline", "base.csv", "--target", "new.csv", "--json", "--limits", limits)[1]
    )
    low, high = float(limits.split("/", maxsplit=1)[0]), float(limits.rsplit("/", maxsplit=1)[-1])
    (one,) = found["counters"]
    assert [low, 50.0, high, 0.0, None] == [
        one[key] for key in ("lcl", "cl", "ucl", "violation_ratio", "threshold")
    ]


def test_benchmarks_serve_as_counters(run: Run) -> None:
    for at in range(4):
        forks(f"base{at}.csv", steady=1.0, changed=1.0)
    forks("new.csv", steady=1.0, changed=1.1)
    baselines = [f"--baseline=base{at}.csv" for at in range(4)]
    found = document(run("chart", *baselines, "--target", "new.csv", "--json")[1])
    assert {"steady": False, "changed": True} == {
        one["name"]: one["out_of_control"] for one in found["counters"]
    }
    assert {("not scaled: no load recorded",)} == {tuple(one["notes"]) for one in found["counters"]}


def test_one_baseline_learns_no_threshold_and_says_how_many_would(run: Run) -> None:
    counters("a.csv")
    counters("b.csv", seed=1)
    _, out, _ = run("chart", "--baseline", "a.csv", "--target", "b.csv")
    assert "one baseline: no threshold can be learned; give at least 10 baselines" in " ".join(out.split())


def test_few_samples_are_said_with_the_number_needed(run: Run) -> None:
    for name in ("a.csv", "b.csv"):
        write(name, ("c",), [(1,), (2,), (3,)])
    found = document(run("chart", "--baseline", "a.csv", "--target", "b.csv", "--json")[1])
    assert "limits from 3 values; 20 are needed" in found["counters"][0]["notes"]


def test_counters_of_one_side_only_are_named(run: Run) -> None:
    write("a.csv", ("both", "old"), [(1, 2)] * 30)
    write("b.csv", ("both", "new"), [(1, 2)] * 30)
    found = document(run("chart", "--baseline", "a.csv", "--target", "b.csv", "--json")[1])
    assert ["both"] == [one["name"] for one in found["counters"]]
    assert ["no baseline has new: not charted", "b.csv lacks old: not charted"] == found["warnings"][:2]
    write("c.csv", ("other",), [(1,)] * 30)
    code, _, err = run("chart", "--baseline", "a.csv", "--target", "c.csv")
    assert (5, True) == (code, "nothing to chart: no baseline has other" in err)


# all


def test_sessions_answer_like_the_files_they_were_filled_from(run: Run) -> None:
    forks("a.csv", b=1.0)
    forks("b.csv", b=1.2)
    for name in ("a", "b"):
        assert 0 == run("import", f"{name}.csv", "--session", f"{name}.db")[0]
    from_files = document(run("compare", "a.csv", "b.csv", "--json")[1])
    from_sessions = document(run("compare", "a.db", "--session", "b.db", "--json")[1])
    assert from_files["benchmarks"] == from_sessions["benchmarks"]
    assert (
        document(run("variability", "a.csv", "--json")[1])["benchmarks"]
        == document(run("variability", "--session", "a.db", "--json")[1])["benchmarks"]
    )
    Path("checkout/.git").mkdir(parents=True)
    answers = [run("variability", *subject, "--session", "a.db") for subject in (["checkout"], [])]
    assert (0, answers[0]) == (answers[0][0], answers[1])
    charted = document(run("chart", "--baseline", "a.db", "--target", "b.db", "--json")[1])
    assert ["b"] == [one["name"] for one in charted["counters"] if one["out_of_control"]]


@pytest.mark.parametrize(
    ("command", "heading"),
    [
        (("compare", "a.csv", "b.csv"), "None of 1 benchmark became slower."),
        (("variability", "cloud.csv"), "Half of 2 benchmarks vary"),
        (("detectable", "cloud.csv", "--instances", "1", "--trials", "1,3"), "let you see"),
        (("chart", "--baseline", "g1.csv", "g2.csv", "--target", "g3.csv"), "of 2 counters"),
    ],
)
def test_every_command_writes_a_page_with_its_answer(
    run: Run, command: tuple[str, ...], heading: str
) -> None:
    forks("a.csv", b=1.0)
    forks("b.csv", b=1.0)
    cloud("cloud.csv")
    for seed in (1, 2, 3):
        counters(f"g{seed}.csv", seed=seed)
    code, out, _ = run(*command, "--html", "page.html")
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    assert (0, True, []) == (code, heading in page.words, page.unbalanced)
    assert heading in " ".join(out.split())
    assert page.count("svg") > 0


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "x.csv", "x.csv"),
        ("variability", "x.csv"),
        ("detectable", "x.csv"),
        ("chart", "--baseline", "x.csv", "--target", "x.csv"),
    ],
)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, "x.csv"),
        ("", "x.csv"),
        ("benchmark,value\n", "x.csv"),
        ("benchmark,value\nb,nan\n", "nan"),
        ("benchmark,value\nb,inf\n", "inf"),
        ("benchmark,value\nb,-1\n", "-1"),
        ("benchmark,value\nb,fast\n", "fast"),
        ("name,value\nb,1\n", "benchmark"),
    ],
)
def test_bad_files_are_named_with_what_is_wrong_in_them(
    run: Run, command: tuple[str, ...], text: str | None, found: str
) -> None:
    if text is not None:
        Path("x.csv").write_text(text)
    code, out, err = run(*command)
    assert (2 if text is None else 5, "", True, True) == (code, out, "x.csv" in err, found in err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["compare", "a.csv", "a.csv", "--threshold", "5"],
            "--threshold 5: expected a ratio from 0 to below 1",
        ),
        (["compare", "a.csv", "a.csv", "--threshold", "nan"], "--threshold nan: expected a ratio"),
        (["compare", "a.csv"], ".abs-audit/session.db"),
        (["compare"], "which results?"),
        (["detectable", "a.csv", "--instances", "0"], "--instances 0: expected numbers from 1 on"),
        (["detectable", "a.csv", "--trials", "1,x"], "--trials 1,x: expected numbers from 1 on"),
        (["detectable", "a.csv", "--seed", "-1"], "--seed -1: expected a whole number from 0"),
        (["detectable", "a.csv", "--share", "2"], "--share 2: expected a ratio"),
        (["variability"], ".abs-audit/session.db"),
        (["chart", "--target", "a.csv"], "which baselines? Give earlier good runs with --baseline A"),
        (
            ["chart", "--baseline", "a.csv", "--target", "a.csv", "--limits", "95/5"],
            "--limits 95/5: expected two",
        ),
        (["chart", "--baseline", "a.csv", "--target", "a.csv", "--labels", "no.txt"], "no.txt: cannot read"),
        (["chart", "--baseline", "a.csv", "--target", "a.csv", "--labels", "l.txt"], "did you mean 'bench'?"),
        (
            ["chart", "--baseline", "a.csv", "--target", "a.csv", "--labels", "l.csv"],
            "l.csv:3: expected yes or no",
        ),
        (
            ["compare", "a.csv", "a.csv", "--html", "none/x.html"],
            "--html none/x.html: the folder none does not exist",
        ),
    ],
)
def test_a_wrong_word_is_answered_with_what_was_expected(
    run: Run, arguments: list[str], message: str
) -> None:
    forks("a.csv", bench=1.0)
    Path("l.txt").write_text("bnch\n")
    Path("l.csv").write_text("counter,bad\nbench,yes\nbench,perhaps\n")
    code, _, err = run(*arguments)
    assert (2, True) == (code, message in err)


def test_help_says_whole_what_each_command_does(run: Run) -> None:
    _, out, _ = run("--help")
    described = " ".join(out.partition("Commands:")[2].split())
    assert "..." not in described
    assert all(" ".join((command.__doc__ or "").split()) in described for command in COMMANDS.values())


@pytest.mark.parametrize("command", ["compare", "chart", "variability", "detectable"])
def test_every_command_knows_the_common_options(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "dumb")
    _, out, _ = run(command, "--help")
    for option in ("--session", "--config", "--json", "--seed", "--quiet", "-q", "--verbose", "-v", "--html"):
        assert option in out
