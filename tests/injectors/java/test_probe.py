"""The runtime of Java probes: what it counts, delays and times, with a clock that only the tests move."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from abs_audit.injectors.java.injector import JavaInjector
from tests.support.java_probes import compiled, environment, started

CLOCK = """package abs_audit_probe_1_;

final class Clock {
    static final double SHOWN_NS = Double.parseDouble(System.getProperty("shown", "0"));
    static final double NESTED_NS = Double.parseDouble(System.getProperty("nested", "0"));
    static long time = 1000000;
    static long step = 0;
    static long readings = 0;

    private Clock() {
    }

    static long now() {
        readings++;
        return time += step;
    }

    static double nestedByNow() {
        return Double.parseDouble(System.getProperty("nested.by.now", "" + NESTED_NS));
    }

    static void wind() {
    }
}
"""
SUBJECT = """package example;

public class Example {
    public static void call(Runnable action) {
        action.run();
    }

    public static void other() {
    }

    public static void recursive(int n, Runnable action) {
        action.run();
        if (n > 0) recursive(n - 1, action);
    }
}
"""
SCENES = """package abs_audit_probe_1_;

import example.Example;

public final class Scenes {
    private Scenes() {
    }

    static Runnable passing(long ns) {
        return () -> Clock.time += ns;
    }

    static String call() {
        return Probe.site("example.Example.call(java.lang.Runnable)").total(0);
    }

    static String recursive() {
        return Probe.site("example.Example.recursive(int,java.lang.Runnable)").total(0);
    }

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
            case "steps":
                Clock.step = Long.parseLong(arguments[2]);
                for (int i = 0; i < n; i++) {
                    Example.call(() -> { });
                    System.out.println(call());
                }
                System.out.println("{\\"readings\\": " + Clock.readings + "}");
                break;
            case "scheduler":
                Clock.step = 50000000;
                for (int i = 0; i < 10; i++) Example.call(() -> { });
                Clock.step = 1;
                for (int i = 0; i < 30; i++) Example.call(() -> { });
                System.out.println(call());
                break;
            case "two":
                Clock.step = 1;
                Example.call(() -> { });
                Example.other();
                System.out.println(call());
                System.out.println(Probe.site("example.Example.other()").total(0));
                break;
            case "passing":
                Clock.step = Long.parseLong(arguments[3]);
                for (int i = 0; i < n; i++) {
                    Example.call(passing(Long.parseLong(arguments[2])));
                    Clock.time += 500;
                }
                System.out.println(call());
                System.out.println("{\\"readings\\": " + Clock.readings + "}");
                break;
            case "recursive":
                Clock.step = Long.parseLong(arguments[2]);
                for (int i = 0; i < n; i++) Example.recursive(9, passing(10));
                System.out.println(recursive());
                break;
            case "others":
                int others = Integer.parseInt(arguments[2]);
                for (int i = 0; i < n; i++) {
                    Example.call(() -> {
                        Clock.time += 100;
                        for (int k = 0; k < others; k++) Example.other();
                    });
                }
                System.out.println(call());
                break;
            case "pattern":
                int period = Integer.parseInt(arguments[2]);
                for (int i = 0; i < n; i++) Example.call(passing(i % period == 0 ? 1000 : 0));
                System.out.println(call());
                break;
            case "interrupted":
                for (int i = 0; i < n; i++) {
                    boolean timed = Probe.site("example.Example.call(java.lang.Runnable)").gap == 1;
                    Example.call(passing(timed && i > n / 2 && i < n / 2 + 200 ? 4000000 : 40));
                }
                System.out.println(call());
                break;
            case "cold":
                for (int i = 0; i < n; i++) Example.call(passing(i < 200 ? 50000 : 100));
                System.out.println(call());
                break;
            case "thrown":
                for (int i = 0; i < n; i++) {
                    try {
                        Example.recursive(5, () -> {
                            Clock.time += 7;
                            if (Clock.time % 3 == 0) throw new IllegalStateException();
                        });
                    } catch (IllegalStateException expected) {
                        Clock.time += 1000;
                    }
                }
                System.out.println(recursive());
                Site site = Probe.site("example.Example.recursive(int,java.lang.Runnable)");
                System.out.println("{\\"depth\\": " + site.depth + "}");
                break;
            default:
                threads(n);
        }
    }

    static void threads(int n) throws Exception {
        Thread[] all = new Thread[n];
        for (int i = 0; i < n; i++) {
            all[i] = new Thread(() -> {
                for (int k = 0; k < 1000; k++) Example.recursive(3, () -> { });
            });
            all[i].start();
            if (i >= 3) all[i - 3].join();
        }
        for (Thread one : all) one.join();
        System.out.println(recursive());
    }
}
"""
METHODS = [
    "example.Example.call(java.lang.Runnable)",
    "example.Example.other()",
    "example.Example.recursive(int,java.lang.Runnable)",
]
CALL, OTHER, RECURSIVE = METHODS


def patched() -> dict[str, str]:
    return dict(JavaInjector().instrument({"src/example/Example.java": SUBJECT}, METHODS).files)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runtime = "src/abs_audit_probe_1_"
    files = {**patched(), f"{runtime}/Clock.java": CLOCK, f"{runtime}/Scenes.java": SCENES}
    return compiled(tmp_path_factory.mktemp("probe"), files)


def seen(
    classes: Path, scene: str, *arguments: object, own: Mapping[str, float] | None = None, **probe: object
) -> list[dict[str, Any]]:
    """Return what a scene printed; the clock shows and nested probes cost what `own` says."""
    settings = {"methods": "\n".join(METHODS), "batch": 1, "slowed": CALL, "delay_ns": 0.0, **probe}
    properties = [f"-D{name}={value}" for name, value in (own or {}).items()]
    done = started(
        [classes],
        [*properties, "abs_audit_probe_1_.Scenes", scene, *map(str, arguments)],
        environment(**settings),
    )
    assert (0, "") == (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("mode", ["control", "delay"])
def test_calls_are_exact_wherever_the_batch_stands(classes: Path, mode: str) -> None:
    *entries, _ = seen(classes, "steps", 50, 1, mode=mode, batch=7, delay_ns=10)
    assert [(n, n // 7) for n in range(1, 51)] == [(entry["calls"], entry["batches"]) for entry in entries]


def test_the_delay_of_each_call_is_injected_after_each_full_batch(classes: Path) -> None:
    *entries, _ = seen(classes, "steps", 30, 1, mode="delay", batch=10, delay_ns=100)
    injected = [entry["injected_ns"] for entry in entries]
    assert [0.0] * 9 == injected[:9]
    assert [1000.0, 2000.0, 3000.0] == injected[9::10]


def test_what_the_clock_shows_in_a_delay_of_nothing_is_no_delay(classes: Path) -> None:
    *entries, readings = seen(classes, "steps", 3, 20, mode="delay", batch=1, delay_ns=100, own={"shown": 20})
    # A delay reads the clock at its start and five more times beyond the one that nothing shows.
    assert [100.0, 200.0, 300.0] == [entry["injected_ns"] for entry in entries]
    assert 3 * 7 == readings["readings"] - len(METHODS)


def test_an_overshoot_is_carried_on_to_the_next_delay(classes: Path) -> None:
    # 1000 ns are requested for a batch; the clock goes in steps of 700.
    *entries, _ = seen(classes, "steps", 70, 700, mode="delay", batch=10, delay_ns=100)
    assert [1400.0, 2100.0, 3500.0, 4200.0, 5600.0, 6300.0, 7000.0] == [
        entry["injected_ns"] for entry in entries[9::10]
    ]


def test_an_overshoot_above_an_interruption_is_the_schedulers_and_not_taken_off_later_delays(
    classes: Path,
) -> None:
    (entry,) = seen(classes, "scheduler", 0, mode="delay", batch=10, delay_ns=10_000)
    # 20.1 of the 50 ms count: .1 of the batch, and 20 for later ones, in which hardly anything is left.
    assert 20_100_000.0 <= entry["injected_ns"] <= 20_100_010.0


def test_only_the_slowed_method_is_delayed(classes: Path) -> None:
    call, other = seen(classes, "two", 0, mode="delay", slowed=OTHER, delay_ns=50)
    assert (0.0, 1) == (call["injected_ns"], call["batches"])
    assert (50.0, 1) == (other["injected_ns"], other["batches"])


def test_the_control_executes_the_payer_too(classes: Path) -> None:
    *entries, readings = seen(classes, "steps", 8, 1, mode="control", batch=2)
    assert (4, 0.0) == (entries[-1]["batches"], entries[-1]["injected_ns"])
    # A record begins with a reading, for its random numbers.
    assert 4 * 2 == readings["readings"] - len(METHODS)


def test_counting_reads_no_clock(classes: Path) -> None:
    *entries, readings = seen(classes, "steps", 8, 1, mode="count")
    assert (8, 0) == (entries[-1]["calls"], entries[-1]["batches"])
    assert 0 == readings["readings"] - len(METHODS)


def test_time_is_the_inclusive_time_of_the_calls(classes: Path) -> None:
    entry, _ = seen(classes, "passing", 1000, 7, 0, mode="time")
    assert (1000, 7000.0) == (entry["calls"], entry["timed_ns"])


def test_recursion_is_timed_once(classes: Path) -> None:
    """JavaABS delayed each level by the delays inside it: (1 + δ) to the power of the depth (defect 13)."""
    (entry,) = seen(classes, "recursive", 100, 0, mode="time")
    assert (1000, 10_000.0) == (entry["calls"], entry["timed_ns"])


def test_exits_by_exceptions_end_what_the_entries_began(classes: Path) -> None:
    entry, state = seen(classes, "thrown", 5000, mode="time")
    assert 0 == state["depth"]
    # The actions take 7 ns each; what is caught outside takes 1000 and must not be in it.
    assert abs(entry["timed_ns"] / (7 * entry["calls"]) - 1) < 0.1


def test_the_clocks_own_time_is_taken_off(classes: Path) -> None:
    entry, _ = seen(classes, "passing", 640, 1000, 20, mode="time", own={"shown": 20})
    assert 640_000.0 == entry["timed_ns"]


def test_the_cost_of_probes_in_a_timed_call_and_half_its_own_is_taken_off_up_to_most_of_it(
    classes: Path,
) -> None:
    (entry,) = seen(classes, "recursive", 100, 0, mode="time", own={"nested": 2})
    assert 100 * (100 - 9.5 * 2) == entry["timed_ns"]
    (entry,) = seen(classes, "recursive", 100, 0, mode="time", own={"nested": 200})
    assert 100 * 20 * 0.2 == pytest.approx(entry["timed_ns"])


def test_what_was_not_compiled_when_a_process_began_does_not_count_as_the_cost_of_its_calls(
    classes: Path,
) -> None:
    costs = {"nested": 900, "nested.by.now": 3}
    (entry,) = seen(classes, "recursive", 100, 0, mode="time", own=costs)
    assert 3 * entry["calls"] == entry["probe_ns"]


def test_the_cost_of_other_methods_probes_inside_a_timed_call_is_taken_off(classes: Path) -> None:
    (entry,) = seen(classes, "others", 100, 7, mode="time", own={"nested": 2})
    assert 100 * (100 - 7.5 * 2) == entry["timed_ns"]


def test_one_copy_of_the_clock_measures_for_all_of_its_process(tmp_path: Path) -> None:
    shown = """package abs_audit_probe_1_;

    final class Shown {
        public static void main(String[] arguments) {
            String own = Clock.SHOWN_NS + " " + Clock.NESTED_NS;
            System.out.println(own.equals(System.getProperty("abs_audit.probe.clock")) + " " + own);
        }
    }
    """
    classes = compiled(tmp_path, {**patched(), "src/abs_audit_probe_1_/Shown.java": shown})
    probe = environment(mode="time", methods=CALL, batch=1)
    first = started([classes], ["abs_audit_probe_1_.Shown"], probe).stdout.split()
    assert "true" == first[0]
    assert 0 < float(first[1])
    assert 0 < float(first[2])
    known = started([classes], ["-Dabs_audit.probe.clock=7.5 1.25", "abs_audit_probe_1_.Shown"], probe)
    assert ["true", "7.5", "1.25"] == known.stdout.split()


def test_long_calls_are_all_timed_and_short_ones_in_a_sample(classes: Path) -> None:
    _, all_timed = seen(classes, "passing", 6464, 100_000, 0, mode="time")
    assert 2 * 6464 == all_timed["readings"] - len(METHODS)
    for length, rate, readings in ((100, 64, 4), (10_000, 4, 2)):
        entry, sample = seen(classes, "passing", 64 + 400 * rate, length, 0, mode="time")
        assert (64 + 400 * rate) * length == entry["timed_ns"]
        assert abs((sample["readings"] - len(METHODS)) / (2 * 64 + readings * 400) - 1) < 0.2


def test_what_lies_between_calls_is_timed_where_they_are_short(classes: Path) -> None:
    entry, _ = seen(classes, "passing", 50_000, 100, 20, mode="time", own={"shown": 20, "nested": 10})
    assert (95 * 50_000, 495 * 50_000) == (entry["timed_ns"], round(entry["apart_ns"]))
    entry, _ = seen(classes, "passing", 50_000, 10_000, 0, mode="time")
    assert 0.0 == entry["apart_ns"]


@pytest.mark.parametrize("period", [2, 8, 64])
def test_a_pattern_in_step_with_the_sampling_does_not_bias_it(classes: Path, period: int) -> None:
    (entry,) = seen(classes, "pattern", 400_000, period, mode="time")
    # 6250 samples of a share 1/64 at the least: the standard error is sqrt(63/6250) = 10 % of the truth.
    assert abs(entry["timed_ns"] / (1000 * 400_000 / period) - 1) < 0.4


def test_an_interrupted_call_does_not_stand_for_all_that_were_not_timed(classes: Path) -> None:
    (entry,) = seen(classes, "interrupted", 500_000, mode="time")
    # Three or so of 4 ms would make it 200 ms longer and more; one of 50 µs for 64 calls is left of each.
    assert 40 * 500_000 <= entry["timed_ns"] <= 40 * 500_000 + 6 * 64 * 50_000 * 2
    assert 64 * 3_900_000 <= entry["cut_ns"] <= 12 * 64 * 4_000_000


def test_the_first_calls_of_a_process_do_not_stand_for_the_others(classes: Path) -> None:
    (entry,) = seen(classes, "cold", 100_000, mode="time")
    assert (100_000, 100.0 * 100_000) == (entry["calls"], entry["timed_ns"])


@pytest.mark.parametrize("mode", ["count", "time", "control", "delay"])
def test_threads_lose_no_call_and_each_pays_its_own(classes: Path, mode: str) -> None:
    (entry,) = seen(classes, "threads", 150, mode=mode, batch=100, slowed=RECURSIVE, delay_ns=0)
    assert 150 * 4000 == entry["calls"]
    assert (150 * 40 if mode in {"control", "delay"} else 0) == entry["batches"]
