"""Which statements of a test make the values of a call, and what cannot be taken along."""

import re

import pytest

from abs_audit.languages.go.stubs.extraction import NotAlone, Slice, guesses
from abs_audit.languages.go.stubs.snippet import BENCH
from abs_audit.languages.go.stubs.types import Site, Types
from abs_audit.languages.go.toolchain.layout import packages
from abs_audit.languages.syntax import listed, nodes, text_of

TREE = {
    "go.mod": "module m\n",
    "m.go": "package m\n"
    "type Jar struct{}\n"
    "func New() *Jar { return nil }\n"
    "func Open() (*Jar, error) { return nil, nil }\n"
    "func (j *Jar) Fill(n int) {}\n"
    "func load(into *int) bool { return true }\n"
    "func of(tb testing.TB) int { return 1 }\n",
}
FATAL = f"if err != nil {{\n\t{BENCH}.Fatal(err)\n}}"
MIDDLE = "row := rows[len(rows)/2]"
# The body of a test, the statements that its call of `use` needs, and what the call is given then.
ALONE = [
    ("use(7)", [], "7"),
    ("x := 7; use(x)", ["x := 7"], "x"),
    ("x := 7; y := x + 1; use(y)", ["x := 7", "y := x + 1"], "y"),
    ("x := 7; y := 8; use(y)", ["y := 8"], "y"),
    ("x := 7; use(x); x = 8", ["x := 7"], "x"),
    ("const x = 7; use(x)", ["const x = 7"], "x"),
    # Go refuses names that nothing reads.
    ("x, y := 1, 2; use(x)", ["x, _ := 1, 2"], "x"),
    ("var x, y int; use(x)", ["var x, y int", "_ = y"], "x"),
    # What changes a value on the way comes along, assertions do not.
    ("x := 7; x++; use(x)", ["x := 7", "x++"], "x"),
    ("var x int; x = 3; use(x)", ["var x int", "x = 3"], "x"),
    ("j := New(); j.Fill(3); use(j)", ["j := New()", "j.Fill(3)"], "j"),
    ("var x int; ok := load(&x); use(x)", ["var x int", "_ = load(&x)"], "x"),
    ("j := New(); fmt.Println(j); use(j)", ["j := New()"], "j"),
    ("j := New(); defer j.Fill(3); use(j)", ["j := New()"], "j"),
    ("j := New(); if j == nil { t.Fatal(j) }; use(j)", ["j := New()"], "j"),
    # An error ends the benchmark, however the test looks at it.
    ("j, err := Open(); if err != nil { t.Fatal(err) }; use(j)", ["j, err := Open()", FATAL], "j"),
    # Of a table the middle row stands for all.
    ("for _, row := range []int{1, 2, 3} { use(row) }", [], "2"),
    ("for _, row := range []int{1} { use(row + 1) }", ["rows := []int{1}", MIDDLE], "row + 1"),
    ("rows := []any{New()}; for _, row := range rows { use(row) }", ["rows := []any{New()}", MIDDLE], "row"),
    ("for i := range []int{1, 2} { use(i) }", ["rows := []int{1, 2}", "i := len(rows) / 2"], "i"),
    ("for _, row := range []int{1} { row := row; use(row) }", [], "1"),
    # The cells of a table are written without it.
    ('for _, row := range []struct{ a, b string }{{"x", "y"}} { use(row.b) }', [], '"y"'),
    ("for _, row := range []struct{ a string; n int }{{n: 7}} { use(row.n) }", [], "7"),
    ('for _, row := range map[string]struct{ a string }{"k": {a: "x"}} { use(row.a) }', [], '"x"'),
    (
        'type in struct{ a any }; rows := []struct{ i in }{{in{"x"}}}; for _, r := range rows { use(r.i.a) }',
        *([], '"x"'),
    ),
    (
        "j, err := Open(); for _, row := range []struct{ a int }{{7}} { _, err = of(row.a); use(err) }",
        ["_, err := Open()", FATAL, "_, err = of(7)", FATAL],
        "err",
    ),
    # The benchmark stands in for the test where it can.
    ("use(t.Name())", [], f"{BENCH}.Name()"),
    ("use(of(t))", [], f"of({BENCH})"),
]
# The body of a test, and what its call of `use` cannot do without.
NOT_ALONE = [
    ("use(unheardOf)", "unheardOf"),
    ("use(t.Run)", "t"),
    ("func(n int) { use(n) }(3)", "n int"),
    ("for k := range map[int]bool{} { use(k) }", "k := range map[int]bool{}"),
    ("for _, row := range New().rows { use(row) }", "_, row := range New().rows"),
    ("x := 1; y := x; { x := y; use(x) }", "x := y: a name of two meanings"),
    ("switch x := any(7).(type) { case int: use(x) }", "x"),
]


def piece(body: str) -> tuple[Slice, str]:
    """Return what the call of `use` in a test of that body needs, and what it is given then."""
    header = 'package m\nimport (\n"testing"\n"fmt"\n"os"\nyaml "gopkg.in/yaml.v3"\n)\n'
    lines = body.replace("; ", "\n")
    tree = {**TREE, "m_test.go": f"{header}func TestUse(t *testing.T) {{\n{lines}\n}}\n"}
    package = packages(tree)["m"]
    file = next(file for file in package.files if file.is_test)
    calls = nodes(file.outline.root, "call_expression")
    call = next(call for call in calls if text_of(call.child_by_field_name("function")) == "use")
    made = Slice(Types(packages(tree)), Site(package=package, file=file), call)
    given = listed(call, "arguments")
    made.close(given)
    return made, ", ".join(map(made.text, given))


@pytest.mark.parametrize(("body", "setup", "text"), ALONE)
def test_what_makes_a_value(body: str, setup: list[str], text: str) -> None:
    made, written = piece(body)
    snippet = made.snippet(written)
    assert (setup, text) == (list(snippet.setup), snippet.text)


@pytest.mark.parametrize(("body", "needed"), NOT_ALONE)
def test_what_cannot_be_taken_along(body: str, needed: str) -> None:
    with pytest.raises(NotAlone, match=re.escape(needed.replace("; ", "\n"))):
        made, written = piece(body)
        made.snippet(written)


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("New()", set()),
        ("os.Args", {("", "os")}),
        ("yaml.Marshal(7)", {("yaml", "gopkg.in/yaml.v3")}),
        ("fmt.Sprint(os.Args)", {("", "fmt"), ("", "os")}),
    ],
)
def test_imports_come_along(text: str, imported: set[tuple[str, str]]) -> None:
    made, written = piece(f"use({text})")
    assert (imported, text) == (made.snippet(written).imports, written)


def test_the_names_of_a_set_up_are_told() -> None:
    made, written = piece("j, err := Open(); if err != nil { t.Fatal(err) }; x := 7; use(j, x)")
    assert {"j", "err", "x"} == made.snippet(written).names


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("strings", "strings"),
        ("net/http", "http"),
        ("example.com/lib/v2", "lib"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/some/go-lib", "lib"),
        ("github.com/some/lib-go", "lib"),
        ("github.com/some/two-words", "twowords"),
        ("github.com/some/two-words", "two_words"),
    ],
)
def test_what_a_package_may_be_called(path: str, name: str) -> None:
    assert name in guesses(path)
