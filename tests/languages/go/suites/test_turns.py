"""Steps that take turns in one process of a Go test binary, and when each has a process of its own."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from abs_audit.errors import MismatchError
from abs_audit.execution.local import LocalExecutor
from abs_audit.languages.go.suites.steps import why_it_ended
from abs_audit.model.experiment import UNPROBED, Block, Mode, Step, Workspace
from abs_audit.model.measurement import Status, Trial
from tests.support.go_subjects import SUITE, executed, prepared, probed, settings, workspace, written
from tests.support.python_subjects import arm, block, step
from tests.support.toolchains import go

SETTINGS = settings()
ADD = "example.org/turns.Add"
FILES = {
    "go.mod": "module example.org/turns\n\ngo 1.21\n",
    "add.go": "package turns\n\n//go:noinline\nfunc Add(a, b int) int { return a + b }\n",
    "add_test.go": """package turns

import (
	"fmt"
	"os"
	"testing"
	"time"
)

var sum, runs int

func adding(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum = Add(sum, i)
	}
}

func BenchmarkAdd(b *testing.B) {
	appendLine("process")
	adding(b)
}

func BenchmarkParts(b *testing.B) {
	appendLine("process")
	b.Run("one", adding)
	b.Run("two", adding)
}

func BenchmarkLoop(b *testing.B) {
	appendLine("process")
	for b.Loop() {
		sum = Add(sum, 1)
	}
}

// BenchmarkClosed closes behind each part what that has made, and breaks down where it made nothing.
func BenchmarkClosed(b *testing.B) {
	for _, part := range []string{"before", "meant", "behind"} {
		var made *int
		b.Run(part, func(b *testing.B) {
			made = new(int)
			if part == "behind" {
				for b.Loop() {
					hundred()
				}
				return
			}
			if part == "before" {
				for i := 0; i < b.N; i++ {
					hundred()
				}
				return
			}
			adding(b)
		})
		*made++
	}
}

// BenchmarkBroken breaks down whatever of it is executed.
func BenchmarkBroken(b *testing.B) {
	appendLine("process")
	b.Run("part", adding)
	panic("always")
}

func hundred() {
	for i := 0; i < 100; i++ {
		sum = Add(sum, i)
	}
}

// BenchmarkOnce bears only so many runs in one process.
func BenchmarkOnce(b *testing.B) {
	if runs++; runs > 4 {
		b.Fatal("there can be only one")
	}
	adding(b)
}

// BenchmarkLiar prints what looks like a result of its own, in one of its runs only.
func BenchmarkLiar(b *testing.B) {
	if runs++; runs == 7 {
		fmt.Printf("  500\\t 12 ns/op\\n")
	}
	adding(b)
}

func BenchmarkDear(b *testing.B) {
	time.Sleep(20 * time.Millisecond)
	b.ResetTimer()
	adding(b)
}

func appendLine(text string) {
	if name := os.Getenv("DIARY"); name != "" {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		fmt.Fprintln(file, text, os.Getpid())
	}
}
""",
}
CONTROL, SLOWED = arm(Mode.CONTROL, ADD), arm(Mode.DELAY, ADD, slowed=ADD)


def subject(folder: Path) -> Workspace:
    place = written(workspace(folder), FILES)
    probed(place, [ADD])
    return place


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = subject(tmp_path_factory.mktemp("turns"))
    assert prepared(place, SETTINGS).exit_code == 0
    return place


def once(*steps: Step, benchmark: str = "Add", invocations: int = 1000) -> Block:
    own = [replace(wanted, invocations=invocations, iterations=1, warmup=0) for wanted in steps]
    return block("b", f"example.org/turns.Benchmark{benchmark}", *own)


def written_down(place: Workspace, asked: Block) -> list[dict[str, Any]]:
    """Return what the driver writes for a block."""
    (command,) = SUITE.commands(place, SETTINGS, [asked])
    return [json.loads(line) for line in LocalExecutor().execute(command).output.splitlines()]


def kinds(place: Workspace, asked: Block) -> list[str]:
    return [record["record"] for record in written_down(place, asked)]


def undisturbed(place: Workspace, asked: Block) -> list[Trial]:
    """Return the trials of the least disturbed of some processes.

    What loses the processor during a delay is delayed for longer, by any factor where it is short; a control
    that loses it may take longer than what is slowed.
    """
    blocks = [replace(asked, id=f"{number}") for number in range(5)]
    trials = executed(place, SETTINGS, blocks)
    size = len(asked.steps)
    processes = [trials[at : at + size] for at in range(0, len(trials), size)]
    return min(processes, key=lambda trials: sum(trial.values[0] * trial.invocations for trial in trials))


@pytest.mark.parametrize(("name", "extra"), [("Add", 2), ("Parts/two", 2), ("Loop", 0), ("Closed/meant", 2)])
def test_each_step_has_its_calls_and_delays_and_the_time_beside_it(
    turns: Workspace, name: str, extra: int
) -> None:
    """Two turns of 500 invocations; before each of them Go makes a run of one, but where benchmarks loop."""
    # What a part needs beside it is found out first, as when calls are counted.
    executed(turns, SETTINGS, [once(step(UNPROBED), benchmark=name)])
    asked = once(step(CONTROL), step(UNPROBED), step(SLOWED), benchmark=name)
    assert ["turns"] == kinds(turns, asked)
    control, off, slowed = undisturbed(turns, asked)
    assert [Status.OK] * 3 == [trial.status for trial in (control, off, slowed)]
    assert [1000] * 3 == [trial.invocations for trial in (control, off, slowed)]
    assert off.tally is None
    assert control.tally is not None
    assert slowed.tally is not None
    for tally in (control.tally, slowed.tally):
        counted = tally.methods[ADD]
        # A machine that was busy when turns were first timed makes one turn of a step instead of two.
        of_turns = {(1000 + made, (1000 + made) // 2) for made in (extra, extra // 2)}
        assert (counted.calls, counted.batches) in of_turns
        assert tally.plain_s is not None
        assert 0 < tally.plain_s < 1e-6
    assert slowed.tally.methods[ADD].injected_s == pytest.approx(1e-3, rel=0.2)
    assert slowed.values[0] > control.values[0] + 0.8e-6


@pytest.mark.parametrize(("control_s", "least", "most"), [(1e-6, 1e-6, 1.5e-4), (1e-9, 1e-3, 1.0)])
def test_a_delay_is_in_proportion_to_the_control_in_its_process(
    turns: Workspace, control_s: float, least: float, most: float
) -> None:
    """1 µs a call is .2 ms, if the control takes 1 µs or 1 ns; it takes something between."""
    slowed = replace(SLOWED, control_s=control_s)
    (_, mutant) = undisturbed(turns, once(step(CONTROL), step(slowed), invocations=200))
    assert mutant.tally is not None
    counted = mutant.tally.methods[ADD]
    assert counted.requested_s is not None
    assert least < counted.requested_s < most
    assert counted.injected_s == pytest.approx(counted.requested_s, rel=0.5, abs=1e-5)


def test_the_control_comes_first_and_the_others_there_and_back(turns: Workspace) -> None:
    (record,) = written_down(turns, once(step(SLOWED), step(UNPROBED), step(CONTROL)))
    assert [-1, -1, 2, 0, 1, -1, 1, 0, 2] == record["turns"]


def test_where_set_up_is_dear_there_are_fewer_turns_once_that_is_known(turns: Workspace) -> None:
    asked = [
        replace(once(step(SLOWED), step(CONTROL), benchmark="Dear"), id=name) for name in ("first", "second")
    ]
    (command,) = SUITE.commands(turns, SETTINGS, asked)
    output = LocalExecutor().execute(command).output
    assert [([-1, -1, 1, 0, -1, 0, 1], 500), ([-1, 1, 0], 1000)] == [
        (record["turns"], record["asked"]) for record in map(json.loads, output.splitlines())
    ]
    assert [1000] * 4 == [trial.invocations for trial in SUITE.trials(asked, output)]
    # The next command knows it, too.
    assert [-1, 1, 0] == written_down(turns, asked[0])[0]["turns"]


@pytest.mark.parametrize(("target_s", "more"), [(0.001, 2), (0.01, 4), (1.0, 20)])
def test_turns_are_short_once_it_is_known_that_little_comes_with_them(
    turns: Workspace, target_s: float, more: int
) -> None:
    own = [replace(step(own_arm), target_s=target_s) for own_arm in (SLOWED, CONTROL)]
    asked = replace(once(*own, benchmark="Parts/one"), id=f"{target_s}")
    (known,) = written_down(turns, replace(asked, id="first"))
    (later,) = written_down(turns, asked)
    assert later["turns"][:5] == [-1, -1, 1, 0, -1]
    assert [more, more] == [later["turns"].count(place) for place in (0, 1)]
    assert 1000 == later["asked"] * more
    assert len(known["turns"]) <= len(later["turns"])


def test_an_iteration_whose_first_invocations_are_unlike_the_others_is_one_turn(turns: Workspace) -> None:
    own = [replace(step(own_arm), undivided=True) for own_arm in (CONTROL, SLOWED)]
    (record,) = written_down(turns, replace(once(*own, benchmark="Parts/one"), id="undivided"))
    assert ([-1, 0, 1], 1000) == (record["turns"], record["asked"])


@pytest.mark.parametrize(("mode", "turns_each", "asked"), [(Mode.TIME, 2, 8), (Mode.CONTROL, 16, 1)])
def test_where_time_is_read_a_turn_has_more_than_an_invocation(
    turns: Workspace, mode: Mode, turns_each: int, asked: int
) -> None:
    """The one collection of garbage in it would pass for what is executed where it comes."""
    own = [replace(step(own_arm), target_s=1.0) for own_arm in (arm(mode, ADD), UNPROBED)]
    block_asked = replace(once(*own, benchmark="Parts/one", invocations=16), id=f"few {mode}")
    written_down(turns, replace(block_asked, id=f"first {mode}"))
    (record,) = written_down(turns, block_asked)
    assert (turns_each, asked) == (record["turns"].count(0), record["asked"])


def test_all_steps_of_a_block_share_a_process(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    place, own = subject(tmp_path), settings(DIARY=str(diary))
    assert prepared(place, own).exit_code == 0
    executed(place, own, [once(step(CONTROL), step(SLOWED))])
    assert 1 == len(set(diary.read_text().splitlines()))


@pytest.mark.parametrize(
    "asked",
    [
        once(step(UNPROBED), step(UNPROBED)),
        once(step(arm(Mode.COUNT, ADD)), step(CONTROL)),
        once(step(CONTROL)),
        once(step(CONTROL), step(SLOWED), invocations=1),
        block("b", "example.org/turns.BenchmarkAdd", step(CONTROL), step(SLOWED)),
        block(
            "b",
            "example.org/turns.BenchmarkAdd",
            *(step(CONTROL, invocations=number, iterations=1, warmup=0) for number in (20, 30)),
        ),
    ],
    ids=["plain", "counting", "one", "one invocation", "several values", "unequal"],
)
def test_what_a_process_of_its_own_is_asked_for_has_one(turns: Workspace, asked: Block) -> None:
    assert ["step"] * len(asked.steps) == kinds(turns, asked)
    assert all(trial.status is Status.OK for trial in executed(turns, SETTINGS, [asked]))


@pytest.mark.parametrize("name", ["Once", "Liar"])
def test_where_turns_fail_each_step_shows_alone_what_it_can(turns: Workspace, name: str) -> None:
    asked = once(step(CONTROL), step(SLOWED), benchmark=name)
    assert ["step", "step"] == kinds(turns, asked)
    control, slowed = executed(turns, SETTINGS, [asked])
    assert [Status.OK, Status.OK] == [control.status, slowed.status]
    assert control.tally is not None
    assert control.tally.plain_s is None


@pytest.mark.parametrize(("part", "calls"), [("before", 5100), ("meant", 51), ("behind", 5000)])
def test_a_part_that_breaks_down_alone_is_measured_beside_the_others_which_are_set_up(
    turns: Workspace, part: str, calls: int
) -> None:
    counting = once(step(arm(Mode.COUNT, ADD)), benchmark=f"Closed/{part}", invocations=50)
    looking = block("l", counting.benchmark, step(UNPROBED, invocations=None, iterations=1, warmup=0))
    timing = replace(once(step(arm(Mode.TIME, ADD)), benchmark=f"Closed/{part}", invocations=50), id="t")
    counted, looked, timed = executed(turns, SETTINGS, [counting, looking, timing])
    assert [Status.OK] * 3 == [trial.status for trial in (counted, looked, timed)]
    assert "example.org/turns.BenchmarkClosed" == looked.executed_whole
    assert counted.tally is not None
    assert timed.tally is not None
    others = {"before": 100, "meant": 1, "behind": 100}
    beside = sum(others.values()) - others[part]
    assert (calls, beside) == (counted.tally.methods[ADD].calls, counted.tally.methods[ADD].setup_calls)
    assert calls == pytest.approx(timed.tally.methods[ADD].calls, abs=100)


@pytest.mark.parametrize(("part", "own"), [("Add", 0), ("Closed/meant", 200)])
def test_what_variables_of_a_package_call_is_told_from_what_a_benchmark_sets_up(
    tmp_path: Path, part: str, own: int
) -> None:
    text = FILES["add_test.go"].replace("var sum, runs int", "var sum, runs = Add(Add(1, 2), 3), 0")
    place = written(workspace(tmp_path), {**FILES, "add_test.go": text})
    probed(place, [ADD])
    assert prepared(place, SETTINGS).exit_code == 0
    (trial,) = executed(place, SETTINGS, [once(step(arm(Mode.COUNT, ADD)), benchmark=part)])
    assert trial.tally is not None
    tally = trial.tally.methods[ADD]
    assert (2, 2 + own) == (tally.loading_calls, tally.setup_calls)


def test_a_part_that_breaks_down_beside_the_others_too_is_tried_so_once(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    place, own = subject(tmp_path), settings(DIARY=str(diary))
    assert prepared(place, own).exit_code == 0
    asked = once(step(UNPROBED), step(UNPROBED), benchmark="Broken/part")
    trials = executed(place, own, [asked])
    assert [(Status.FAILED, "panic: always (add_test.go:64)")] * 2 == [
        (trial.status, trial.reason) for trial in trials
    ]
    assert 3 == len(set(diary.read_text().splitlines()))


def test_a_testing_package_that_is_not_known_lets_no_turns_be_taken(tmp_path: Path) -> None:
    place, elsewhere = subject(tmp_path), tmp_path / "goroot" / "src" / "testing"
    elsewhere.mkdir(parents=True)
    (elsewhere / "benchmark.go").write_text("package testing\n\nfunc (b *B) measure() {}\n")
    other = tmp_path / "go"
    answer = f'[ "$*" = "env GOROOT" ] && echo {tmp_path}/goroot && exit\n'
    other.write_text(f'#!/bin/sh\n{answer}exec {go()} "$@"\n')
    other.chmod(0o755)
    own = replace(SETTINGS, interpreter=str(other))
    assert prepared(place, own).exit_code == 0
    control, slowed = executed(place, own, [once(step(CONTROL), step(SLOWED))])
    assert [Status.OK, Status.OK] == [control.status, slowed.status]
    assert control.tally is not None
    assert control.tally.plain_s is None


def test_the_line_numbers_of_the_testing_package_stay(turns: Workspace) -> None:
    (overlay,) = (turns.root / "binaries").glob("overlay.json")
    replaced = json.loads(overlay.read_text())["Replace"]
    (original,) = (path for path in replaced if Path(path).name == "benchmark.go")
    before, after = Path(original).read_text(), Path(replaced[original]).read_text()
    hooks = (
        " defer absAuditTurn(b);",
        " absAuditStart(b);",
        " defer absAuditTimer(false);",
        " absAuditReset(b);",
        " absAuditBegin(b);",
        " if absAuditBeside(b) { return };",
    )
    assert [1] * 6 == [after.count(hook) for hook in hooks]
    for hook in hooks:
        after = after.replace(hook, "")
    assert before == after
    assert before.count("\n") == after.count("\n")


RECORD = {
    "record": "turns",
    "block": "b",
    "turns": [-1, -1, 0, 1, -1, 1, 0],
    "asked": 500,
    "limit_s": 10,
    "tallies": ['{"build_id":"x","methods":{}}', '{"build_id":"x","methods":{}}'],
    "output": "".join(f"BenchmarkAdd \t 500\t {value} ns/op\n" for value in (99, 10, 20, 30, 20, 60, 60)),
    "log": "",
    "exit": 0,
    "signal": "",
    "timed_out": False,
    "wall_s": 4.0,
}
ASKED = once(step(CONTROL), step(SLOWED))


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", "the benchmark ended its process with exit code 2"),
        ("begun\nno such host\n\n", "the benchmark ended its process with exit code 2: no such host"),
        (
            "flag provided but not defined: -test.v\nUsage of bolt.test:\n  -stats\n    \tshow statistics\n",
            "the benchmark ended its process with exit code 2: flag provided but not defined: -test.v",
        ),
    ],
)
def test_what_ends_a_process_is_told_with_what_it_said_last(log: str, reason: str) -> None:
    """Tests of bolt read flags before Go declares its own."""
    assert reason == why_it_ended(RECORD | {"exit": 2, "log": log})


def test_a_value_is_the_mean_of_its_turns_and_is_related_to_the_plain_ones_before_them() -> None:
    """The plain turns take 10 and 20; that of 99 warms the process up."""
    control, slowed = SUITE.trials([ASKED], json.dumps(RECORD) + "\n")
    assert (40e-9, 45e-9) == (pytest.approx(control.values[0]), pytest.approx(slowed.values[0]))
    assert control.tally is not None
    assert slowed.tally is not None
    assert control.tally.plain_s == pytest.approx(15e-9)
    assert slowed.tally.plain_s == pytest.approx(15e-9)
    assert [(0, 1000, 2.0), (1, 1000, 2.0)] == [
        (trial.position, trial.invocations, trial.wall_s) for trial in (control, slowed)
    ]


def test_what_lost_the_processor_for_long_is_no_part_of_a_value() -> None:
    values = [99, 10, 20, 20, 10, 20, 20, 10, 900, 20, 100, 20, 20]
    record = {
        **RECORD,
        "turns": [-1, *[-1, 0, 1] * 4],
        "output": "".join(f"BenchmarkAdd \t 500\t {value} ns/op\n" for value in values),
    }
    control, slowed = SUITE.trials([ASKED], json.dumps(record) + "\n")
    assert [pytest.approx(20e-9), pytest.approx(20e-9)] == [control.values[0], slowed.values[0]]
    assert control.tally is not None
    assert control.tally.plain_s == pytest.approx(10e-9)
    # The tally counts what was interrupted, too.
    assert [False, True] == [trial.tally.is_whole for trial in (control, slowed) if trial.tally]


def test_turns_without_their_times_are_no_evidence() -> None:
    text = json.dumps({**RECORD, "output": "PASS\n"})
    assert [Status.FAILED] * 2 == [trial.status for trial in SUITE.trials([ASKED], text + "\n")]


def test_turns_of_another_block_are_refused() -> None:
    with pytest.raises(MismatchError, match="the steps of a block at hand"):
        SUITE.trials([once(step(CONTROL))], json.dumps(RECORD) + "\n")


def test_a_tally_that_cannot_be_read_is_the_failure_of_its_step_alone() -> None:
    text = json.dumps({**RECORD, "tallies": ["{", RECORD["tallies"][1]]})  # type: ignore[index]
    assert [Status.FAILED, Status.OK] == [trial.status for trial in SUITE.trials([ASKED], text + "\n")]
