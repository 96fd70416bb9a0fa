"""Go stubs for one method of each kind: as recorded, without complaint from go, and calling the method."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.go.stubs.bench_stubs import GoBenchStubs
from abs_audit.model.experiment import Mode
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.subject import Benchmark, SourceTree
from tests.support.go_subjects import executed, listed, prepared, probed, settings, workspace, written
from tests.support.golden import check
from tests.support.python_subjects import arm, block, step
from tests.support.toolchains import go, gofmt

HERE = Path(__file__).parent
PANTRY = HERE.parents[3] / "fixtures" / "stubs" / "go_pantry"
TREE: SourceTree = {
    path.relative_to(PANTRY).as_posix(): path.read_text()
    for path in sorted(PANTRY.rglob("*"))
    if path.name.endswith((".go", "go.mod"))
}
PATH = "example.com/pantry."
JARS = "example.com/pantry/jars."
SEEN = (
    *(f"{PATH}(*Pantry).{name}" for name in ("Find", "Order", "Load", "Shout")),
    *(f"{PATH}{name}" for name in ("New", "Repeat", "Sum", "(*Cellar).Find")),
    *(f"{JARS}(*Jar).{name}" for name in ("Add", "At", "Count")),
)
MADE_UP = (
    *(f"{PATH}(*Pantry).{name}" for name in ("Store", "Audit", "Visit")),
    *(f"{PATH}{name}" for name in ("Spring.Weigh", "Largest", "(*Cellar).Store")),
    *(f"{JARS}{name}" for name in ("NewLid", "(*Lid).Fits")),
)
SKELETONS = {
    f"{PATH}(*Sealed).Open": "a value of type Sealed",
    f"{PATH}Nested": "argument 1, of type chan<- func() complex128",
    f"{PATH}(*Pantry).Serve": "what ends it, as tests call it in goroutines of its own",
    f"{PATH}Scale.Weigh": "its definition",
}
CALLS = 3


def stub(
    method: str,
    *arguments: str,
    tree: SourceTree = TREE,
    failed: frozenset[str] = frozenset(),
    existing: Sequence[str] = (),
) -> Stub:
    benchmarks = tuple(Benchmark(id=name, parameters={}) for name in existing)
    request = StubRequest(method=method, arguments=arguments, existing=benchmarks, failed=failed)
    return GoBenchStubs().stub(tree, request)


def module(**files: str) -> SourceTree:
    """Return a module of one package: name of a file → text."""
    return {"go.mod": "module m\n\ngo 1.24\n", **{f"{name}.go": text for name, text in files.items()}}


def body(made: Stub) -> str:
    """Return what a stub's function does."""
    return made.text.partition("testing.B) {\n")[2]


def test_a_stub_of_each_kind_reads_as_recorded(request: pytest.FixtureRequest) -> None:
    accept = bool(request.config.getoption("--accept-golden"))
    stubs = [stub(method) for method in (*SEEN, *MADE_UP, *SKELETONS)]
    shown = "\n\n".join(
        f"### {stub.path}\n### {stub.benchmark}\n### {stub.reason}\n{stub.text}" for stub in stubs
    )
    check(HERE / "recorded" / "go.txt", shown, accept=accept)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, Trial]]:
    """Execute every stub in a probed copy with two numbers of invocations, its own method's calls counted."""
    place = workspace(tmp_path_factory.mktemp("pantry"))
    own = settings()
    stubs = [stub(method) for method in (*SEEN, *MADE_UP, *SKELETONS)]
    written(place, {**TREE, **{stub.path: stub.text for stub in stubs}})
    checked = subprocess.run(
        [go(), "vet", "./..."], cwd=place.tree, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    badly = subprocess.run([gofmt(), "-d", "."], cwd=place.tree, capture_output=True, text=True, check=False)
    assert badly.stdout == ""
    assert probed(place, (*SEEN, *MADE_UP)).skipped == ()
    assert prepared(place, own).exit_code == 0
    names = {benchmark.id for benchmark in listed(place, own).benchmarks}
    assert names.issuperset({stub.benchmark for stub in stubs if stub.benchmark})
    numbers = (CALLS, 2 * CALLS)
    blocks = [
        block(
            stub.method,
            stub.benchmark or "",
            *(step(arm(Mode.COUNT, stub.method), invocations=n, iterations=1, warmup=0) for n in numbers),
        )
        for stub in stubs
        if stub.benchmark
    ]
    trials: dict[str, dict[int, Trial]] = {}
    for trial in executed(place, own, blocks):
        trials.setdefault(trial.block, {})[trial.invocations or 0] = trial
    return trials


@pytest.mark.parametrize("method", [*SEEN, *MADE_UP])
def test_each_invocation_of_a_stub_calls_its_method_once(
    counted: dict[str, dict[int, Trial]], method: str
) -> None:
    few, many = counted[method][CALLS], counted[method][2 * CALLS]
    assert {(trial.status, trial.reason) for trial in (few, many)} == {(Status.OK, "")}
    assert few.tally is not None
    assert many.tally is not None
    assert many.tally.methods[method].calls - few.tally.methods[method].calls == CALLS


@pytest.mark.parametrize("method", MADE_UP)
def test_made_up_values_are_marked(method: str) -> None:
    made = stub(method)
    assert made.benchmark is not None
    assert "made up" in made.reason
    assert "made up" in made.text


@pytest.mark.parametrize("method", SEEN)
def test_what_the_tests_of_the_package_show_is_not_made_up(method: str) -> None:
    assert stub(method).reason == ""


@pytest.mark.parametrize("method", SKELETONS)
def test_a_benchmark_that_cannot_be_written_says_what_is_missing(method: str) -> None:
    made = stub(method)
    assert made.benchmark is None
    assert f"how to call {method}: fill in {SKELETONS[method]}" in made.reason
    assert re.search(r'b\.Skip\("fill in .*, then call ', made.text)


def test_recorded_arguments_come_before_made_up_ones() -> None:
    method = f"{PATH}(*Pantry).Store"
    assert 'pantry.Store("figs", -2)' in stub(method, '"figs", -2', '"nuts", 3').text
    assert stub(method, '"figs", -2').reason == ""


def test_arguments_of_tests_come_before_recorded_ones() -> None:
    assert 'pantry.Find("tea")' in stub(f"{PATH}(*Pantry).Find", '"figs"').text


@pytest.mark.parametrize(
    "recorded", ['"figs"', '"figs", 2, 3', '"figs", +Inf', '"figs", os.Exit(1)', '"figs", ', '"a"), f("b", 1']
)
def test_recorded_arguments_that_are_no_list_of_literals_for_the_method_are_passed_over(
    recorded: str,
) -> None:
    assert 'pantry.Store("example", 7)' in stub(f"{PATH}(*Pantry).Store", recorded).text


LIBRARY = "package m\n\ntype Box struct{ n int }\n\nfunc (box *Box) Put(n int) int { return box.n + n }\n"


def with_test(*lines: str, name: str = "TestPut") -> SourceTree:
    """Return a library whose only test has these lines."""
    inside = "\n".join(f"\t{line}" for line in lines)
    text = f'package m\n\nimport "testing"\n\nfunc {name}(t *testing.T) {{\n{inside}\n}}\n'
    return module(box=LIBRARY, box_test=text)


def test_assertions_stay_behind_and_changes_come_along() -> None:
    tree = with_test(
        *("box := &Box{}", "defer use(box)", "box.n = 4", "other := 5", "check(t, box)", "use(box)"),
        *("if other > 3 {", "\tbox.n++", "}", "if box.Put(3) != 7 {", "\tt.Fatal(other)", "}"),
    )
    tree = {**tree, "use_test.go": "package m\n\nfunc use(box *Box) {}\n"}
    made = body(stub("m.(*Box).Put", tree=tree))
    kept = ["box := &Box{}", "box.n = 4", "other := 5", "use(box)", "if other > 3 {", "\tbox.n++", "}"]
    assert made.splitlines()[:8] == [*(f"\t{line}" for line in kept), "\tb.ResetTimer()"]


def test_a_failing_set_up_fails_the_benchmark() -> None:
    library = LIBRARY + "\nfunc Open(n int) (*Box, error) { return &Box{n: n}, nil }\n"
    lines = "box, err := Open(2)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tbox.Put(1)"
    test = f'package m\n\nimport "testing"\n\nfunc TestPut(t *testing.T) {{\n\t{lines}\n}}\n'
    made = stub("m.(*Box).Put", tree=module(box=library, box_test=test))
    assert body(made).startswith("\tbox, err := Open(2)\n\tif err != nil {\n\t\tb.Fatal(err)\n\t}\n")


@pytest.mark.parametrize(
    "lines",
    [
        ("box := &Box{}", "visit(func(n int) { box.Put(n) })"),
        ("visit(func(box *Box) { box.Put(9) })",),
        ("box := &Box{n: unknown}", "box.Put(9)"),
        ("box := &Box{}", "box.Put(func() int { t.Fatal(); return 9 }())"),
        ("defer func() { _ = recover() }()", "var box *Box", "go box.Put(9)", "{ box := Box{}; _ = box }"),
    ],
)
def test_a_call_that_does_not_stand_alone_is_not_copied(lines: tuple[str, ...]) -> None:
    text = stub("m.(*Box).Put", tree=with_test(*lines)).text
    assert "Put(n)" not in text
    assert "unknown" not in text
    assert "Fatal" not in text
    assert "It is called as in" not in text


def test_a_comment_between_arguments_is_none_of_them() -> None:
    test = 'package m\n\nfunc TestKeep(t *testing.T) {\n\tKeep("tea" /* green */, 7)\n}\n'
    tree = module(m="package m\n\nfunc Keep(name string, count int) {}\n", m_test=test)
    assert 'Keep("tea", 7)' in body(stub("m.Keep", tree=tree))


def test_a_call_that_has_to_panic_is_no_example() -> None:
    tree = with_test("box := &Box{}", "assert.Panics(t, func() { box.Put(-1) })")
    assert "Put(-1)" not in stub("m.(*Box).Put", tree=tree).text


def test_a_test_that_recovers_is_the_last_choice() -> None:
    again = "\n\nfunc TestPutAgain(t *testing.T) {\n\tbox := &Box{}\n\tbox.n = 1\n\tbox.Put(5)\n}\n"
    tree = dict(with_test("defer func() { recover() }()", "box := &Box{}", "box.Put(-1)"))
    tree["box_test.go"] += again
    assert "box.Put(5)" in stub("m.(*Box).Put", tree=tree).text


def test_a_call_that_has_nothing_to_do_is_the_last_choice() -> None:
    library = "package m\n\ntype R struct{ text string }\n\nfunc (r R) Each(f func(byte)) {}\n"
    calls = ("R{}.Each(nil)", 'r := R{text: "ab"}\n\tr.Each(func(byte) {})')
    tests = (
        f"func Test{letter}(t *testing.T) {{\n\t{call}\n}}\n"
        for letter, call in zip("AB", calls, strict=True)
    )
    tree = module(a=library, a_test='package m\n\nimport "testing"\n\n' + "\n".join(tests))
    assert "as in TestB" in stub("m.R.Each", tree=tree).text


def test_a_call_in_a_goroutine_of_its_own_is_no_example() -> None:
    tree = with_test("box := &Box{}", "go box.Put(9)", "box.Put(2)")
    assert "box.Put(2)" in stub("m.(*Box).Put", tree=tree).text


PUT = "\n\nfunc (box *Box) Put() {}\n"


@pytest.mark.parametrize(
    "field", ["*int", "map[string]int", "chan int", "func()", "interface{ M() }", "any", "net.Conn", "inner"]
)
def test_a_zero_value_with_something_unmade_in_it_is_no_receiver(field: str) -> None:
    library = f"package m\n\ntype inner struct{{ p *int }}\n\ntype Box struct{{ f {field} }}{PUT}"
    made = stub("m.(*Box).Put", tree=module(box=library))
    assert (made.benchmark, "a value of type Box" in made.reason) == (None, True)


@pytest.mark.parametrize("field", ["int", "[]string", "sync.Mutex", "inner", "[4]inner"])
def test_a_zero_value_that_is_fit_for_use_is_a_receiver(field: str) -> None:
    library = f"package m\n\ntype inner struct{{ n int }}\n\ntype Box struct{{ f {field} }}{PUT}"
    assert body(stub("m.(*Box).Put", tree=module(box=library))).startswith("\taBox := Box{}\n")


def test_a_generic_zero_value_gets_a_type_argument() -> None:
    library = (
        "package m\n\ntype Box[K comparable, V ~string] struct{ k K }\n\nfunc (box *Box[K, V]) Put(k K) {}\n"
    )
    assert body(stub("m.(*Box).Put", tree=module(box=library))).startswith("\taBox := Box[int, string]{}\n")


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        ("Source", "func() []any { return nil }"),  # as of logrus
        (
            "func(int) (n int, at *Box, err error)",
            "func(int) (n int, at *Box, err error) { return 0, nil, nil }",
        ),
        ("func() (bool, string)", 'func() (bool, string) { return false, "" }'),
        ("func() Box", None),
    ],
)
def test_a_function_that_is_asked_for_returns_zero_values(kind: str, call: str | None) -> None:
    library = f"package m\n\ntype Box struct{{}}\n\ntype Source func() []any\n\nfunc Log(from {kind}) {{}}\n"
    made = stub("m.Log", tree=module(p=library))
    assert (f"from := {call}\n" in body(made)) if call else f"argument 1, of type {kind}" in made.reason


def test_type_arguments_that_a_test_gives_are_given_again() -> None:
    library = (
        "package m\n\nfunc Make[K comparable, V any](size int, onEvict func(K, V)) map[K]V { return nil }\n"
    )
    test = "package m\n\nfunc TestMake(t *testing.T) {\n\tm := Make[int, string](3, nil)\n\t_ = m\n}\n"
    made = stub("m.Make", tree=module(p=library, p_test=test))
    assert "Make[int, string](3, nil)" in body(made)


def test_values_of_two_tests_share_no_names() -> None:
    library = LIBRARY + "\ntype Lid struct{ w int }\n\nfunc (box *Box) Cover(lid *Lid) {}\n"
    tree = dict(with_test("one := &Box{n: 1}", "_ = one"))
    tree["lid_test.go"] = tree["box_test.go"].replace("Box{n: 1}", "Lid{w: 1}").replace("TestPut", "TestLid")
    tree["box.go"] = library
    made = body(stub("m.(*Box).Cover", tree=tree))
    assert made.startswith("\tone := &Box{n: 1}\n\taLid := Lid{}\n")
    assert "one.Cover(&aLid)" in made


def test_types_of_the_library_are_qualified_in_its_outer_tests() -> None:
    library = (
        "package m\n\ntype Thing int\n\nfunc Count(things []Thing, by map[string]Thing) int { return 0 }\n"
    )
    outer = 'package m_test\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {}\n'
    made = stub("m.Count", tree=module(box=library, box_test=outer))
    assert '\t"m"\n' in made.text
    assert "things := []m.Thing{m.Thing(7)}" in made.text
    assert 'by := map[string]m.Thing{"example": m.Thing(7)}' in made.text


def test_a_method_that_cannot_be_seen_from_outside_is_called_from_inside() -> None:
    library = "package m\n\ntype box struct{ n int }\n\nfunc (one *box) Put(n int) int { return one.n + n }\n"
    outer = 'package m_test\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {}\n'
    made = stub("m.(*box).Put", tree=module(box=library, box_test=outer))
    assert made.text.startswith("package m\n")
    assert made.benchmark == "m.Benchmark_boxPut"


BESIDE = {
    "go.mod": "module example.com/m\n",
    "box.go": "package m\n\ntype Box struct{ N int }\n\nfunc (b *Box) Put() {}\n\nfunc (b *Box) put() {}\n",
    "bench/go.mod": "module example.com/m/bench\n\nreplace example.com/m => ..\n",
    "bench/x_test.go": 'package bench\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {}\n',
}


def test_a_module_without_benchmarks_gets_them_in_the_module_that_has_them() -> None:
    made = stub("example.com/m.(*Box).Put", tree=BESIDE, existing=("example.com/m/bench.BenchmarkX",))
    assert made.path == "bench/m_box_put_bench_test.go"
    assert made.benchmark == "example.com/m/bench.BenchmarkMBoxPut"
    assert made.text.startswith("package bench\n")
    assert "aBox := m.Box{}\n" in made.text


def test_what_another_module_cannot_see_has_no_benchmark_there() -> None:
    made = stub("example.com/m.(*Box).put", tree=BESIDE, existing=("example.com/m/bench.BenchmarkX",))
    assert (made.benchmark, "a test of package m itself" in made.reason) == (None, True)


def test_a_module_with_benchmarks_keeps_its_own() -> None:
    existing = ("example.com/m/bench.BenchmarkX", "example.com/m.BenchmarkY")
    made = stub("example.com/m.(*Box).Put", tree=BESIDE, existing=existing)
    assert made.benchmark == "example.com/m.BenchmarkBoxPut"


def test_a_skeleton_for_an_unknown_method_is_still_a_file_of_its_package() -> None:
    made = stub("m.(*Box).Missing", tree=module(box=LIBRARY))
    assert (made.benchmark, made.path) == (None, "box_missing_bench_test.go")
    assert made.text.startswith("package m\n")


def test_names_that_differ_in_case_only_get_files_of_their_own() -> None:
    library = LIBRARY + "\nfunc (box *Box) PUT(n int) int { return n }\n"
    paths = [stub(method, tree=module(box=library)).path for method in ("m.(*Box).PUT", "m.(*Box).Put")]
    assert len(set(paths)) == 2


def test_no_name_of_a_system_ends_the_name_of_a_file() -> None:
    library = "package m\n\nfunc Linux() int { return 1 }\n"
    assert stub("m.Linux", tree=module(os=library)).path == "linux_bench_test.go"


def test_loops_and_allocations_are_as_in_most_benchmarks() -> None:
    bench = "\n\nfunc Benchmark{}(bb *testing.B) {{\n\tbb.ReportAllocs()\n\tfor bb.Loop() {{\n\t}}\n}}\n"
    text = 'package m\n\nimport "testing"' + bench.format("A") + bench.format("B")
    made = stub("m.(*Box).Put", tree=module(box=LIBRARY, box_test=text))
    assert "(bb *testing.B)" in made.text
    assert "bb.ReportAllocs()\n\tfor bb.Loop() {" in made.text


def test_a_writer_reads_another_checkout_anew() -> None:
    writer = GoBenchStubs()
    request = StubRequest(method="m.(*Box).Put", arguments=(), existing=())
    assert writer.stub(module(other="package m\n"), request).benchmark is None
    assert writer.stub(module(box=LIBRARY), request).benchmark == "m.BenchmarkBox_Put"


def test_a_file_begins_with_the_licence_of_the_tests_beside_it_and_no_standing_file_is_written_over() -> None:
    notice = "// Copyright 2026 Somebody\n// SPDX-License-Identifier: MPL-2.0\n\n"
    taken = f"{notice}package m\n"
    made = stub("m.(*Box).Put", tree=module(box=LIBRARY, box_test=taken, box_put_bench_test=taken))
    assert made.text.startswith(f"{notice}package m\n\nimport")
    assert made.path == "abs_audit_box_put_bench_test.go"
    assert not stub("m.(*Box).Put", tree=module(box=LIBRARY, box_test="package m\n")).text.startswith("//")


@pytest.mark.parametrize(("existing", "name"), [("BoxFull", "BoxPut"), ("Box_Full", "Box_Put")])
def test_the_name_of_a_benchmark_joins_its_words_as_the_suite_does(existing: str, name: str) -> None:
    test = f'package m\n\nimport "testing"\n\nfunc Benchmark{existing}(b *testing.B) {{}}\n'
    made = stub("m.(*Box).Put", tree=module(box=LIBRARY, box_test=test))
    assert made.benchmark == f"m.Benchmark{name}"
    alike = LIBRARY + "\nfunc BoxPut() {}\n"
    assert stub("m.(*Box).Put", tree=module(box=alike, box_test=test)).benchmark == "m.BenchmarkBox_Put"


def test_nil_is_no_receiver_whose_method_is_worth_measuring() -> None:
    made = stub("m.(*Box).Put", tree=with_test("var box *Box = nil", "box.Put(3)"))
    assert "nil" not in made.text


def test_what_is_assigned_from_itself_moves_on() -> None:
    library = """package m

type Box struct{ lines []byte }

func (box *Box) Put(text string) *Box {
	box.lines = grown(box.lines, text)
	return box
}

func grown(lines []byte, text string) []byte { return append(lines, text...) }
"""
    test = (
        'package m\n\nimport "testing"\n\nfunc TestPut(t *testing.T) {\n\tbox := &Box{}\n\tbox.Put("a")\n}\n'
    )
    assert "prepare := func() func() {" in stub("m.(*Box).Put", tree=module(box=library, box_test=test)).text
    emptying = library.replace("grown(box.lines, text)", "grown(box.lines[:0], text)")
    assert "prepare" not in stub("m.(*Box).Put", tree=module(box=emptying, box_test=test)).text


def test_what_does_not_run_is_called_on_something_new_and_then_as_another_test_calls_it() -> None:
    """The sources do not show that `Put` takes each text once; where all was tried, the first one stays."""
    calls = {"TestPut": ("box := New()", 'box.Put("a")'), "TestTwo": ("box := New()", 'box.Put("b")')}
    tests = "\n".join(
        f"func {name}(t *testing.T) {{\n\t{first}\n\t{second}\n}}" for name, (first, second) in calls.items()
    )
    library = (
        "package m\n\ntype Box struct{ full func(string) }\n\nfunc New() *Box { return &Box{} }\n\n"
        "func (box *Box) Put(text string) { box.full(text) }\n"
    )
    tree = module(box=library, box_test=f'package m\n\nimport "testing"\n\n{tests}\n')
    texts = list[str]()
    for _ in range(4):
        texts.append(stub("m.(*Box).Put", tree=tree, failed=frozenset(texts)).text)
    assert ["prepare := func" in text for text in texts] == [False, True, True, False]
    assert ["Put(" + text.partition("box.Put(")[2][:4] for text in texts[:3]] == [
        'Put("a")',
        'Put("a")',
        'Put("b")',
    ]
    assert texts[3] == texts[0]


def test_checks_in_a_function_that_comes_along_stay_behind() -> None:
    library = LIBRARY + "\nfunc New(full func(n int)) *Box { return &Box{} }\n"
    lines = ("seen := 0", "full := func(n int) {", "\tif n > 3 {", "\t\tt.Fatal(n)", "\t}", "\tseen++", "}")
    test = "\n".join(f"\t{line}" for line in (*lines, "New(full).Put(3)"))
    text = f'package m\n\nimport "testing"\n\nfunc TestPut(t *testing.T) {{\n{test}\n}}\n'
    made = stub("m.(*Box).Put", tree=module(box=library, box_test=text))
    assert "\tfull := func(n int) {\n\t\tseen++\n\t}\n" in made.text
    assert "Fatal" not in made.text
