"""The suite door for Go's testing package, against real test binaries of fixture subjects."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError, MismatchError
from abs_audit.formats import pprof
from abs_audit.formats.go_text import parse
from abs_audit.languages.go.suites import plan
from abs_audit.languages.go.suites.ids import split
from abs_audit.languages.go.suites.stacks import sampled
from abs_audit.languages.go.toolchain.commands import version_of
from abs_audit.model.experiment import UNPROBED, Mode, Step, Workspace
from abs_audit.model.measurement import Status, Trial
from tests.support.executions import ended
from tests.support.go_subjects import (
    SUBJECTS,
    SUITE,
    executed,
    listed,
    prepared,
    probed,
    settings,
    workspace,
    written,
)
from tests.support.python_subjects import arm, block, step
from tests.support.toolchains import go, gofmt

SETTINGS = settings()
BOOK = "example.com/wordbook."
INDEX, LOAD, PUSH = BOOK + "(*Book).Index", BOOK + "Load", "example.com/wordbook/shelf.(*Shelf).Push"
BROKEN = "example.com/broken"
FAILURES = BROKEN + "/failures.Benchmark"
EXPECTED = json.loads((SUBJECTS / "go_bench" / "expected.json").read_text())
STEPS = Path(__file__).parents[4] / "fixtures" / "outputs" / "go" / "steps.jsonl"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = workspace(tmp_path_factory.mktemp("go"), "go_bench")
    probed(place, list(EXPECTED["methods"]))
    assert prepared(place, SETTINGS).exit_code == 0
    return place


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = workspace(tmp_path_factory.mktemp("go"), "go_bench_broken")
    execution = prepared(place, SETTINGS)
    assert execution.exit_code == 0
    assert "unwritten_test.go:6:2: undefined: nobodyWroteThis" in execution.log
    return place


def outcome(trials: list[Trial]) -> list[tuple[Status, str]]:
    return [(trial.status, trial.reason) for trial in trials]


def calls(trial: Trial) -> Counter[str]:
    assert trial.tally is not None
    return Counter({name: tally.calls for name, tally in trial.tally.methods.items()})


def test_benchmarks_are_listed_with_their_parts_and_without_the_number_of_processors(book: Workspace) -> None:
    discovery = listed(book, SETTINGS)
    assert EXPECTED["benchmarks"] == [benchmark.id for benchmark in discovery.benchmarks]
    assert discovery.benchmarks[0].parameters == {"turns": "6", "2": "text-4"}
    assert discovery.broken == ()


def test_a_listing_of_the_same_binaries_is_not_made_twice(book: Workspace) -> None:
    first = listed(book, SETTINGS)
    packages = json.loads((book.root / "binaries" / "packages.json").read_text())
    for package in packages:
        Path(package["binary"]).rename(package["binary"] + ".away")
    try:
        assert first == listed(book, SETTINGS)
    finally:
        for package in packages:
            Path(package["binary"] + ".away").rename(package["binary"])


def test_what_failed_is_visited_again_after_a_while(tmp_path: Path) -> None:
    text = 'package p\nimport ("os"; "testing")\nfunc BenchmarkA(b *testing.B) {\n'
    text += 'if _, err := os.Stat("service"); err != nil { b.Fatal("no service") }\n}\n'
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    assert ["fails: p_test.go:4: no service"] == [broken.reason for broken in listed(place, SETTINGS).broken]
    written(place, {"service": ""})
    assert 1 == len(listed(place, SETTINGS).broken)
    (listing,) = (place.root / "binaries").glob("*.listing.json")
    os.utime(listing, (0, 0))
    assert ["p.BenchmarkA"] == [benchmark.id for benchmark in listed(place, SETTINGS).benchmarks]


VISITED = """package p

import (
	"os"
	"testing"
	"time"
)

func note(text string) {
	file, _ := os.OpenFile("visits", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	defer file.Close()
	file.WriteString(text)
}

func BenchmarkA(b *testing.B) { note("A"); time.Sleep(2 * time.Millisecond) }
func BenchmarkB(b *testing.B) { note("B"); os.Exit(3) }
func BenchmarkC(b *testing.B) { note("C") }
func BenchmarkD(b *testing.B) { note("D"); b.Fatal("no") }
func BenchmarkE(b *testing.B) { note("E") }
"""


def test_a_benchmark_that_breaks_down_makes_no_other_run_twice(tmp_path: Path) -> None:
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": VISITED})
    assert prepared(place, SETTINGS).exit_code == 0
    listing = listed(place, SETTINGS)
    assert ["p.BenchmarkA", "p.BenchmarkC", "p.BenchmarkE"] == [
        benchmark.id for benchmark in listing.benchmarks
    ]
    assert ["p.BenchmarkB", "p.BenchmarkD"] == [broken.id for broken in listing.broken]
    assert "ABBCDE" == (place.tree / "visits").read_text()
    # A listing tells what it has seen an invocation take: 2 ms of sleep, and nothing but noise behind it.
    assert 0.002 <= listing.durations_s["p.BenchmarkA"]
    assert {"p.BenchmarkA", "p.BenchmarkC", "p.BenchmarkE"} == set(listing.durations_s)
    # Later it is tried again, with what shared the process of a failure, but not with all.
    (memory,) = (place.root / "binaries").glob("*.listing.json")
    os.utime(memory, (0, 0))
    again = listed(place, SETTINGS)
    assert (listing.benchmarks, listing.broken) == (again.benchmarks, again.broken)
    assert "ABBCDE" + "BBCDE" == (place.tree / "visits").read_text()


CUT = """package p

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func visit(name string) {
	text, _ := os.ReadFile("visits")
	os.WriteFile("visits", append(text, name...), 0o644)
	if deadly, _ := os.ReadFile("deadly"); strings.Contains(string(deadly), name) {
		os.WriteFile("deadly", []byte(strings.Replace(string(deadly), name, "", 1)), 0o644)
		// What the driver has not read yet is lost with it.
		for paths, _ := filepath.Glob("../binaries/*.output"); ; time.Sleep(time.Millisecond) {
			if read, _ := os.ReadFile(paths[0]); strings.Contains(string(read), name+"\\n") {
				break
			}
		}
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	}
}

func BenchmarkP(b *testing.B) {
	for _, part := range []string{"1", "2", "3"} {
		b.Run(part, func(b *testing.B) { visit(part) })
	}
}
"""
REST = """
func BenchmarkA(b *testing.B) { visit("A") }
func BenchmarkB(b *testing.B) { visit("B"); b.Fatal("no") }
func BenchmarkC(b *testing.B) { visit("C") }
"""


@pytest.mark.parametrize(
    ("rest", "deadly", "visits"),
    [
        (REST, "B", "123AB" + "BC"),
        (REST, "AC", "123A" + "ABC" + "C"),
        # Before another has come to its end, one with parts is visited by itself.
        (REST, "2", "12" + "123" + "ABC"),
        ("", "23", "12" + "23" + "3"),
        ("", "11", "1" + "1" + "123"),
    ],
)
def test_a_listing_that_was_cut_short_goes_on_where_it_was(
    tmp_path: Path, rest: str, deadly: str, visits: str
) -> None:
    """What had come to its end is not executed again, and nothing is lost, however often that happens."""
    place = written(
        workspace(tmp_path), {"go.mod": "module p\n\ngo 1.22\n", "p_test.go": CUT + rest, "deadly": deadly}
    )
    assert prepared(place, SETTINGS).exit_code == 0
    for _ in deadly:
        with pytest.raises(ControlFailedError):
            listed(place, SETTINGS)
    listing = listed(place, SETTINGS)
    expected = [f"p.Benchmark{name}" for name in ("P/1", "P/2", "P/3", *("AC" if rest else ""))]
    assert expected == [benchmark.id for benchmark in listing.benchmarks]
    assert (["p.BenchmarkB"] if rest else []) == [broken.id for broken in listing.broken]
    assert visits == (place.tree / "visits").read_text()
    assert set(expected) == set(listing.durations_s)


SLOW_PARTS = """package p

import (
	"testing"
	"time"
)

func BenchmarkA(b *testing.B) {
	for _, part := range []string{"one", "two/x", "two/y", "hangs", "three", "four"} {
		b.Run(part, func(b *testing.B) {
			if part == "hangs" {
				time.Sleep(time.Hour)
			}
			time.Sleep(400 * time.Millisecond)
		})
	}
}
"""


def test_listing_takes_no_longer_than_a_benchmark_may(tmp_path: Path) -> None:
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n"})
    command = SUITE.discover(place, replace(settings(), longest_s=7.0))
    asked = json.loads(Path(command.argv[1]).read_text(encoding="utf-8"))
    assert (14.0, 7.0) == (asked["whole_limit_s"], asked["one_limit_s"])


def test_a_part_is_not_taken_for_hanging_because_those_before_it_were_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "WHOLE_LIMIT_S", 1.0)
    monkeypatch.setattr(plan, "ONE_LIMIT_S", 1.0)
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.22\n", "p_test.go": SLOW_PARTS})
    assert prepared(place, SETTINGS).exit_code == 0
    listing = listed(place, SETTINGS)
    assert [f"p.BenchmarkA/{part}" for part in ("one", "two/x", "two/y", "three", "four")] == [
        benchmark.id for benchmark in listing.benchmarks
    ]
    assert [("p.BenchmarkA/hangs", "not done after the limit of 1 s")] == [
        (broken.id, broken.reason) for broken in listing.broken
    ]


def test_of_a_benchmark_with_many_parts_that_hang_three_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of client_golang's 72 parts eight took longer than they may: each was waited for, all of a budget."""
    monkeypatch.setattr(plan, "WHOLE_LIMIT_S", 1.0)
    monkeypatch.setattr(plan, "ONE_LIMIT_S", 1.0)
    hanging = [f"hangs {number}" for number in range(5)]
    text = SLOW_PARTS.replace('part == "hangs"', "part[0] == 'h'")
    text = text.replace('"hangs"', ", ".join(f'"{part}"' for part in hanging))
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.22\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    listing = listed(place, SETTINGS)
    assert [f"p.BenchmarkA/{part}" for part in ("one", "two/x", "two/y")] == [
        benchmark.id for benchmark in listing.benchmarks
    ]
    *hung, whole = [broken.id for broken in listing.broken]
    assert [f"p.BenchmarkA/hangs_{number}" for number in range(3)] == hung
    assert whole == "p.BenchmarkA"
    assert "further parts are not looked for" in listing.broken[-1].reason


HANGING = """package p

import (
	"os"
	"testing"
	"time"
)

func BenchmarkA(b *testing.B) {}

func BenchmarkB(b *testing.B) {
	file, _ := os.OpenFile("begun", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	file.WriteString("b")
	file.Close()
	time.Sleep(time.Hour)
}

func BenchmarkC(b *testing.B) {}
"""


def test_what_hangs_costs_what_a_benchmark_may_take_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of bbolt one that fills a database for two minutes cost the time for all and its own: 180 s for 60."""
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.22\n", "p_test.go": HANGING})
    assert prepared(place, SETTINGS).exit_code == 0
    for limit_s, times in ((2.0, 1), (1.0, 1), (3.0, 2)):
        monkeypatch.setattr(plan, "ONE_LIMIT_S", limit_s)
        listing = listed(place, SETTINGS)
        assert ["p.BenchmarkA", "p.BenchmarkC"] == sorted(benchmark.id for benchmark in listing.benchmarks)
        assert [("p.BenchmarkB", True)] == [(broken.id, broken.overran) for broken in listing.broken]
        assert f"not done after the limit of {max(2.0, limit_s):g} s" == listing.broken[0].reason
        assert "b" * times == (place.tree / "begun").read_text()


def test_slow_parts_that_all_came_to_their_end_are_not_visited_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "WHOLE_LIMIT_S", 1.0)
    monkeypatch.setattr(plan, "ONE_LIMIT_S", 1.0)
    text = SLOW_PARTS.replace('"hangs", ', "")
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.22\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    first = listed(place, SETTINGS)
    assert (5, ()) == (len(first.benchmarks), first.broken)
    (listing,) = (place.root / "binaries").glob("*.listing.json")
    os.utime(listing, (0, 0))
    (package,) = json.loads((place.root / "binaries" / "packages.json").read_text())
    Path(package["binary"]).unlink()
    assert first == listed(place, SETTINGS)


def test_packages_whose_paths_end_alike_are_compiled_apart(tmp_path: Path) -> None:
    files = {"go.mod": "module p\n\ngo 1.21\n"}
    for folder in ("a/x", "b/x", "c/v2", "c/v2/c"):
        part = f'b.Run("{folder.replace("/", "")}", func(*testing.B) {{}})'
        files[f"{folder}/x_test.go"] = (
            f'package x\nimport "testing"\nfunc BenchmarkX(b *testing.B) {{ {part} }}\n'
        )
    place = written(workspace(tmp_path), files)
    assert prepared(place, SETTINGS).exit_code == 0
    assert {f"p/{path}.BenchmarkX/{path.replace('/', '')}" for path in ("a/x", "b/x", "c/v2", "c/v2/c")} == {
        benchmark.id for benchmark in listed(place, SETTINGS).benchmarks
    }


UNMEASURABLE = {
    "failures.BenchmarkFails": "fails: failures_test.go:23: the answer is wrong",
    "failures.BenchmarkPanics": "panic: the benchmark breaks (failures_test.go:34)",
    "failures.BenchmarkExits": "the benchmark ended its process with exit code 3",
    "failures.BenchmarkExitsAsIfAllWereWell": "panic: unexpected call to os.Exit(0) during test"
    " (failures_test.go:42)",
    "failures.BenchmarkIsKilled": "the benchmark's process was ended by a signal: killed",
    "failures.BenchmarkHangs": "not done after the limit of 1 s",
    "failures.BenchmarkHidesItsTime": "reports no ns/op, so that its time is not known",
    "failures.BenchmarkParts/fails": "fails: failures_test.go:73: part of BenchmarkParts/fails is wrong",
    "failures.BenchmarkFragile/panics": "panic: a part breaks (failures_test.go:79)",
    "failures.BenchmarkFragile/exits": "the benchmark ended its process with exit code 4",
    "leaving.BenchmarkNeverRun": "never begun: the process ended without it (does TestMain call m.Run?)",
    "startup.BenchmarkUnstarted": "never begun: panic: no database here (startup_test.go:6)",
    "unwritten.BenchmarkNobody": "does not compile: unwritten/unwritten_test.go:6:2:"
    " undefined: nobodyWroteThis",
    "unwritten.BenchmarkNothing": "does not compile: unwritten/unwritten_test.go:6:2:"
    " undefined: nobodyWroteThis",
}
RACES = ("failures.BenchmarkPanics", "failures.BenchmarkExitsAsIfAllWereWell")
ODD = [
    *("a_b", "x", "x/y", "[x]", "size-2", "size-2#01", "é", "#00", "a|b", "^.*$", "quote\"'", "tab_here"),
    *("\\x01", "a//b", "k=v/w-8"),
]


def test_every_benchmark_is_named_and_those_that_cannot_be_measured_say_why(failures: Workspace) -> None:
    discovery = listed(failures, replace(SETTINGS, longest_s=1.0))
    told = {broken.id.removeprefix(BROKEN + "/"): broken.reason for broken in discovery.broken}
    for name in RACES:
        # Go goes on while a benchmark panics, and may come to its end with success before the process breaks.
        if told[name] == "printed no result":
            told[name] = UNMEASURABLE[name]
    assert told == UNMEASURABLE
    assert [
        BROKEN + ".BenchmarkWorks",
        FAILURES + "FailsLater",
        FAILURES + "Skips",
        FAILURES + "TellsATimeOfItsOwn",
        *(f"{FAILURES}Parts/{part}" for part in ("good", "better")),
        *(f"{FAILURES}Fragile/{part}" for part in ("first", "second", "skips", "third")),
        *(f"{FAILURES}OddNames/{part}" for part in ODD),
        FAILURES + "Noisy",
        FAILURES + "LeavesAProcessBehind",
    ] == [benchmark.id for benchmark in discovery.benchmarks]


def test_a_benchmark_that_breaks_down_between_its_parts_is_named_as_a_whole(tmp_path: Path) -> None:
    text = 'package p\nimport "testing"\nfunc BenchmarkA(b *testing.B) {\n'
    text += 'b.Run("x", func(b *testing.B) {})\npanic("between")\n}\n'
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    discovery = listed(place, SETTINGS)
    assert ["p.BenchmarkA/x"] == [benchmark.id for benchmark in discovery.benchmarks]
    assert [("p.BenchmarkA", "breaks down outside its parts: panic: between (p_test.go:5)")] == [
        (broken.id, broken.reason) for broken in discovery.broken
    ]


def test_benchmarks_stay_on_one_processor_unless_they_are_given_more(tmp_path: Path) -> None:
    """On several at once calls get lost, and with them what they owe."""
    text = """package p

import (
	"runtime"
	"testing"
)

func BenchmarkA(b *testing.B) {
	if runtime.NumCPU() != 1 || runtime.GOMAXPROCS(0) != 1 {
		b.Fatal(runtime.GOMAXPROCS(0), " of ", runtime.NumCPU())
	}
}
"""
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    assert ["p.BenchmarkA"] == [benchmark.id for benchmark in listed(place, SETTINGS).benchmarks]
    asked = [block("b", "p.BenchmarkA", step(invocations=10))]
    assert [Status.OK] == [trial.status for trial in executed(place, SETTINGS, asked)]
    (broken,) = listed(place, settings(GOMAXPROCS="3")).broken
    assert f"fails: p_test.go:10: 3  of  {len(os.sched_getaffinity(0))}" == broken.reason


def test_gos_monitor_need_not_share_the_processor_of_a_benchmark(tmp_path: Path) -> None:
    """It is the second thread; beside the benchmark it would take a tenth of a short measurement."""
    text = """package p

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func BenchmarkA(b *testing.B) {
	var all []string
	for begun := time.Now(); time.Since(begun) < time.Second; time.Sleep(time.Millisecond) {
		all = all[:0]
		paths, _ := filepath.Glob("/proc/self/task/*/status")
		for _, path := range paths[:2] {
			text, _ := os.ReadFile(path)
			_, list, _ := strings.Cut(string(text), "Cpus_allowed_list:")
			all = append(all, strings.Fields(list)[0])
		}
		if all[0] != all[1] {
			break
		}
	}
	b.Fatal(all)
}
"""
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    (broken,) = listed(place, SETTINGS).broken
    allowed = sorted(os.sched_getaffinity(0))
    processors = re.fullmatch(r"fails: p_test\.go:\d+: \[(\d+) ([\d,-]+)\]", broken.reason)
    assert processors is not None
    assert str(allowed[-1]) == processors[1]
    # Where there is one processor only, all must share it.
    assert (len(allowed) > 1) is (processors[2] != processors[1])


def test_a_part_that_panics_is_told_from_the_one_that_was_begun_meanwhile(tmp_path: Path) -> None:
    """Go sends for the next part before the process breaks down; how far that comes is a matter of luck."""
    text = """package p

import (
	"testing"
	"time"
)

type slow struct{}

func (slow) Error() string {
	time.Sleep(100 * time.Millisecond)
	return "breaks"
}

func BenchmarkA(b *testing.B) {
	b.Run("x", func(b *testing.B) {})
	b.Run("breaks", func(b *testing.B) { panic(slow{}) })
	b.Run("y", func(b *testing.B) {})
	b.Run("z", func(b *testing.B) { time.Sleep(300 * time.Millisecond) })
}
"""
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": text})
    assert prepared(place, SETTINGS).exit_code == 0
    discovery = listed(place, SETTINGS)
    assert ["p.BenchmarkA/x", "p.BenchmarkA/y", "p.BenchmarkA/z"] == [
        benchmark.id for benchmark in discovery.benchmarks
    ]
    assert [("p.BenchmarkA/breaks", "panic: breaks (p_test.go:17)")] == [
        (broken.id, broken.reason) for broken in discovery.broken
    ]


def test_a_listing_that_was_cut_off_is_refused() -> None:
    cut_off = ended(-9, '{"record": "package"}\n', "no space left", timed_out=True)
    with pytest.raises(ControlFailedError, match=r"(?s)exit code -9.*no space left"):
        SUITE.discovery(cut_off)


def test_a_subject_of_which_nothing_compiles_fails_with_the_compilers_first_error(tmp_path: Path) -> None:
    files = {"go.mod": "module p\n\ngo 1.21\n"}
    for name in ("a", "b"):
        files[f"{name}/{name}_test.go"] = (
            f'package {name}\nimport "testing"\nfunc Benchmark{name.upper()}(b *testing.B) {{ gone() }}\n'
        )
    execution = prepared(written(workspace(tmp_path), files), SETTINGS)
    assert execution.exit_code == 1
    assert execution.log.splitlines() == ["p/a: does not compile: a/a_test.go:3:33: undefined: gone"]


def test_only_the_paths_that_are_asked_for_are_built(tmp_path: Path) -> None:
    place = workspace(tmp_path, "go_bench")
    own = replace(SETTINGS, paths=("shelf",))
    assert prepared(place, own).exit_code == 0
    assert ["example.com/wordbook/shelf.BenchmarkPush"] == [
        benchmark.id for benchmark in listed(place, own).benchmarks
    ]


WORLDLY = """package p

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("WORLD") != "flat" {
		panic("what world is this?")
	}
	os.Exit(m.Run())
}

func BenchmarkReadsItsData(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := os.ReadFile("testdata/world.txt"); err != nil {
			b.Fatal(err)
		}
	}
}
"""
LOOPING = """//go:build go1.24

package p

import "testing"

func BenchmarkLoops(b *testing.B) {
	Prepare()
	for b.Loop() {
		Work()
	}
}
"""
WORK = """package p

func Prepare() { Work() }

func Work() {}
"""


EMPTY = """

package p

import "testing"

func Benchmark%s(b *testing.B) {}
"""
BEHIND_TAGS = {
    "p/slow_test.go": "//go:build slow && !windows" + EMPTY % "Slow",
    "p/odd_test.go": "// +build odd,quick" + EMPTY % "Odd",
    "p/either_test.go": "//go:build !flat && (deep || round)" + EMPTY % "ReadsItsData",
    "p/elsewhere_test.go": "//go:build windows && slow" + EMPTY % "Elsewhere",
    "p/by_hand_test.go": "//go:build ignore" + EMPTY % "ByHand",
    "q/q.go": "package q\n",
    "q/only_test.go": "//go:build !flat && (deep || round)"
    + EMPTY.replace("package p", "package q") % "Only",
    # Folders that `./...` skips: nothing is compiled in the one, and nothing looked at in the others.
    "r/r_test.go": "//go:build far" + EMPTY.replace("package p", "package r") % "Far",
    "_apart/go.mod": "module example.org/apart\n",
    "_apart/in/a_test.go": "package in" + EMPTY.replace("package p", "") % "Apart",
    "testdata/r_test.go": "//go:build far" + EMPTY % "Data",
}


def test_test_data_main_functions_environment_and_loops_are_honoured(tmp_path: Path) -> None:
    files = {"p/p_test.go": WORLDLY, "p/testdata/world.txt": "flat", "go.mod": "module m\n\ngo 1.21\n"}
    files |= {"p/loop_test.go": LOOPING, "p/p.go": WORK, **BEHIND_TAGS}
    place, own = written(workspace(tmp_path), files), settings(WORLD="flat")
    probed(place, ["m/p.Work", "m/p.Prepare"])
    assert prepared(place, own).exit_code == 0
    discovery = listed(place, own)
    assert discovery.broken == ()
    # Loops came with 1.24.
    loops = (version_of(Path(shutil.which(go()) or "")) or (9, 9)) >= (1, 24)
    names = ["m/p.BenchmarkReadsItsData", *(["m/p.BenchmarkLoops"] if loops else [])]
    assert sorted(names) == sorted(benchmark.id for benchmark in discovery.benchmarks)
    needed = {left.id: left.reason.removeprefix("needs ").split(" in ")[0] for left in discovery.left_out}
    assert needed == {
        "example.org/apart/in.BenchmarkApart": 'paths = [".", "_apart"]',
        "m/r.BenchmarkFar": 'GOFLAGS = "-tags=far"',
        "m/p.BenchmarkSlow": 'GOFLAGS = "-tags=slow"',
        "m/p.BenchmarkOdd": 'GOFLAGS = "-tags=odd,quick"',
        "m/q.BenchmarkOnly": 'GOFLAGS = "-tags=deep"',
    }
    count = arm(Mode.COUNT, "m/p.Work", "m/p.Prepare")
    steps = [step(count, invocations=number, iterations=1, warmup=0) for number in (2, 3, 102)]
    for name in names:
        trials = executed(place, own, [block(name, name, *steps)])
        assert {(Status.OK, "")} == set(outcome(trials))
        two, three, many = map(calls, trials)
        wanted = (1, 100) if name.endswith("Loops") else (0, 0)
        assert wanted == (three["m/p.Work"] - two["m/p.Work"], many["m/p.Work"] - two["m/p.Work"])
        assert two["m/p.Prepare"] == many["m/p.Prepare"]
        for trial in trials:
            assert trial.tally is not None
            prepare = trial.tally.of("m/p.Prepare")
            longest_s = prepare.longest_s or 0.0
            assert (longest_s > 0.0) == (prepare.setup_calls > 0)
            assert longest_s < trial.wall_s


def test_blocks_are_executed_in_the_order_given_however_often_a_benchmark_comes_up(book: Workspace) -> None:
    names = [EXPECTED["benchmarks"][number] for number in (6, 0, 0, 6)]
    trials = executed(book, SETTINGS, [block(str(number), name) for number, name in enumerate(names)])
    assert [("0", 0), ("1", 0), ("2", 0), ("3", 0)] == [(trial.block, trial.position) for trial in trials]
    assert {(Status.OK, "")} == set(outcome(trials))


def test_the_asked_number_of_values_comes_without_those_of_the_warm_up(book: Workspace) -> None:
    (trial,) = executed(
        book, SETTINGS, [block("b", BOOK + "BenchmarkIndex", step(invocations=20, iterations=4, warmup=2))]
    )
    assert (20, 4) == (trial.invocations, len(trial.values))
    assert all(1e-7 < value < 1e-2 for value in trial.values)
    assert trial.tally is None


SETTING_UP = """package p

import (
	"testing"
	"time"
)

func prepare() { time.Sleep(60 * time.Millisecond) }

func BenchmarkParts(b *testing.B) {
	prepare()
	b.Run("part", func(b *testing.B) {})
}

func BenchmarkBefore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		prepare()
	}
	b.ResetTimer()
}

func BenchmarkEach(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		prepare()
		b.StartTimer()
	}
}
"""


def test_what_is_set_up_before_all_invocations_is_told_from_what_each_may_be_set_up_with(
    tmp_path: Path,
) -> None:
    place = written(workspace(tmp_path), {"go.mod": "module p\n\ngo 1.21\n", "p_test.go": SETTING_UP})
    assert prepared(place, SETTINGS).exit_code == 0
    steps = [step(invocations=number, iterations=1, warmup=0) for number in (1, 3)]
    least_s = {"Parts/part": (0.06, 0.0), "Before": (0.0, 0.06), "Each": (0.0, 0.06)}
    for name, (outside_s, each_s) in least_s.items():
        for trial in executed(place, SETTINGS, [block("b", f"p.Benchmark{name}", *steps)]):
            assert trial.outside_s > outside_s
            assert trial.inside_s > each_s * trial.invocations


def test_a_number_of_invocations_worth_the_wanted_time_is_found(book: Workspace) -> None:
    wanted = Step(arm=UNPROBED, invocations=None, target_s=0.01, iterations=1, warmup=0)
    several = replace(wanted, iterations=3, target_s=0.002)
    names = (BOOK + "BenchmarkChatty", BOOK + "BenchmarkIndex")
    trials = executed(book, SETTINGS, [block(name, name, wanted, several) for name in names])
    assert [1, 3, 1, 3] == [len(trial.values) for trial in trials]
    assert all(
        0.005 < trial.values[0] * trial.invocations < 0.2 for trial in trials if len(trial.values) == 1
    )


BAD = {
    "Fails": ("failed", "the benchmark fails: failures_test.go:23: the answer is wrong"),
    "FailsLater": ("failed", "the benchmark fails: failures_test.go:29: only once"),
    "Panics": ("failed", "panic: the benchmark breaks (failures_test.go:34)"),
    "Exits": ("failed", "the benchmark ended its process with exit code 3"),
    "ExitsAsIfAllWereWell": (
        "failed",
        "panic: unexpected call to os.Exit(0) during test (failures_test.go:42)",
    ),
    "IsKilled": ("failed", "the benchmark's process was ended by a signal: killed"),
    "Hangs": ("timed-out", "not done after the limit of 0.3 s"),
    "HidesItsTime": (
        "failed",
        "expected 2 values of ns/op, found 0: its time is hidden, or it printed some itself",
    ),
    "UnheardOf": ("missing", "the suite has no such benchmark"),
    "Parts/17": (
        "failed",
        "no benchmark of this name was executed: it skips itself here, or its name holds what changes with "
        "each process, such as a random number",
    ),
}


@pytest.fixture(scope="module")
def failed_trials(failures: Workspace) -> list[Trial]:
    bad = [block(name, FAILURES + name, step(warmup=0), step(warmup=0), limit_s=0.3) for name in BAD]
    return executed(failures, SETTINGS, [*bad, block("good", BROKEN + ".BenchmarkWorks")])


@pytest.mark.parametrize("name", BAD)
def test_a_failure_gives_each_of_its_steps_one_record_with_the_reason(
    failed_trials: list[Trial], name: str
) -> None:
    own = [trial for trial in failed_trials if trial.block == name]
    assert [(Status(BAD[name][0]), BAD[name][1])] * 2 == outcome(own)


def test_after_failures_of_all_kinds_the_next_benchmark_is_measured(failed_trials: list[Trial]) -> None:
    """GoABS silently left out for good what had failed once (defect 15)."""
    assert Status.OK is failed_trials[-1].status


def test_what_did_not_compile_and_what_is_not_there_say_so(failures: Workspace) -> None:
    trials = executed(
        failures,
        SETTINGS,
        [block("1", BROKEN + "/unwritten.BenchmarkNobody"), block("2", BROKEN + "/gone.BenchmarkX")],
    )
    assert [
        (Status.FAILED, UNMEASURABLE["unwritten.BenchmarkNobody"]),
        (Status.MISSING, "the suite has no such benchmark"),
    ] == outcome(trials)


@pytest.mark.parametrize(
    "asked", [step(invocations=None), step(arm(Mode.COUNT, INDEX), invocations=1)], ids=["time", "calls"]
)
def test_a_benchmark_that_skips_itself_is_skipped_with_its_reason(failures: Workspace, asked: Step) -> None:
    trials = executed(failures, SETTINGS, [block("b", FAILURES + "Skips", asked)])
    assert [(Status.SKIPPED, "failures_test.go:55: not on this machine")] == outcome(trials)


def test_odd_names_select_exactly_themselves(failures: Workspace) -> None:
    names = [f"{FAILURES}OddNames/{part}" for part in ODD]
    trials = executed(failures, SETTINGS, [block(name, name) for name in names])
    assert [(name, Status.OK) for name in names] == [(trial.block, trial.status) for trial in trials]


def test_megabytes_of_noise_that_promise_times_hide_no_result(failures: Workspace) -> None:
    noisy = step(invocations=20000, iterations=2, warmup=0)
    (trial,) = executed(failures, SETTINGS, [block("b", FAILURES + "Noisy", noisy)])
    assert (Status.OK, 20000, 2) == (trial.status, trial.invocations, len(trial.values))


def test_a_time_of_a_benchmarks_own_is_its_time(failures: Workspace) -> None:
    (trial,) = executed(failures, SETTINGS, [block("b", FAILURES + "TellsATimeOfItsOwn")])
    assert (123456e-9,) * 2 == trial.values


def test_a_process_left_behind_is_not_waited_for(failures: Workspace) -> None:
    (trial,) = executed(failures, SETTINGS, [block("b", FAILURES + "LeavesAProcessBehind")])
    assert (Status.OK, True) == (trial.status, trial.wall_s < 20)


def test_calls_grow_with_the_invocations_and_set_up_does_not(book: Workspace) -> None:
    count = arm(Mode.COUNT, INDEX, LOAD)
    steps = [step(count, invocations=number, iterations=1, warmup=0) for number in (2, 3, 102)]
    trials = executed(book, SETTINGS, [block("b", BOOK + "BenchmarkIndex", *steps)])
    two, three, many = map(calls, trials)
    assert (1, 100) == (three[INDEX] - two[INDEX], many[INDEX] - two[INDEX])
    assert two[LOAD] == three[LOAD] == many[LOAD] == 0
    set_up = {made.tally.methods[LOAD].setup_calls for made in trials if made.tally}
    assert len(set_up) == 1
    assert 0 not in set_up


def test_more_methods_than_a_variable_of_the_environment_holds_are_asked_for(book: Workspace) -> None:
    """All methods of cel-go are: none of its benchmarks was started."""
    count = arm(
        Mode.COUNT, *(f"example.com/wordbook.{'Unheard' * 9}{number}" for number in range(2500)), INDEX
    )
    control = arm(Mode.CONTROL, *count.methods)
    alone, joint = (
        block(
            name,
            BOOK + "BenchmarkIndex",
            *(step(each, invocations=8, iterations=1, warmup=0) for each in arms),
        )
        for name, arms in {"alone": [count], "joint": [control, UNPROBED]}.items()
    )
    counted, controlled, _ = executed(book, SETTINGS, [alone, joint])
    assert calls(counted)[INDEX] >= 8
    assert calls(controlled)[INDEX] >= 8


def test_the_probe_is_counted_behind_a_type_parameter_and_in_parallel(book: Workspace) -> None:
    lookup = BOOK + "(*Book).Lookup"
    steps = [
        step(arm(Mode.COUNT, PUSH, lookup), invocations=number, iterations=1, warmup=0) for number in (2, 12)
    ]
    push = executed(book, SETTINGS, [block("b", "example.com/wordbook/shelf.BenchmarkPush", *steps)])
    assert 400 == calls(push[1])[PUSH] - calls(push[0])[PUSH]
    parallel = executed(book, SETTINGS, [block("b", BOOK + "BenchmarkLookupParallel", *steps)])
    assert 10 == calls(parallel[1])[lookup] - calls(parallel[0])[lookup]


def test_each_step_has_its_own_arm_and_tally(book: Workspace) -> None:
    own = [arm(Mode.CONTROL, INDEX), arm(Mode.DELAY, INDEX, slowed=INDEX), arm(Mode.TIME, INDEX), UNPROBED]
    steps = [step(own_arm, invocations=2000, iterations=1, warmup=0) for own_arm in own]
    blocks = [block(f"{number}", BOOK + "BenchmarkIndex", *steps) for number in range(5)]
    trials = executed(book, SETTINGS, blocks)
    control, delay, timed, off = trials[:4]
    assert off.tally is None
    assert control.tally is not None
    assert delay.tally is not None
    assert timed.tally is not None
    assert (2002, 1001) == (control.tally.methods[INDEX].calls, control.tally.methods[INDEX].batches)
    assert 0.0 == control.tally.methods[INDEX].injected_s
    # 2002 calls are delayed by 1 µs each, for longer where one loses the processor meanwhile.
    injected_s = min(
        trial.tally.methods[INDEX].injected_s for trial in trials[1::4] if trial.tally is not None
    )
    assert 2e-3 == pytest.approx(injected_s, rel=0.2)
    assert 0 < timed.tally.methods[INDEX].timed_s <= 2.5 * 2000 * timed.values[0]
    assert 1 == len({trial.tally.build_id for trial in (control, delay, timed) if trial.tally})


def test_the_stack_tells_methods_of_the_timed_region_from_set_up(book: Workspace) -> None:
    sample = step(arm(Mode.SAMPLE, INDEX, LOAD), invocations=40_000, iterations=1, warmup=0)
    push = step(arm(Mode.SAMPLE, PUSH), invocations=300_000, iterations=1, warmup=0)
    benchmarks = (BOOK + "BenchmarkIndex", sample), ("example.com/wordbook/shelf.BenchmarkPush", push)
    blocks = [block(name, name, asked) for name, asked in benchmarks]
    index, generic = (trial.tally for trial in executed(book, SETTINGS, blocks))
    assert index is not None
    assert generic is not None
    assert index.samples >= 10
    assert index.methods[INDEX].samples >= 0.7 * index.samples
    assert 0 == index.methods[LOAD].samples
    assert generic.methods[PUSH].samples >= 0.7 * generic.samples > 7
    assert 1 == len({index.build_id, generic.build_id} - {""})


def test_what_another_goroutine_does_may_be_what_a_method_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(number: int, *functions: str) -> pprof.Stack:
        return pprof.Stack(functions=frozenset(functions), labels={"abs-audit": "timed"}, number=number)

    asking = found(3, "p.Ask", "runtime.chansend1", "testing.(*B).runN")
    parallel = found(5, "p.Handle", "testing.(*B).RunParallel.func1")
    handling = found(90, "p.Handle", "p.NewWorker.func1")
    scheduling = found(2, "runtime.schedule", "runtime.mcall")
    monkeypatch.setattr(pprof, "stacks", lambda _profile: [asking, parallel, handling, scheduling])
    tally = sampled("id", ["p.Ask", "p.Handle"], b"", 0.4)
    assert 0.004 == pytest.approx(tally.sample_s)
    told = tally.methods
    assert (3, 90) == (told["p.Ask"].samples, told["p.Ask"].samples_outside)
    assert (95, 0) == (told["p.Handle"].samples, told["p.Handle"].samples_outside)


def test_a_generic_function_is_found_whatever_types_it_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [
        "g%2ev1.F[go.shape.[]uint8]",
        "g%2ev1.F[go.shape.map[string][4]int,go.shape.int]",
        "g%2ev1.F[...]",
    ]
    functions = [frozenset({name, "testing.(*B).runN"}) for name in names]
    found = [pprof.Stack(functions=both, labels={"abs-audit": "timed"}, number=1) for both in functions]
    monkeypatch.setattr(pprof, "stacks", lambda _profile: found)
    assert 3 == sampled("id", ["g.v1.F"], b"", 1.0).methods["g.v1.F"].samples


def test_a_method_of_a_value_is_found_as_well_where_it_is_asked_for_as_one_of_a_pointer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`(*T).M` is accepted for what is written with a value receiver; a stack names it as it is written."""
    functions = frozenset({"g/v2.set[go.shape.int].Remove", "testing.(*B).runN"})
    found = pprof.Stack(functions=functions, labels={"abs-audit": "timed"}, number=1)
    monkeypatch.setattr(pprof, "stacks", lambda _profile: [found])
    asked = ("g/v2.(*set).Remove", "g/v2.set.Remove")
    assert [1, 1] == [sampled("id", [name], b"", 1.0).methods[name].samples for name in asked]


def test_a_method_of_the_same_name_is_another_types_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """goldmark's parsers all have a `Continue`: those that no look found were open for the others'."""
    written = frozenset({"g/v2.(*Selection).Attr", "g/v2.Attr", "testing.(*B).runN"})
    found = pprof.Stack(functions=written, labels={"abs-audit": "timed"}, number=50)
    monkeypatch.setattr(pprof, "stacks", lambda _profile: [found])
    asked = ("g/v2.(*Document).Attr", "g/v2.(*Selection).Attr", "g/v2.(*Document).Text", "g/v2.Text")
    told = sampled("id", asked, b"", 1.0).methods
    assert [(0, 0), (50, 0), (0, 0), (0, 0)] == [
        (told[name].samples, told[name].samples_outside) for name in asked
    ]


def test_a_profile_that_cannot_be_read_makes_its_step_fail() -> None:
    records = [json.loads(line) for line in STEPS.read_text().splitlines()]
    asked = [block("first", BOOK + "BenchmarkIndex", step(), step(arm(Mode.SAMPLE, INDEX)))]
    records[1]["profile"] = "AAAA"
    (trial,) = SUITE.trials(asked, json.dumps(records[1]) + "\n")
    assert (Status.FAILED, True) == (trial.status, "expected a gzipped profile" in trial.reason)


def test_a_binary_without_a_probe_has_called_nothing_rather_than_left_no_tally(tmp_path: Path) -> None:
    place = workspace(tmp_path, "go_bench")
    patch = probed(place, [INDEX])
    assert prepared(place, SETTINGS).exit_code == 0
    count = step(arm(Mode.COUNT, INDEX), warmup=0)
    index, push = executed(
        place,
        SETTINGS,
        [
            block("1", BOOK + "BenchmarkIndex", count),
            block("2", "example.com/wordbook/shelf.BenchmarkPush", count),
        ],
    )
    assert index.tally is not None
    assert (patch.build_id, {INDEX: 0}) == (index.tally.build_id, calls(push))


def test_the_filter_selects_just_the_benchmarks_that_it_was_made_of(failures: Workspace) -> None:
    wanted = [f"{FAILURES}OddNames/{part}" for part in ("a|b", "^.*$", "size-2", "x/y")]
    wanted += [FAILURES + "TellsATimeOfItsOwn"]
    pattern = SUITE.filter(wanted)
    packages = json.loads((failures.root / "binaries" / "packages.json").read_text())
    (binary,) = [package["binary"] for package in packages if package["path"] == split(wanted[0])[0]]
    arguments = [binary, "-test.run=^$", f"-test.bench={pattern}", "-test.benchtime=1x", "-test.cpu=1"]
    printed = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    # With one processor nothing stands behind a name.
    names = {f"{BROKEN}/failures.{result.printed}" for result in parse(printed)}
    assert set(wanted) == names


def test_a_suite_is_detected_by_the_benchmarks_that_go_itself_would_find(tmp_path: Path) -> None:
    (tmp_path / "vendor").mkdir()
    text = "package p\n\nfunc BenchmarkA(b *testing.B) {}\n"
    (tmp_path / "vendor" / "a_test.go").write_text(text)
    (tmp_path / "a.go").write_text(text)
    (tmp_path / "b_test.go").write_text("package p\n\nfunc Benchmarks(b *testing.B) {}\nfunc TestA() {}\n")
    assert not SUITE.detect(tmp_path)
    (tmp_path / "a_test.go").write_text(text)
    assert SUITE.detect(tmp_path)


def test_the_driver_is_formatted_and_vetted() -> None:
    environment = {**os.environ, "GOWORK": "off", "GOFLAGS": ""}

    def said(*arguments: str) -> str:
        return subprocess.run(
            arguments, cwd=plan.SOURCES, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert said(gofmt(), "-l", ".") == ""
    said(go(), "vet", ".")


def test_import_path_and_name_of_an_id_are_told_apart() -> None:
    assert ("gopkg.in/yaml.v3", "BenchmarkA/b.BenchmarkC") == split(
        "gopkg.in/yaml.v3.BenchmarkA/b.BenchmarkC"
    )


RECORDED = [
    block("first", BOOK + "BenchmarkIndex", step(iterations=2, warmup=1), step(arm(Mode.CONTROL, INDEX))),
    block("second", FAILURES + "Panics"),
]


def test_recorded_steps_are_read_without_a_toolchain() -> None:
    first, control, second = SUITE.trials(RECORDED, STEPS.read_text())
    assert (Status.OK, 2, (5.1e-06, 4.9e-06)) == (first.status, first.invocations, first.values)
    assert (Status.FAILED, "panic: the benchmark breaks") == (second.status, second.reason)
    assert control.tally is not None
    assert ("0123456789abcdef", 9) == (control.tally.build_id, control.tally.methods[INDEX].calls)


def test_a_tally_that_cannot_be_read_makes_its_step_fail() -> None:
    text = STEPS.read_text().replace('\\"calls\\":9', '\\"calls\\":')
    assert "the probe's tally cannot be read" in SUITE.trials(RECORDED, text)[1].reason


def test_a_step_of_a_probed_binary_without_a_tally_has_none() -> None:
    records = [json.loads(line) for line in STEPS.read_text().splitlines()]
    records[1]["tally"] = ""
    assert SUITE.trials(RECORDED, json.dumps(records[1]) + "\n")[0].tally is None


@pytest.mark.parametrize("printed", ["0 ns/op", "-5 ns/op", "NaN ns/op", "+Inf ns/op", "5 ns"])
def test_a_time_that_cannot_be_makes_its_step_fail(printed: str) -> None:
    text = STEPS.read_text().splitlines()[0].replace("5100 ns/op", printed)
    assert Status.FAILED is SUITE.trials(RECORDED, text + "\n")[0].status


def test_records_that_were_cut_off_or_belong_elsewhere_are_no_trials() -> None:
    text = STEPS.read_text()
    assert 2 == len(SUITE.trials(RECORDED, text[: text.rindex('"wall_s"')]))
    with pytest.raises(MismatchError, match="a step of the blocks at hand"):
        SUITE.trials(RECORDED[1:], text)
    with pytest.raises(MismatchError, match="expected a JSON record"):
        SUITE.trials(RECORDED, "PASS\n" + text)
