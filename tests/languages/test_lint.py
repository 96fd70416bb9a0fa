"""Known mistakes of benchmarks: each is seen where it is made, and not where it is not."""

from textwrap import dedent

import pytest

from abs_audit.languages import go as go_wing
from abs_audit.languages import java as java_wing
from abs_audit.languages import python as python_wing
from abs_audit.model.lint import ADVICE, Lint, Rule

python, go, java = (wing.language().mistakes for wing in (python_wing, go_wing, java_wing))

PYTHON = {
    Rule.NOTHING_TIMED: (
        "def test_sort(benchmark):\n    sorted(range(9))\n",
        "def test_sort(benchmark):\n    benchmark(sorted, range(9))\n",
    ),
    Rule.CALLED_BEFORE_TIMING: (
        "def test_sort(benchmark):\n    benchmark(sorted(range(9)))\n",
        "def test_sort(benchmark):\n    benchmark(partial(sorted, range(9)))\n",
    ),
    Rule.ASSERTION_TIMED: (
        "def test_sort(benchmark):\n    def run():\n        assert [1] == sorted([1])\n    benchmark(run)\n",
        "def test_sort(benchmark):\n    assert benchmark(sorted, [2, 1]) == [1, 2]\n",
    ),
    Rule.CLOCK_INSIDE: (
        "def time_it():\n    begun = time.perf_counter()\n    work()\n",
        "def setup():\n    begun = time.perf_counter()\ndef time_it():\n    work()\n",
    ),
    Rule.SLEEP_TIMED: (
        "def test_poll(benchmark):\n    benchmark(lambda: time.sleep(0.1))\n",
        "def test_poll(benchmark):\n    benchmark(lambda: asyncio.sleep(0))\n",
    ),
    Rule.UNSEEDED_RANDOM: (
        "def test_sort(benchmark):\n    benchmark(sorted, [random.random()])\n",
        "random.seed(1)\ndef test_sort(benchmark):\n    benchmark(sorted, [random.random()])\n",
    ),
}
GO = {
    Rule.ITERATIONS_IGNORED: ("work()", "for i := 0; i < b.N; i++ { work() }"),
    Rule.ITERATIONS_AS_INPUT: ("sum(make([]int, b.N))", "v := make([]int, 100)\nfor b.Loop() { sum(v) }"),
    Rule.TIMER_IN_LOOP: (
        "for i := 0; i < b.N; i++ { b.StopTimer()\n prepare()\n b.StartTimer()\n work() }",
        "b.StopTimer()\nprepare()\nb.StartTimer()\nfor i := 0; i < b.N; i++ { work() }",
    ),
    Rule.SETUP_TIMED: (
        "for _, p := range paths { add(p) }\nfor i := 0; i < b.N; i++ { work() }",
        "for _, p := range paths { add(p) }\nb.ResetTimer()\nfor i := 0; i < b.N; i++ { work() }",
    ),
}
JAVA = {
    Rule.RESULT_UNUSED: (
        "@Benchmark public void sort() { int[] made = work(); }",
        "@Benchmark public int[] sort() { int[] made = work(); return made; }",
    ),
    Rule.CONSTANT_INPUT: (
        "private final int size = 9; @Benchmark public int[] sort() { return work(size); }",
        "private int size = 9; @Benchmark public int[] sort() { return work(size); }",
    ),
    Rule.NO_FORK: (
        "@Fork(0) @Benchmark public int f() { return g(); }",
        "@Fork(1) @Benchmark public int f() { return g(); }",
    ),
    Rule.NO_WARMUP: (
        "@Warmup(iterations = 0) @Benchmark public int f() { return g(); }",
        "@Warmup(iterations = 1) @Benchmark public int f() { return g(); }",
    ),
    Rule.SETUP_EACH_INVOCATION: (
        "@Setup(Level.Invocation) public void prepare() {} @Benchmark public int f() { return g(); }",
        "@Setup(Level.Iteration) public void prepare() {} @Benchmark public int f() { return g(); }",
    ),
}


@pytest.mark.parametrize("rule", PYTHON)
def test_mistakes_in_python_benchmarks(rule: Rule) -> None:
    wrong, right = PYTHON[rule]
    assert [rule] == [mistake.rule for mistake in python({"benchmarks/test_it.py": wrong})]
    assert () == python({"benchmarks/test_it.py": right})


def in_go(body: str) -> tuple[Lint, ...]:
    text = f'package p\nimport "testing"\nfunc BenchmarkWork(b *testing.B) {{\n{body}\n}}\n'
    return go({"it_test.go": text})


@pytest.mark.parametrize("rule", GO)
def test_mistakes_in_go_benchmarks(rule: Rule) -> None:
    wrong, right = GO[rule]
    assert rule in {mistake.rule for mistake in in_go(wrong)}
    assert () == in_go(right)


FILL, WORK = "for _, k := range keys { fill(k) }", "for i := 0; i < b.N; i++ { work() }"


@pytest.mark.parametrize(
    ("before", "mistaken"),
    [
        (f"b.StopTimer()\n{FILL}\nb.StartTimer()", False),
        (f"{FILL}\nb.StopTimer()\nprepare()\nb.StartTimer()", True),
        (f"b.StopTimer()\nprepare()\nb.StartTimer()\n{FILL}", True),
        (f"b.ResetTimer()\n{FILL}", True),
    ],
)
def test_work_before_a_go_loop_is_a_mistake_only_while_the_timer_runs(before: str, mistaken: bool) -> None:
    assert [Rule.SETUP_TIMED] * mistaken == [mistake.rule for mistake in in_go(f"{before}\n{WORK}")]


def test_a_timer_that_is_stopped_once_for_many_iterations_is_no_mistake() -> None:
    """As google/btree deletes all of a tree before it fills another."""
    inner = "for _, k := range keys { work(k)\n i++\n if i >= b.N { return } }"
    assert () == in_go(f"i := 0\nfor i < b.N {{ b.StopTimer()\n {FILL}\n b.StartTimer()\n {inner} }}")


@pytest.mark.parametrize("rule", JAVA)
def test_mistakes_in_jmh_benchmarks(rule: Rule) -> None:
    def read(body: str) -> tuple[Lint, ...]:
        text = f"import org.openjdk.jmh.annotations.*;\npublic class It {{\n{body}\n}}\n"
        return java({"src/It.java": text})

    wrong, right = JAVA[rule]
    assert [rule] == [mistake.rule for mistake in read(wrong)]
    assert () == read(right)


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("v := make([]int, b.N)\nfor b.Loop() { sort(v) }", True),
        ("v := make([]int, b.N)\nsort(v)", True),
        # Prepared inputs, one an iteration, and what is counted: each iteration does the same.
        ("v := make([]int, 2*b.N)\nfor i := 0; i < b.N; i++ { add(v[i], len(v)) }", False),
        ("v := make([]int, b.N)\nfor i := 0; i < b.N; i++ { v := v[i]\nadd(v) }", False),
        ("v := make([]int, b.N)\nfor i := 0; i < b.N; i++ { w := v\nadd(w, v) }", True),
        ("done := make(chan struct{}, b.N)\nfor i := 0; i < b.N; i++ { serve() }", False),
        ("done := make(chan struct{}, b.N)\nserve(b, done)", False),
    ],
)
def test_only_what_is_handed_over_whole_is_an_input_of_b_n_values(body: str, seen: bool) -> None:
    text = f"package a\nfunc BenchmarkX(b *testing.B) {{\n{body}\n}}\n"
    assert seen == any(mistake.rule is Rule.ITERATIONS_AS_INPUT for mistake in go({"a_test.go": text}))


def test_an_assertion_that_computes_nothing_takes_no_time() -> None:
    text = "def test_f(benchmark):\n    @benchmark\n    def run():\n        assert f\n        assert True\n"
    assert () == python({"benchmarks/test_it.py": text})


MANY = "@OperationsPerInvocation(32768) public int f() { return g(); }"
LOOP = "public int f() { int sum = 0; for (int i : data) sum += g(i); return sum; }"
CALL = "public int f() { return g(); }"


@pytest.mark.parametrize(("method", "seen"), [(MANY, False), (LOOP, False), (CALL, True)])
def test_an_invocation_of_many_operations_may_be_set_up_each_time(method: str, seen: bool) -> None:
    text = "import org.openjdk.jmh.annotations.*;\nclass A { @Setup(Level.Invocation) public void fill() {} "
    assert seen == bool(java({"A.java": f"{text} @Benchmark {method} }}"}))


@pytest.mark.parametrize(("body", "seen"), [("return state.get();", True), ("for (;;) state.get();", False)])
def test_a_set_up_belongs_to_the_benchmarks_that_are_given_its_state(body: str, seen: bool) -> None:
    text = (
        "import org.openjdk.jmh.annotations.*;\nclass A { static class Base { @Setup(Level.Invocation) "
        "public void fill() {} } static class Sorted extends Base {} "
        f"@Benchmark public int f(Sorted state) {{ {body} }} }}"
    )
    assert seen == bool(java({"A.java": text}))


@pytest.mark.parametrize(
    ("receiver", "seen"), [("Work", True), ("Random.current()", False), ("PARSER", False), ("work", False)]
)
def test_what_an_object_makes_of_a_constant_depends_on_the_object(receiver: str, seen: bool) -> None:
    text = (
        "import org.openjdk.jmh.annotations.*;\nclass A { static final int SIZE = 9; "
        f"@Benchmark public int f() {{ return {receiver}.next(SIZE); }} }}"
    )
    assert seen == bool(java({"A.java": text}))


def test_every_rule_has_advice_and_a_test() -> None:
    assert set(Rule) == set(ADVICE) == {*PYTHON, *GO, *JAVA}


def test_an_id_stays_when_the_line_moves() -> None:
    text = dedent(PYTHON[Rule.NOTHING_TIMED][0])
    ((before,), (after,)) = python({"b/benchmark.py": text}), python({"b/benchmark.py": "\n\n" + text})
    assert ("nothing-timed:b/benchmark.py:test_sort", before.line + 2) == (after.id, after.line)
    assert before.id == after.id


def test_what_does_not_parse_is_left_to_those_who_run_it() -> None:
    broken = {"benchmarks/test_it.py": "def test_a(benchmark:\n", "deep.py": "benchmark" + "(" * 5000}
    assert () == python(broken)
