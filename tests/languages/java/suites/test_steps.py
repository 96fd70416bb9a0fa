"""What became of a fork of JMH, as it is read: trials with their values and tallies, or a reason."""

import json
from dataclasses import replace
from typing import Any

import pytest

from abs_audit.errors import MismatchError
from abs_audit.languages.java.suites.steps import trials, why
from abs_audit.model.experiment import Mode, Step
from abs_audit.model.measurement import Status, Trial
from tests.support.jmh_records import block, record, step


def read_all(*asked: Step, **changes: Any) -> list[Trial]:
    """Return the trials of the one fork of a block."""
    return list(trials({"block/1": block(*asked)}, json.loads(record(**changes))))


def read(asked: Step, **changes: Any) -> Trial:
    (trial,) = read_all(asked, **changes)
    return trial


def result(measured: list[float]) -> str:
    """Return JMH's result with the iterations of its one fork."""
    return json.dumps([{"primaryMetric": {"scoreUnit": "ns/op", "rawData": [measured]}}])


def tally(calls: int, build: str = "b1") -> str:
    entry = {"calls": calls, "setup_calls": 0, "batches": 1, "injected_ns": 5e8, "timed_ns": 1e9}
    return json.dumps({"build_id": build, "methods": {"m": entry}})


def test_a_value_is_the_median_of_its_iterations_and_invocations_follow_from_the_time() -> None:
    trial = read(step(Mode.OFF))
    assert (Status.OK, (pytest.approx(2e-7),), 500_000) == (trial.status, trial.values, trial.invocations)
    assert None is trial.tally


def test_parameters_that_jmh_writes_without_escaping_them_hide_no_values() -> None:
    written = '[{"mode" : "avgt", "params" : {\n"a" : ""b" \\ }, c",\n"d" : "e"\n},\n"primaryMetric" : {'
    result = written + '"scoreUnit" : "ns/op", "rawData" : [[400.0, 100.0, 200.0]]}}]'
    assert read(step(Mode.OFF)).values == read(step(Mode.OFF), result=result).values


def test_tallies_of_all_jvms_are_added_up() -> None:
    trial = read(step(Mode.CONTROL, 7, methods=["m"]), tallies=[tally(3), tally(4)])
    assert trial.tally is not None
    assert (7, 1.0, 2.0) == (
        trial.tally.methods["m"].calls,
        trial.tally.methods["m"].injected_s,
        trial.tally.methods["m"].timed_s,
    )


@pytest.mark.parametrize(
    ("parts", "on_processor"),
    # Of 400, 100 and 200 ns others took 300, 0 and 120: they are 100, 100 and 80 without that.
    [([[0.25, 1.0, 0.4]], 100 / 200), ([[1.0, 1.0, 1.1]], 1.0), ([[0.5]], 1.0), ([], 1.0)],
)
def test_what_others_took_of_the_iterations_is_known(parts: list[list[float]], on_processor: float) -> None:
    metric = {"scoreUnit": "ns/op", "rawData": [[400.0, 100.0, 200.0]]}
    measured = {"primaryMetric": metric, "secondaryMetrics": {"abs-audit.on-processor": {"rawData": parts}}}
    trial = read(step(Mode.TIME, methods=["m"]), tallies=[tally(3)], result=json.dumps([measured]))
    assert trial.tally is not None
    assert on_processor == pytest.approx(trial.tally.methods["m"].on_processor)


def test_an_invocation_of_several_threads_takes_what_follows_from_the_rate_of_all() -> None:
    """The mean of what it takes in each was 400 µs of 3, where one waited for a processor all the time."""
    measured = {
        "threads": 4,
        "primaryMetric": {"scoreUnit": "ops/ns", "rawData": [[0.02, 0.04, 0.02]]},
        "secondaryMetrics": {"abs-audit.on-processor": {"rawData": [[2.0, 2.0, 1.9]]}},
    }
    trial = read(step(Mode.TIME, methods=["m"]), tallies=[tally(3)], result=json.dumps([measured]))
    assert (pytest.approx(200e-9),) == trial.values
    assert trial.tally is not None
    assert (4, pytest.approx(0.475)) == (trial.tally.threads, trial.tally.methods["m"].on_processor)


def test_steps_of_one_fork_take_turns_and_each_has_its_own_values_and_tally() -> None:
    """The baseline begins each time, the others come there and back: the mutant takes 150, 170 and 160."""
    mutant = step(Mode.DELAY, 7, delay_ns=5.0, methods=["m"])
    arms = [step(Mode.CONTROL, 7, methods=["m"]), mutant, step(Mode.CONTROL, 7, methods=["m"])]
    metric = {"scoreUnit": "ns/op", "rawData": [[50, 100, 150, 99, 60, 98, 170, 110, 70, 90, 160, 97]]}
    entries = [{"m": json.loads(tally(calls))["methods"]["m"]} for calls in (40, 30, 20, 10)]
    shared = read_all(
        *arms,
        key="block/1\n0,1,2",
        result=json.dumps([{"primaryMetric": metric}]),
        tallies=[json.dumps({"build_id": "b1", "arms": entries})],
    )
    assert [pytest.approx((1e-7,)), pytest.approx((1.6e-7,)), pytest.approx((0.98e-7,))] == [
        trial.values for trial in shared
    ]
    assert [(0, 30), (1, 20), (2, 10)] == [
        (trial.position, trial.tally.methods["m"].calls) for trial in shared if trial.tally
    ]
    assert [(pytest.approx(6e-8), False)] * 3 == [
        (trial.tally.plain_s, trial.tally.is_whole) for trial in shared if trial.tally
    ]


def test_single_shots_take_turns_without_a_baseline() -> None:
    arms = [step(Mode.CONTROL, 7, methods=["m"]), step(Mode.DELAY, 7, delay_ns=5.0, methods=["m"])]
    metric = {"scoreUnit": "ns/op", "rawData": [[100, 150]]}
    entries = [{"m": json.loads(tally(calls))["methods"]["m"]} for calls in (20, 10)]
    control, mutant = read_all(
        *arms,
        key="block/1\n0,1",
        result=json.dumps([{"mode": "ss", "primaryMetric": metric}]),
        tallies=[json.dumps({"build_id": "b1", "arms": entries})],
    )
    assert [pytest.approx((1e-7,)), pytest.approx((1.5e-7,))] == [control.values, mutant.values]
    assert control.tally is not None
    assert (20, None) == (control.tally.methods["m"].calls, control.tally.plain_s)
    assert control.tally.is_whole


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.TIME, Mode.COUNT])
def test_what_jmh_times_in_batches_is_told_of_one_invocation(mode: Mode) -> None:
    """The suite's own batches, and those of a count: a cache's refill was taken for all."""
    metric = {"scoreUnit": "ns/op", "rawData": [[10_000.0]]}
    measured = {"mode": "ss", "measurementBatchSize": 50, "primaryMetric": metric}
    trial = read(step(mode, 7), result=json.dumps([measured]))
    assert (pytest.approx(2e-7),) == trial.values
    assert (7 if mode is Mode.COUNT else 50) == trial.invocations


def test_no_tally_means_no_call_and_a_cut_off_or_foreign_one_no_evidence() -> None:
    asked = step(Mode.COUNT, 7, methods=["m"])
    none = read(asked).tally
    assert none is not None
    assert 0 == none.methods["m"].calls
    assert None is read(asked, tallies=[tally(3)], unfinished=True).tally
    assert None is read(asked, tallies=[tally(3), tally(3, build="b2")]).tally


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"timed_out": True}, Status.TIMED_OUT, "not done after the limit of 5 s"),
        ({"result": None}, Status.MISSING, "expected one result of JMH, found 0"),
        (
            {
                "result": "[]",
                "exit": 1,
                "log": "x\njava.lang.IllegalStateException: no book\n\tat A.b(A.java)\n"
                "org.openjdk.jmh.runner.BenchmarkException: Benchmark error during the run\n",
            },
            Status.FAILED,
            "java.lang.IllegalStateException: no book",
        ),
        ({"exit": 1}, Status.FAILED, "JMH ended with exit code 1"),
        ({"result": '[{"primaryMetric": '}, Status.FAILED, "JMH's result cannot be read"),
        (
            {"result": json.dumps([{"primaryMetric": {"scoreUnit": "ns/op", "rawData": [["NaN"]]}}])},
            Status.FAILED,
            "expected times above zero, found nan s",
        ),
        (
            {"result": json.dumps([{"primaryMetric": {"scoreUnit": "ops/ns", "rawData": [[0.0]]}}])},
            Status.FAILED,
            "expected times above zero, found inf s",
        ),
        (
            {"result": json.dumps([{"primaryMetric": {"scoreUnit": "ops/s", "rawData": [[1.0]]}}])},
            Status.FAILED,
            "found 1 in ops/s",
        ),
    ],
)
def test_what_is_no_measurement_has_its_reason(changes: dict[str, Any], status: Status, reason: str) -> None:
    trial = read(step(Mode.OFF), **changes)
    assert (status, (), True) == (trial.status, trial.values, reason in trial.reason), trial.reason


def test_a_record_of_another_block_or_of_a_step_that_it_has_not_is_refused() -> None:
    with pytest.raises(MismatchError, match="expected steps of the blocks at hand"):
        read(step(Mode.OFF), key="other\n0")
    with pytest.raises(MismatchError, match="expected steps of the blocks at hand"):
        read(step(Mode.OFF), key="block/1\n1")


@pytest.mark.parametrize(
    ("measured", "value"),
    [
        ([100.0], 100),
        ([100.0, 300.0], 200),
        ([100.0, 900.0, 200.0], 200),
        # Of four the outer two do not count, of eight the outer four: what stays is averaged.
        ([10.0, 100.0, 200.0, 9000.0], 150),
        ([1.0, 2.0, 100.0, 110.0, 120.0, 130.0, 8000.0, 9000.0], 115),
    ],
)
def test_few_iterations_have_their_median_for_a_value_and_many_the_mean_of_their_middle_half(
    measured: list[float], value: float
) -> None:
    assert (pytest.approx(value * 1e-9),) == read(step(Mode.OFF), result=result(measured)).values


def test_each_value_of_a_step_stands_for_as_many_iterations_in_their_order() -> None:
    asked = replace(step(Mode.OFF), iterations=2)
    trial = read(asked, result=result([100.0, 200.0, 300.0, 50.0, 60.0, 70.0]))
    assert (pytest.approx(2e-7), pytest.approx(6e-8)) == trial.values


def test_iterations_that_cannot_be_shared_out_evenly_are_no_measurement() -> None:
    asked = replace(step(Mode.OFF), iterations=2)
    trial = read(asked, result=result([100.0, 200.0, 300.0]))
    assert (Status.FAILED, "expected 2 values in ops/ns or ns/op, found 3 in ns/op") == (
        trial.status,
        trial.reason,
    )


def test_an_asked_number_of_invocations_is_told_as_it_is_and_a_fork_shares_its_time() -> None:
    control, mutant = read_all(
        step(Mode.CONTROL, 7, methods=["m"]),
        step(Mode.DELAY, 7, delay_ns=5.0, methods=["m"]),
        key="block/1\n0,1",
        result=result([50.0, 100.0, 150.0]),
        wall_s=3.0,
    )
    assert [(7, 1.5), (7, 1.5)] == [(trial.invocations, trial.wall_s) for trial in (control, mutant)]


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", ""),
        ("# Warmup\nall is well\n", ""),
        ("java.lang.Error: a\nCaused by: java.io.IOException:  b\tc\n", "java.io.IOException: b c"),
        ("org.openjdk.jmh.runner.RunnerException: d\n", "org.openjdk.jmh.runner.RunnerException: d"),
        ("a.b.SomeError\norg.openjdk.jmh.runner.RunnerException: d\n", "a.b.SomeError"),
        ("x java.lang.Error: within a line\n", ""),
        ("a.OwnError: " + "e" * 600, "a.OwnError: " + "e" * 488),
    ],
)
def test_the_last_exception_that_is_not_the_harnesss_own_says_why(log: str, reason: str) -> None:
    assert reason == why(log)
