"""The runtime of Go probes, executed: what it counts, delays and times, however a process ends."""

import signal
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from abs_audit.injectors.go.injector import GoInjector
from abs_audit.injectors.go.runtime import FILES, FOLDER
from tests.support.go_probes import Entry, Part, built, parts, started
from tests.support.probe_conformance import CALLS, Ended, assert_the_protocol_is_kept
from tests.support.toolchains import gofmt

LIB = "example.org/lib"
OLD = "example.org/old"
BATCH = 10
SOURCES = {
    "go.mod": f"module {LIB}\n\ngo 1.21\n\nrequire {OLD} v0.0.0\n\nreplace {OLD} => ./old\n",
    # A module of its own, in the language of 2019.
    "old/go.mod": f"module {OLD}\n\ngo 1.12\n",
    "old/old.go": "package old\n\nfunc Ancient(n int) int { return n + 1 }\n",
    "lib/lib.go": """package lib

import (
	"errors"
	"os"
	"runtime"
	"sync"
)

var early = Early()

func Early() int { return 7 }

type shaped interface{ Shape() int }

type hidden struct{}

func (hidden) Shape() int { return 1 }

// An interface hides from Go that this needs anything of this package.
var dynamic = shaped(hidden{}).Shape()

func Work(n int) (x uint64) {
	x = 88172645463325252
	for ; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return
}

func Delegate(n int) uint64 { return Work(n) }

func Exits(n int) (out int, err error) {
	defer func() {
		if found := recover(); found != nil {
			err = errors.New("panicked")
		}
	}()
	if n == 0 {
		return 1, nil
	}
	for i := 0; i < 10; i++ {
		if i == n {
			for {
				if n < 4 {
					return 2, nil
				}
				break
			}
		}
	}
	switch {
	case n == 5:
		panic("five")
	case n == 6:
		runtime.Goexit()
	case n == 7:
		return Exits(0)
	}
	return 3, nil
}

func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

type List[T any] struct{ items []T }

func (l *List[T]) Push(x T) { l.items = append(l.items, x) }

func Leave(code int) { os.Exit(code) }

func Forever() { select {} }

func Many(goroutines, calls int) {
	var group sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < calls; j++ {
				Tiny(j)
			}
		}()
	}
	group.Wait()
}

//go:noinline
func Tiny(n int) int { return n }

type Batch struct {
	lock sync.Mutex
	come int
	done chan struct{}
}

// Gather waits until a thousand have come; the last one works for all of them.
func (batch *Batch) Gather() {
	batch.lock.Lock()
	if batch.come++; batch.come < 1000 {
		batch.lock.Unlock()
		<-batch.done
		return
	}
	batch.lock.Unlock()
	Work(1000000)
	close(batch.done)
}

func Gathering() {
	batch := Batch{done: make(chan struct{})}
	var group sync.WaitGroup
	for i := 0; i < 1000; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			batch.Gather()
		}()
	}
	group.Wait()
}
""",
    "main.go": """package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.org/lib/lib"
	"example.org/old"
)

func main() {
	count, _ := strconv.Atoi(os.Args[2])
	switch os.Args[1] {
	case "nothing":
	case "tiny":
		for i := 0; i < count; i++ {
			lib.Tiny(i)
		}
	case "turns":
		// As our copy of the testing package does after each run.
		for _, took := range strings.Fields(os.Getenv("TOOK")) {
			for i := 0; i < count; i++ {
				lib.Tiny(i)
				old.Ancient(i)
			}
			flag.VisitAll(func(one *flag.Flag) {
				if strings.HasPrefix(one.Name, "abs-audit.turn.") {
					one.Value.Set(took)
				}
			})
		}
	case "stopped":
		begun := time.Now()
		stop := "sleep .05; kill -STOP $PPID; sleep .8; kill -CONT $PPID"
		if err := exec.Command("sh", "-c", stop).Start(); err != nil {
			panic(err)
		}
		for i := 0; i < count; i++ {
			lib.Tiny(i)
		}
		fmt.Print(time.Since(begun).Seconds())
	case "work":
		for i := 0; i < count; i++ {
			lib.Delegate(1000)
		}
	case "short":
		for i := 0; i < 100*count; i++ {
			lib.Delegate(10)
		}
	case "exits":
		for n := 0; n < 9; n++ {
			done := make(chan bool)
			go func(n int) {
				defer close(done)
				out, err := lib.Exits(n)
				fmt.Println(n, out, err)
			}(n)
			<-done
		}
	case "fib":
		fmt.Println(lib.Fib(count))
	case "fibs":
		begun := time.Now()
		for i := 0; i < count; i++ {
			lib.Fib(3)
			lib.Fib(10)
		}
		fmt.Print(time.Since(begun).Seconds())
	case "old":
		fmt.Println(old.Ancient(count) + lib.Tiny(1))
	case "generic":
		numbers, words := &lib.List[int]{}, &lib.List[string]{}
		for i := 0; i < count; i++ {
			numbers.Push(i)
			words.Push("x")
		}
	case "many":
		lib.Many(4, count)
	case "gather":
		begun := time.Now()
		for i := 0; i < count; i++ {
			lib.Gathering()
		}
		fmt.Print(time.Since(begun).Seconds())
	case "leave":
		for i := 0; i < 13; i++ {
			lib.Tiny(i)
		}
		lib.Leave(count)
	case "panic":
		for i := 0; i < 13; i++ {
			lib.Tiny(i)
		}
		panic(count)
	case "kill":
		for i := 0; i < 13; i++ {
			lib.Tiny(i)
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		lib.Forever()
	}
}
""",
}
TINY, WORK, DELEGATE, FIB, EXITS = (
    f"{LIB}/lib.{name}" for name in ("Tiny", "Work", "Delegate", "Fib", "Exits")
)
ANCIENT, PUSH, LEAVE = f"{OLD}.Ancient", f"{LIB}/lib.(*List).Push", f"{LIB}/lib.Leave"
GATHER = f"{LIB}/lib.(*Batch).Gather"
EARLY, SHAPE = f"{LIB}/lib.Early", f"{LIB}/lib.hidden.Shape"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a process ended, and what it left."""

    code: int
    output: str
    log: str
    parts: tuple[Part, ...]

    def entry(self, method: str) -> Entry:
        """Add up what the parts say of a method, as a driver does."""
        entries = [part.methods[method] for part in self.parts]
        return Entry(
            calls=sum(entry.calls for entry in entries),
            batches=sum(entry.batches for entry in entries),
            injected_ns=sum(entry.injected_ns for entry in entries),
            timed_ns=sum(entry.timed_ns for entry in entries),
            requested_ns=sum(entry.requested_ns for entry in entries),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """The program, probed."""

    program: Path
    build_id: str
    folder: Path

    def execute(self, mode: str, methods: list[str], task: str, count: int = 0, **more: str) -> Outcome:
        """Start it in a mode; an arm of mode `delay` slows its first method."""
        prefix = self.folder / "tally"
        for old in self.folder.glob("tally*"):
            old.unlink()
        variables: Mapping[str, str] = {
            "ABS_PROBE_MODE": mode,
            "ABS_PROBE_METHODS": "\n".join(methods),
            "ABS_PROBE_SLOWED": methods[0] if methods else "",
            "ABS_PROBE_DELAY_NS": "100",
            "ABS_PROBE_BATCH": str(BATCH),
            "ABS_PROBE_TALLY": str(prefix),
            "GOMAXPROCS": "1",
            **more,
        }
        done = started(self.program, [task, str(count)], variables)
        return Outcome(code=done.returncode, output=done.stdout, log=done.stderr, parts=tuple(parts(prefix)))

    def undisturbed(self, method: str, task: str, count: int, **more: str) -> Entry:
        """Return what is known of a slowed method after the least disturbed of some processes.

        What loses the processor during a delay is delayed for longer, in a short process by any factor.
        """
        entries = []
        for _ in range(5):
            done = self.execute("delay", [method], task, count, **more)
            # Of arms that take turns the second one is slowed.
            shown = parts(self.folder / "tally-1")
            entries.append((replace(done, parts=tuple(shown)) if shown else done).entry(method))
        return min(entries, key=lambda entry: entry.injected_ns)


INTERRUPTION_NS = 2e7
"""What is left of an interruption in the last delay, which no later one can make up for."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    listing = [method.id for method in GoInjector().api_methods(SOURCES).methods]
    patch = GoInjector().instrument(SOURCES, [*listing, SHAPE])
    assert () == patch.skipped
    folder = tmp_path_factory.mktemp("probe")
    plain, probed = built(folder / "plain", SOURCES), built(folder / "probed", {**SOURCES, **patch.files})
    return plain, probed, patch.build_id


@pytest.fixture
def self_check(compiled: tuple[Path, Path, str], tmp_path: Path) -> SelfCheck:
    return SelfCheck(program=compiled[1], build_id=compiled[2], folder=tmp_path)


def test_the_runtime_is_written_as_gofmt_writes_it(compiled: tuple[Path, Path, str]) -> None:
    folder = compiled[1].parent / FOLDER
    done = subprocess.run([gofmt(), "-l", str(folder)], capture_output=True, text=True, check=True)
    assert ("", len(FILES) + 1) == (done.stdout, len(list(folder.iterdir())))


def test_every_module_of_a_process_leaves_a_part_and_all_name_the_build(self_check: SelfCheck) -> None:
    done = self_check.execute("count", [TINY, ANCIENT], "old", 5)
    assert (0, "7\n") == (done.code, done.output)
    assert [self_check.build_id] * 2 == [part.build_id for part in done.parts]
    assert [[1, 0], [0, 1]] == sorted(
        ([part.methods[method].calls for method in (TINY, ANCIENT)] for part in done.parts), reverse=True
    )
    assert (1, 1) == (done.entry(TINY).calls, done.entry(ANCIENT).calls)


@pytest.mark.parametrize("mode", ["count", "control", "delay", "time"])
@pytest.mark.parametrize(
    ("task", "code"), [("leave", 5), ("panic", 2), ("kill", -signal.SIGKILL), ("nothing", 0)]
)
def test_the_tally_is_whole_however_a_process_ends(
    self_check: SelfCheck, mode: str, task: str, code: int
) -> None:
    done = self_check.execute(mode, [TINY], task, 5)
    assert code == done.code
    calls = 13 if task != "nothing" else 0
    assert calls == done.entry(TINY).calls
    assert (calls // BATCH if mode in {"control", "delay"} else 0) == done.entry(TINY).batches


def test_a_call_that_ends_the_process_is_delayed_as_any_other(self_check: SelfCheck) -> None:
    """GoABS slept after the body: what calls os.Exit was never slowed."""
    variables = {"ABS_PROBE_BATCH": "1", "ABS_PROBE_DELAY_NS": "5e7"}
    done = self_check.execute("delay", [LEAVE], "leave", 5, **variables)
    assert (5, 1, 1) == (done.code, done.entry(LEAVE).calls, done.entry(LEAVE).batches)
    assert 25e6 < self_check.undisturbed(LEAVE, "leave", 5, **variables).injected_ns < 100e6 + INTERRUPTION_NS


@pytest.mark.parametrize("mode", ["count", "control", "delay", "time"])
def test_calls_from_initialisers_count(self_check: SelfCheck, mode: str) -> None:
    done = self_check.execute(mode, [EARLY, SHAPE], "nothing")
    assert (1, 1) == (done.entry(EARLY).calls, done.entry(SHAPE).calls)


@pytest.mark.parametrize("mode", ["off", "count", "control", "delay", "time"])
def test_every_exit_counts_once_and_does_what_it_did(
    self_check: SelfCheck, compiled: tuple[Path, Path, str], mode: str
) -> None:
    """JavaABS delayed top-level returns only: no early, nested or exceptional ones (defect 1)."""
    plain = started(compiled[0], ["exits", "0"], {})
    done = self_check.execute(mode, [EXITS], "exits", ABS_PROBE_BATCH="1", ABS_PROBE_DELAY_NS="1000")
    assert (plain.returncode, plain.stdout) == (done.code, done.output)
    if mode != "off":
        assert 10 == done.entry(EXITS).calls
        assert (10 if mode in {"control", "delay"} else 0) == done.entry(EXITS).batches
        assert (mode == "delay") == (done.entry(EXITS).injected_ns >= 9 * 1000)
        assert (mode in {"count", "time"}) == (done.entry(EXITS).timed_ns > 0)


def test_what_a_returned_expression_takes_is_time_of_the_method(self_check: SelfCheck) -> None:
    """JavaABS stopped its clock before the expression: a delegation took next to nothing (defect 2)."""
    delegating, working = (least_mean(self_check, method, "work", 300) for method in (DELEGATE, WORK))
    assert delegating > 0.7 * working > 0


def least_mean(self_check: SelfCheck, method: str, task: str, count: int) -> float:
    """Return nanoseconds of a call in the least disturbed of some processes."""
    entries = [self_check.execute("time", [method], task, count).entry(method) for _ in range(5)]
    return min(entry.timed_ns / entry.calls for entry in entries)


def test_every_function_of_a_file_can_be_probed_at_once() -> None:
    """JavaABS knew one class a file, and no nested ones (defect 3)."""
    text = "package a\ntype A int\ntype B struct{ A }\nfunc (A) M() {}\nfunc (b *B) N() {}\nfunc F() {}\n"
    tree = {"go.mod": "module m\n", "a.go": text}
    methods = [method.id for method in GoInjector().api_methods(tree).methods]
    patch = GoInjector().instrument(tree, methods)
    assert ["m.(*B).N", "m.A.M", "m.B.M", "m.F"] == methods == list(patch.instrumented)
    assert [1, 1, 2] == [line.count("if _abs.On") for line in patch.files["a.go"].splitlines()[3:]][::-1]


def test_inserted_names_cannot_meet_those_of_the_subject() -> None:
    """JavaABS inserted fixed names (defect 4)."""
    tree = {
        "go.mod": "module m\n",
        "a.go": "package a\nfunc F(_abs int) int { _absT := _abs; return _absT }\n",
    }
    text = GoInjector().instrument(tree, ["m.F"]).files["a.go"]
    assert ("_abs_.On0" in text, "_abs_T != 0" in text) == (True, True)


def test_what_is_not_a_probe_is_the_original_text_byte_for_byte() -> None:
    """JavaABS wrote a pretty-printed tree back (defect 5)."""
    text = "package  a ;\r\nfunc   F ( ) {   /* kept */ }\r\n\t// kept, too"
    tree = {"go.mod": "module m\n", "a.go": text}
    patched = GoInjector().instrument(tree, ["m.F"]).files["a.go"]
    clause = f'; import _abs "m/{FOLDER}"'
    before, _, rest = patched.partition(clause)
    head, _, tail = rest.partition(" if _abs.On0 {")
    assert text == before + head + tail.partition("} };")[2].partition("} };")[2] or text == (
        before + head + tail.rpartition("} } };")[2]
    )


def test_a_function_that_is_not_found_changes_nothing() -> None:
    """GoABS added an import all the same, and took unmutated code for a mutant (defect 10)."""
    tree = {"go.mod": "module m\n", "a.go": "package a\ntype T int\nfunc (t *T) M() {}\n"}
    patch = GoInjector().instrument(tree, ["m.T.M"])
    assert ({}, ()) == (patch.files, patch.instrumented)
    assert "no such method in the sources: did you mean m.(*T).M?" == patch.skipped[0].reason


def test_delays_keep_the_processor_and_never_sleep(self_check: SelfCheck) -> None:
    """GoABS slept, which takes a millisecond for a microsecond and lets others run (defect 11)."""
    patch = GoInjector().instrument(SOURCES, [TINY])
    runtime = [patch.files[f"{FOLDER}/{name}"] for name in FILES]
    assert not any("Sleep" in text for text in runtime)
    entry = self_check.undisturbed(TINY, "tiny", 1000, ABS_PROBE_DELAY_NS="20000", ABS_PROBE_BATCH="1")
    assert 0.9 < entry.injected_ns / 20e6 < 1.1


def test_an_interruption_is_a_part_of_the_delay(self_check: SelfCheck) -> None:
    """The control that delays are sized by was interrupted for as large a part of its time."""
    variables = {"ABS_PROBE_DELAY_NS": "1000000", "ABS_PROBE_BATCH": "1000"}
    every = [self_check.execute("delay", [TINY], "stopped", 2000, **variables) for _ in range(3)]
    done = min(every, key=lambda ended: float(ended.output))
    # Twice 1 s is requested; it is stopped for most of the first, for longer where others use the machine.
    assert 1.9 < float(done.output) < 2.4
    assert 1.9 < done.entry(TINY).injected_ns / 1e9 < 2.1


def test_methods_of_generic_types_carry_one_probe_for_all_types(self_check: SelfCheck) -> None:
    """GoABS overlooked them, and took unmutated code for a mutant (defect 12)."""
    done = self_check.execute("delay", [PUSH], "generic", 50)
    assert (100, 10) == (done.entry(PUSH).calls, done.entry(PUSH).batches)


def test_recursion_pays_for_each_call_once_and_is_timed_from_outside(self_check: SelfCheck) -> None:
    """GoABS slept for a time with the inner sleeps in it: (1 + δ) to the power of the depth (defect 13)."""
    calls = 1973  # of fib(15)
    slowed = self_check.undisturbed(FIB, "fib", 15, ABS_PROBE_DELAY_NS="10000")
    assert calls == slowed.calls
    assert 0.9 < slowed.injected_ns / (10000 * (calls // BATCH * BATCH)) < 1.1
    assert 242785 == self_check.execute("time", [FIB], "fib", 25).entry(FIB).calls
    # Were inner calls timed as well, each level would add the time of those below it: 24 times as much.
    assert 0.1 < least_mean(self_check, FIB, "fib", 25) < 40


def test_short_recursive_calls_are_timed_in_bursts(self_check: SelfCheck) -> None:
    """Looking at each of them took a hundred times what they take themselves."""
    rounds, calls = 40000, 5 + 177  # of fib(3) and fib(10)
    whole = {"ABS_PROBE_BATCH": "1000000"}
    # The least disturbed of some processes.
    alone_s = min(
        float(self_check.execute("control", [FIB], "fibs", rounds, **whole).output) for _ in range(15)
    )
    every = [self_check.execute("time", [FIB], "fibs", rounds) for _ in range(15)]
    entries = [done.entry(FIB) for done in every]
    assert all(rounds * calls - 65536 < entry.calls <= rounds * calls for entry in entries)
    least_ns = min(entry.timed_ns / entry.calls for entry in entries)
    assert 0.2 < least_ns / 1e9 / alone_s * rounds * calls < 1.6
    # 1.5 times as much when nothing disturbs; a look takes several times as long on a busy machine.
    assert min(float(done.output) for done in every) < 20 * alone_s


def test_timed_calls_stand_for_all(self_check: SelfCheck) -> None:
    for task, calls in {"work": 400, "short": 40000}.items():
        assert calls - 128 < self_check.execute("time", [WORK], task, 400).entry(WORK).calls <= calls
    # 1000 turns of the kernel say what one takes on this machine; 10 take less than a look at the clock.
    turn_ns = least_mean(self_check, WORK, "work", 400) / 1000
    assert turn_ns > 0.02
    assert 0 <= least_mean(self_check, WORK, "short", 400) < 10 * turn_ns + 100


def test_counts_are_exact_on_any_number_of_processors(self_check: SelfCheck) -> None:
    done = self_check.execute("count", [TINY], "many", 20000, GOMAXPROCS="4")
    entry = done.entry(TINY)
    assert Entry(calls=80000, timed_ns=entry.timed_ns) == entry


def test_goroutines_that_count_down_together_leave_a_mean_time_all_the_same(self_check: SelfCheck) -> None:
    """A goroutine may write back what another has long set anew; thousands of calls were lost or made up."""
    for _ in range(40):
        entry = self_check.execute("time", [TINY], "many", 50000, GOMAXPROCS="4").entry(TINY)
        assert 0 < entry.calls <= 210000
        assert 0 <= entry.timed_ns / entry.calls < 100000


@pytest.mark.parametrize("gatherings", [3, 60])
def test_calls_during_which_others_are_entered_may_take_all_of_the_time(
    self_check: SelfCheck, gatherings: int
) -> None:
    """A thousand goroutines wait for what one of them does, as bbolt's do: that was no time at all."""
    done = self_check.execute("time", [GATHER], "gather", gatherings, GOMAXPROCS="1")
    entry = done.entry(GATHER)
    assert 1000 * gatherings - 128 <= entry.calls <= 1000 * gatherings
    whole_ns = 1e9 * float(done.output)
    assert entry.timed_ns + entry.requested_ns > 0.5 * whole_ns


def test_goroutines_on_one_processor_count_and_pay_exactly(self_check: SelfCheck) -> None:
    entry = self_check.undisturbed(TINY, "many", 5000, ABS_PROBE_DELAY_NS="2000")
    assert (20000, 2000) == (entry.calls, entry.batches)
    assert 36e6 < entry.injected_ns < 44e6 + INTERRUPTION_NS


def test_only_the_slowed_method_is_delayed_and_the_others_tick(self_check: SelfCheck) -> None:
    done = self_check.execute("delay", [WORK, DELEGATE], "work", 95)
    assert [(95, 9), (95, 9)] == [
        (done.entry(method).calls, done.entry(method).batches) for method in (WORK, DELEGATE)
    ]
    assert (True, 0) == (done.entry(WORK).injected_ns > 0, done.entry(DELEGATE).injected_ns)


def test_methods_that_are_not_active_are_not_in_the_tally(self_check: SelfCheck) -> None:
    done = self_check.execute("count", [WORK], "work", 3)
    assert [{WORK: 3}, {WORK: 0}] == [
        {method: entry.calls for method, entry in part.methods.items()}
        for part in sorted(done.parts, key=lambda part: -part.methods[WORK].calls)
    ]


def test_without_a_mode_nothing_is_written_but_what_was_built(self_check: SelfCheck) -> None:
    done = self_check.execute("", [WORK], "work", 3)
    assert [(self_check.build_id, {})] * 2 == [(part.build_id, dict(part.methods)) for part in done.parts]


def test_without_a_tally_file_the_probe_works_all_the_same(self_check: SelfCheck) -> None:
    done = self_check.execute("delay", [WORK], "work", 30, ABS_PROBE_TALLY="")
    assert (0, ()) == (done.code, done.parts)


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        (
            {"ABS_PROBE_MODE": "slow"},
            'ABS_PROBE_MODE: expected off, count, time, sample, control or delay, found "slow"',
        ),
        ({"ABS_PROBE_BATCH": "0"}, 'ABS_PROBE_BATCH: expected a number of calls, found "0"'),
        ({"ABS_PROBE_BATCH": ""}, 'ABS_PROBE_BATCH: expected a number of calls, found ""'),
        ({"ABS_PROBE_DELAY_NS": "NaN"}, 'ABS_PROBE_DELAY_NS: expected nanoseconds, found "NaN"'),
        ({"ABS_PROBE_DELAY_NS": "-1"}, 'ABS_PROBE_DELAY_NS: expected nanoseconds, found "-1"'),
        ({"ABS_PROBE_TALLY": "/nowhere/at/all"}, "ABS_PROBE_TALLY: open /nowhere/at/all"),
    ],
)
def test_what_the_probe_cannot_obey_ends_the_process_before_main(
    self_check: SelfCheck, variables: dict[str, str], complaint: str
) -> None:
    done = self_check.execute("delay", [WORK], "work", 3, **variables)
    assert (2, "") == (done.code, done.output)
    assert done.log.startswith(f"abs-audit probe: {complaint}")


def arms(folder: Path, *modes: str, **more: str) -> dict[str, str]:
    """Return the variables of arms that take turns; all probe the same two methods and slow the first one."""
    variables = dict(more)
    for number, mode in enumerate(modes):
        own = {
            "MODE": mode,
            "METHODS": f"{TINY}\n{ANCIENT}",
            "SLOWED": TINY,
            "DELAY_NS": "1000",
            "CONTROL_NS": "100",
            "BATCH": str(BATCH),
            "TALLY": str(folder / f"tally-{number}"),
        }
        variables.update({f"ABS_PROBE_{name}_{number}": value for name, value in own.items()})
    return variables


def test_arms_take_turns_each_with_a_tally_of_its_own(self_check: SelfCheck) -> None:
    """The last of the eight runs is after all turns, the first two are baselines."""
    variables = arms(self_check.folder, "control", "count", "time", TOOK="100 " * 8)
    done = self_check.execute("delay", [TINY], "turns", 1005, ABS_PROBE_TURNS="- - 0 1 2 1 0", **variables)
    assert (0, "", ()) == (done.code, done.log, done.parts)
    control, count, timed = (parts(self_check.folder / f"tally-{number}") for number in range(3))
    # Each module holds a part of every tally.
    assert [(2, 2), (2, 2), (1, 1)] == [
        tuple(part.turns for part in files) for files in (control, count, timed)
    ]
    for own_parts, calls in ((control, 2010), (count, 2010), (timed, pytest.approx(1005, abs=128))):
        assert calls == sum(part.methods[TINY].calls for part in own_parts)
        assert calls == sum(part.methods[ANCIENT].calls for part in own_parts)
    # What was left of a batch in the first turn is gone on with in the second one.
    assert 201 == sum(part.methods[TINY].batches for part in control)
    assert 0 < sum(part.methods[TINY].timed_ns for part in timed)


@pytest.mark.parametrize(("took", "factor"), [("100", 1), ("200", 2), ("50", 0.5), ("0", 1)])
def test_a_delay_stays_in_proportion_to_the_control(self_check: SelfCheck, took: str, factor: float) -> None:
    """A call is delayed by 1 µs if the control takes 100 ns; what others take does not matter."""
    variables = arms(self_check.folder, "control", "delay", TOOK=f"900 {took} 1 1")
    entry = self_check.undisturbed(TINY, "turns", 1005, ABS_PROBE_TURNS="- 0 1 1", **variables)
    assert factor * 2.01e6 == pytest.approx(entry.requested_ns)
    assert 0.9 * factor * 2.01e6 < entry.injected_ns < 1.1 * factor * 2.01e6 + INTERRUPTION_NS


def test_a_delay_that_is_fixed_stays_what_it_is(self_check: SelfCheck) -> None:
    variables = arms(self_check.folder, "control", "delay", TOOK="900 200 1 1")
    del variables["ABS_PROBE_CONTROL_NS_1"]
    entry = self_check.undisturbed(TINY, "turns", 1000, ABS_PROBE_TURNS="- 0 1 1", **variables)
    assert 1.8e6 < entry.injected_ns < 2.2e6 + INTERRUPTION_NS


@pytest.mark.parametrize("turns", ["x", "0 -2", "1024"])
def test_turns_of_no_arm_end_the_process(self_check: SelfCheck, turns: str) -> None:
    done = self_check.execute("off", [], "nothing", ABS_PROBE_TURNS=turns)
    assert 2 == done.code
    assert "abs-audit probe: ABS_PROBE_TURNS: expected numbers of arms, found" in done.log


def test_the_probe_keeps_the_protocol(self_check: SelfCheck) -> None:
    def process(settings: Mapping[str, str]) -> Ended:
        plain = dict.fromkeys(("ABS_PROBE_SLOWED", "ABS_PROBE_DELAY_NS"), "")
        done = self_check.execute("", [TINY], "tiny", CALLS, **{**plain, **settings})
        methods = {TINY: asdict(done.entry(TINY))} if done.parts else {}
        for counted in methods.values():
            del counted["requested_ns"]  # a driver leaves it out where the control took no turns
        return Ended(message=done.log, tally={"build_id": self_check.build_id, "methods": methods})

    assert_the_protocol_is_kept(process, TINY)
