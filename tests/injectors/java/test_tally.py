"""What real processes with Java probes leave behind, however they end."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.injectors.java.runtime import CLASSES
from abs_audit.languages.probe_protocol import INTERRUPTION_NS
from tests.support.java_probes import compiled, complaints, environment, parts, started, write
from tests.support.probe_conformance import CALLS, Ended, assert_the_protocol_is_kept

CORE = """package core;

public class Core {
    public static int work(int x) {
        return x + 1;
    }

    public static class Never {
        public static int loaded() {
            return 1;
        }
    }
}
"""
EDGE = """package edge;

public class Edge {
    public int größe(int x) {
        return core.Core.work(x);
    }

    public static void main(String[] arguments) throws Exception {
        Edge edge = new Edge();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) edge.größe(i);
        System.out.println("worked");
        switch (arguments[0]) {
            case "exit" -> System.exit(5);
            case "fail" -> throw new IllegalStateException("failing benchmark");
            case "halt" -> Runtime.getRuntime().halt(0);
            case "hang" -> {
                Thread daemon = new Thread(() -> {
                    while (true) edge.größe(1);
                });
                daemon.setDaemon(true);
                daemon.start();
            }
            default -> { }
        }
    }
}
"""
WORK, SIZE, NEVER = "core.Core.work(int)", "edge.Edge.größe(int)", "core.Core$Never.loaded()"
METHODS = [WORK, SIZE, NEVER]
SOURCES = {"core/src/main/java/core/Core.java": CORE, "edge/src/main/java/edge/Edge.java": EDGE}
PATCH = JavaInjector().instrument(SOURCES, METHODS)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    assert tuple(METHODS) == PATCH.instrumented
    folder = tmp_path_factory.mktemp("modules")
    modules: list[Path] = []
    for module in ("core", "edge"):
        sources = {path: text for path, text in PATCH.files.items() if path.startswith(module)}
        path = ["-cp", str(modules[0])] if modules else []
        modules.append(compiled(folder / module, sources, "-Xlint:all", "-Werror", *path))
    return modules


def ended(
    classes: list[Path], folder: Path, ending: str, calls: int = 10, **probe: object
) -> tuple[int, str]:
    settings = {"methods": "\n".join(METHODS), "tally": folder / "tally", "mode": "count", **probe}
    done = started(classes, ["edge.Edge", ending, str(calls)], environment(**settings))
    return done.returncode, done.stderr


@pytest.mark.parametrize("ending, code", [("return", 0), ("exit", 5), ("fail", 1), ("hang", 0)])
def test_the_tally_is_written_however_a_process_ends(
    classes: list[Path], tmp_path: Path, ending: str, code: int
) -> None:
    assert code == ended(classes, tmp_path, ending)[0]
    core, edge = parts(tmp_path)
    assert {PATCH.build_id} == {core["build_id"], edge["build_id"]}
    assert 10 <= core["methods"][WORK]["calls"]
    assert 10 <= edge["methods"][SIZE]["calls"]
    assert ending == "hang" or (10, 10) == (core["methods"][WORK]["calls"], edge["methods"][SIZE]["calls"])
    assert [] == list(tmp_path.glob("*.unfinished"))


def test_a_killed_process_leaves_word_that_its_tally_is_missing(classes: list[Path], tmp_path: Path) -> None:
    assert 0 == ended(classes, tmp_path, "halt")[0]
    assert [] == parts(tmp_path)
    names = [path.name.split(".")[1] for path in sorted(tmp_path.iterdir())]
    assert ["abs_audit_probe_1_", "abs_audit_probe_2_"] == names
    assert all(path.name.endswith(".unfinished") for path in tmp_path.iterdir())


def test_each_copy_lists_all_methods_so_that_parts_can_be_added(classes: list[Path], tmp_path: Path) -> None:
    ended(classes, tmp_path, "return")
    core, edge = parts(tmp_path)
    assert METHODS == list(core["methods"]) == list(edge["methods"])
    assert (0, 0) == (core["methods"][SIZE]["calls"], edge["methods"][WORK]["calls"])
    assert 0 == core["methods"][NEVER]["calls"]


def test_processes_do_not_overwrite_each_others_tallies(classes: list[Path], tmp_path: Path) -> None:
    ended(classes, tmp_path, "return", 1)
    ended(classes, tmp_path, "return", 2)
    assert [1, 2] == sorted(part["methods"][WORK]["calls"] for part in parts(tmp_path)[:2])
    assert 4 == len(parts(tmp_path))


def test_names_are_found_in_any_locale(classes: list[Path], tmp_path: Path) -> None:
    for locale in ("C", "C.UTF-8"):
        variables = environment(mode="count", methods=SIZE, tally=tmp_path / locale)
        done = started(classes, ["edge.Edge", "return", "3"], {**variables, "LC_ALL": locale})
        assert 0 == done.returncode
        _, edge = parts(tmp_path, locale)
        assert {SIZE: 3} == {name: entry["calls"] for name, entry in edge["methods"].items()}


def test_without_a_tally_file_nothing_is_written_and_off_is_an_empty_tally(
    classes: list[Path], tmp_path: Path
) -> None:
    done = started(classes, ["edge.Edge", "return", "3"], environment(mode="count", methods=WORK))
    assert (0, []) == (done.returncode, list(tmp_path.iterdir()))
    ended(classes, tmp_path, "return", mode="off")
    assert [{}, {}] == [part["methods"] for part in parts(tmp_path)]


CONTROLS = {"mode_0": "control", "batch_0": 1, "mode_1": "control", "batch_1": 1}


@pytest.mark.parametrize(
    "probe, said",
    [
        (
            {"mode": "slow"},
            "ABS_PROBE_MODE: expected one of [off, sample, count, time, control, delay], found slow",
        ),
        ({"mode": "control"}, "ABS_PROBE_BATCH: expected in mode control, found none"),
        ({"mode": "control", "batch": 0}, "ABS_PROBE_BATCH: expected at least one call, found 0"),
        (
            {"mode": "delay", "batch": 1, "slowed": WORK},
            "ABS_PROBE_DELAY_NS: expected in mode delay, found none",
        ),
        (
            {"mode": "delay", "batch": 1, "slowed": WORK, "delay_ns": "NaN"},
            "ABS_PROBE_DELAY_NS: expected nanoseconds, found NaN",
        ),
        (
            {"mode": "delay", "batch": 1, "delay_ns": 3},
            "ABS_PROBE_SLOWED: expected in mode delay, found none",
        ),
        (
            {**CONTROLS, "turns": "0 1", "switch": "none.Such"},
            "ABS_PROBE_SWITCH: expected a class with a field ARM",
        ),
        (
            {**CONTROLS, "turns": "0 1", "switch": "java.lang.Integer"},
            "ABS_PROBE_SWITCH: expected a class with a field ARM",
        ),
        ({**CONTROLS, "turns": "- 0 1"}, "ABS_PROBE_TURNS: expected numbers of arms, found -"),
        (
            {**CONTROLS, "turns": "0 1", "batch_1": 2},
            "ABS_PROBE_BATCH_1: expected the same as ABS_PROBE_BATCH_0",
        ),
        (
            {**CONTROLS, "turns": "0 1", "mode_1": "time"},
            "ABS_PROBE_MODE_1: expected one of [control, delay], found time",
        ),
        (
            {"turns": "0 1", "mode_0": "count", "mode_1": "control"},
            "ABS_PROBE_MODE_1: expected one of [count], found control",
        ),
        ({"settings": "no/such/file"}, "ABS_PROBE_SETTINGS: cannot read no/such/file"),
    ],
)
def test_wrong_orders_fail_loudly(
    classes: list[Path], tmp_path: Path, probe: dict[str, object], said: str
) -> None:
    code, errors = ended(classes, tmp_path, "return", **probe)
    assert 1 == code
    assert said in errors
    assert [] == parts(tmp_path)


def test_a_tally_that_cannot_be_written_fails_loudly(classes: list[Path], tmp_path: Path) -> None:
    code, errors = ended(classes, tmp_path / "missing", "return")
    assert 1 == code
    assert "ABS_PROBE_TALLY: cannot write beside" in errors


def test_a_delay_is_injected_in_real_time(classes: list[Path], tmp_path: Path) -> None:
    requested = 2000 * 5000.0
    for mode in ("control", "delay"):
        name = tmp_path / mode
        order = {"mode": mode, "batch": 10, "slowed": WORK, "delay_ns": 5000.0, "tally": name}
        assert 0 == ended(classes, tmp_path, "return", 2000, **order)[0]
        core, _ = parts(tmp_path, mode)
        assert (2000, 200) == (core["methods"][WORK]["calls"], core["methods"][WORK]["batches"])
        injected = core["methods"][WORK]["injected_ns"]
        limits = (requested * 0.99, requested + INTERRUPTION_NS) if mode == "delay" else (0, 0)
        assert limits[0] <= injected <= limits[1]
        assert "requested_ns" not in core["methods"][WORK]


def test_a_file_says_what_to_do_and_the_environment_counts_no_more(
    classes: list[Path], tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    methods = json.dumps(f"{WORK}\n{SIZE}").strip('"')
    settings.write_text(
        f"ABS_PROBE_MODE=count\nABS_PROBE_METHODS={methods}\nABS_PROBE_TALLY={tmp_path / 'told'}\n"
    )
    assert 0 == ended(classes, tmp_path, "return", settings=settings, mode="slow")[0]
    core, edge = parts(tmp_path, "told")
    assert (10, 10) == (core["methods"][WORK]["calls"], edge["methods"][SIZE]["calls"])


def test_arms_take_turns_and_each_has_its_own_tally(classes: list[Path], tmp_path: Path) -> None:
    """From the half of its turns on, a delay is twice as long as was asked for."""
    turns = """package turns;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

public class Turns {
    public static final AtomicReference<Thread> UNTIMED = new AtomicReference<Thread>();
    public static final AtomicLong PREPARED = new AtomicLong();
    public static final AtomicInteger ARM = new AtomicInteger();
    public static final AtomicLong FACTOR = new AtomicLong(Double.doubleToLongBits(1.0));

    public static void main(String[] arguments) {
        for (int i = 0; i < 300; i++) {
            ARM.set(i < 100 ? 0 : i < 250 ? 1 : 2);
            FACTOR.set(Double.doubleToLongBits(i < 200 ? 1.0 : 2.0));
            core.Core.work(i);
        }
    }
}
"""
    path = ["-Xlint:all", "-cp", str(classes[0])]
    own = compiled(tmp_path / "turns", {"turns/Turns.java": turns}, *path)
    order = {"turns": "0 1 2", "switch": "turns.Turns", "tally": tmp_path / "tally"}
    for number, slowed in enumerate((None, WORK, NEVER)):
        order |= {f"methods_{number}": f"{WORK}\n{NEVER}", f"batch_{number}": 10, f"control_ns_{number}": 1.0}
        order[f"mode_{number}"] = "delay" if slowed else "control"
        if slowed:
            order |= {f"slowed_{number}": slowed, f"delay_ns_{number}": 5000.0}
    done = started([classes[0], own], ["turns.Turns"], environment(**order))
    assert 0 == done.returncode, done.stderr
    (arms,) = [part["arms"] for part in parts(tmp_path)]
    assert [(100, 10), (150, 15), (50, 5)] == [(arm[WORK]["calls"], arm[WORK]["batches"]) for arm in arms]
    baseline, work, never = (arm[WORK]["injected_ns"] for arm in arms)
    assert (0, 0) == (baseline, never)
    requested = [arm[WORK]["requested_ns"] for arm in arms]
    # A batch that was begun before the change is delayed after it.
    assert [0.0, pytest.approx(200 * 5000.0, abs=10 * 5000.0), 0.0] == requested
    assert requested[1] * 0.99 <= work <= requested[1] * 2 + INTERRUPTION_NS


def test_what_jmh_executes_around_what_it_times_is_neither_counted_nor_slowed(
    classes: list[Path], tmp_path: Path
) -> None:
    annotations = """package org.openjdk.jmh.annotations;

public final class Annotations {
    public @interface Setup { }
    public @interface TearDown { }
}
"""
    bench = """package bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Annotations;

public class Bench {
    public static final AtomicReference<Thread> UNTIMED = new AtomicReference<Thread>();
    public static final AtomicLong PREPARED = new AtomicLong();

    public static class State {
        @Annotations.Setup
        public int prepare() {
            return core.Core.work(1) + core.Core.work(2);
        }

        @org.openjdk.jmh.annotations.Annotations.TearDown
        public void tidy() {
            prepare();
            core.Core.work(prepare());
            throw new IllegalStateException();
        }
    }

    public static void main(String[] arguments) {
        for (int invocation = 0; invocation < Integer.parseInt(arguments[0]); invocation++) {
            new State().prepare();
            core.Core.work(invocation);
            try {
                new State().tidy();
            } catch (IllegalStateException expected) {
                continue;
            }
        }
    }
}
"""
    sources = {**SOURCES, "bench/src/jmh/java/bench/Bench.java": bench}
    patch = JavaInjector().instrument(sources, [WORK])
    modules = {
        module: {path: text for path, text in patch.files.items() if path.startswith(module)}
        for module in ("core", "bench")
    }
    core = compiled(tmp_path / "core", modules["core"])
    modules["bench"]["bench/src/jmh/java/Annotations.java"] = annotations
    own = compiled(tmp_path / "own", modules["bench"], "-cp", str(core))
    for mode, invocations in (("count", 10), ("delay", 10), ("time", 5000)):
        asked = {"mode": mode, "slowed": WORK, "delay_ns": 1e6, "batch": 1, "switch": "bench.Bench"}
        variables = environment(methods=WORK, tally=tmp_path / mode, **asked)
        done = started([core, own], ["bench.Bench", str(invocations)], variables)
        assert 0 == done.returncode, done.stderr
        counted = [part["methods"][WORK] for part in parts(tmp_path, mode)]
        calls = sorted((entry["calls"], entry["setup_calls"]) for entry in counted)
        assert [(0, 0), (invocations, 7 * invocations)] == calls
        # Nor is it what passes between the calls.
        assert 0.0 == sum(entry["apart_ns"] for entry in counted)
        assert sum(entry["injected_ns"] for entry in counted) <= 10e6 + INTERRUPTION_NS


@pytest.mark.parametrize("rows", [3, 3000])
def test_what_initialises_a_class_is_told_from_other_calls(tmp_path: Path, rows: int) -> None:
    """Up to as many calls as looking at their stacks takes next to nothing for."""
    table = """package bench;

public class Table {
    static final int[] ROWS = new int[%d];

    static {
        for (int row = 0; row < ROWS.length; row++) ROWS[row] = core.Core.work(row);
    }

    public static void main(String[] arguments) {
        for (int row = 0; row < Integer.parseInt(arguments[0]); row++) core.Core.work(row);
    }
}
"""
    sources = {path: text for path, text in PATCH.files.items() if path.startswith("core")}
    sources["core/src/main/java/bench/Table.java"] = table % rows
    folder = compiled(tmp_path / "core", sources)
    for calls in (0, 5):
        variables = environment(mode="count", methods=WORK, tally=tmp_path / f"tally{calls}")
        done = started([folder], ["bench.Table", str(calls)], variables)
        assert 0 == done.returncode, done.stderr
        (part,) = parts(tmp_path, f"tally{calls}")
        entry, loading = part["methods"][WORK], min(rows, 1000)
        assert (loading, loading, rows - loading + calls) == (
            entry["loading_calls"],
            entry["setup_calls"],
            entry["calls"],
        )


def test_the_runtime_tells_which_build_it_belongs_to(classes: list[Path]) -> None:
    for number, module in enumerate(classes, start=1):
        package = f"abs_audit_probe_{number}_"
        done = started([module], [f"{package}.Probe"], environment())
        assert {"build_id": PATCH.build_id, "package": package} == json.loads(done.stdout)


def test_the_runtime_compiles_for_java_8_and_inside_a_module(tmp_path: Path) -> None:
    core = {path: text for path, text in PATCH.files.items() if path.startswith("core")}
    assert "" == complaints(tmp_path / "old", core, "--release", "8", "-Xlint:all,-options", "-Werror")
    module = {"core/src/main/java/module-info.java": "module core {\n    exports core;\n}\n"}
    assert "" == complaints(
        tmp_path / "module", core | module, "-Xlint:all,-missing-explicit-ctor", "-Werror"
    )


def test_the_runtimes_own_sources_compile_as_they_stand(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "injectors" / "java" / "probe"
    sources = {f"{name}.java": (folder / f"{name}.java").read_text() for name in CLASSES}
    assert {path.name for path in folder.iterdir()} == set(sources)
    write(tmp_path, sources)
    assert "" == complaints(tmp_path, sources)


def test_the_probe_keeps_the_protocol(classes: list[Path], tmp_path: Path) -> None:
    def process(settings: Mapping[str, str]) -> Ended:
        for old in tmp_path.iterdir():
            old.unlink()
        variables = {**environment(tally=tmp_path / "tally"), **settings}
        done = started(classes, ["edge.Edge", "return", str(CALLS)], variables)
        return Ended(message=done.stderr, tally=next(iter(parts(tmp_path)), {}))

    assert_the_protocol_is_kept(process, WORK)
