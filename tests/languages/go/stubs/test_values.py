"""Which value is made up for a type of a Go signature, and how an instance of a type is made."""

import pytest

from abs_audit.languages.drafting import MissingError
from abs_audit.languages.go.stubs.call_sites import CallSites
from abs_audit.languages.go.stubs.snippet import BENCH, Snippet
from abs_audit.languages.go.stubs.types import Site, Types, parameters
from abs_audit.languages.go.stubs.values import Values, type_arguments, variable
from abs_audit.languages.go.toolchain.layout import Package, packages
from abs_audit.languages.go.toolchain.promotion import Holder

PANTRY = """
package m

import (
    "io"
    "net/http"
    "sync"
    "m/shelves"
)

type Plain struct{ size int; lock sync.Mutex }
type Unfit struct{ inside map[string]int }
type Made struct{ inside *int }
type Careful struct{ inside *int }
type Level int
type Names []string
type Counts map[string]int
type Stack[T any] struct{ items []T }
type Odd[T io.Reader] struct{ items []T }
type Visit func(name string) bool
type Opener interface{ Open() }
type Locked interface{ Lock() }
type Seen struct{ inside *int }
type Open struct{ Kind string; Next *Open; Made *Made; Out chan int }
type Deep struct{ Open *Open; Deeper *Deep }
type Half struct{ Kind string; seen map[string]int }
type Within struct{ Kind string; Inner struct{ Depth int; Made *Made } }

func NewMade(size int) *Made { return nil }
func LoadMade() *Made { return nil }
func NewCareful(name string) (*Careful, error) { return nil, nil }
func (m *Made) Open() {}
"""
TESTS = """
package m

import "testing"

func TestSeen(t *testing.T) {
    seen := &Seen{inside: new(int)}
    use(seen)
}
"""
SHELVES = """
package shelves

type Shelf struct{ Depth int }
type hidden struct{ depth int }
"""
# A type, what is made before, and the value; no value: nothing simple is known to be fit.
VALUES = [
    ("int", [], "7"),
    ("uint8", [], "7"),
    ("float64", [], "1.5"),
    ("string", [], '"example"'),
    ("bool", [], "true"),
    ("rune", [], "'e'"),
    ("interface{}", [], '"example"'),
    ("error", [], 'errors.New("example")'),
    ("io.Reader", [], 'strings.NewReader("example")'),
    ("*http.Request", [], 'httptest.NewRequest("GET", "/", nil)'),
    ("[]int", [], "[]int{7}"),
    ("[][]string", [], '[][]string{[]string{"example"}}'),
    ("map[string]int", [], 'map[string]int{"example": 7}'),
    ("func(name string) bool", [], "func(name string) bool { return false }"),
    ("func()", [], "func() {}"),
    ("func() error", [], "func() error { return nil }"),
    ("func() (int, error)", [], "func() (int, error) { return 0, nil }"),
    ("Visit", [], "func(name string) bool { return false }"),
    ("Level", [], "Level(7)"),
    ("Names", ["var aNames Names"], "aNames"),
    ("Counts", ["aCounts := Counts{}"], "aCounts"),
    ("Plain", ["aPlain := Plain{}"], "aPlain"),
    ("*Plain", ["aPlain := Plain{}"], "&aPlain"),
    ("[]Plain", ["aPlain := Plain{}"], "[]Plain{aPlain}"),
    ("Unfit", None, None),
    # Anybody may fill it in; what is not known to be fit stays out.
    ("*Open", ["aMade := NewMade(7)", 'aOpen := Open{Kind: "example", Made: aMade}'], "&aOpen"),
    ("Deep", ["aDeep := Deep{}"], "aDeep"),
    # What nobody else can fill in is left as its own code finds it.
    ("Half", ['aHalf := Half{Kind: "example"}'], "aHalf"),
    ("Within", ['aWithin := Within{Kind: "example"}'], "aWithin"),
    # By a constructor: a usual name comes first.
    ("*Made", ["aMade := NewMade(7)"], "aMade"),
    (
        "*Careful",
        ['aCareful, err := NewCareful("example")', f"if err != nil {{\n\t{BENCH}.Fatal(err)\n}}"],
        "aCareful",
    ),
    # As tests make it.
    ("*Seen", ["seen := &Seen{inside: new(int)}"], "seen"),
    # The first type that has the methods of an interface.
    ("Opener", ["aMade := NewMade(7)"], "aMade"),
    ("Locked", None, None),
    ("Stack[int]", ["aStack := Stack[int]{}"], "aStack"),
    ("Odd[int]", None, None),
    ("shelves.Shelf", ["aShelf := shelves.Shelf{}"], "aShelf"),
    ("[]shelves.Shelf", ["aShelf := shelves.Shelf{}"], "[]shelves.Shelf{aShelf}"),
    ("chan int", None, None),
    ("unheard.Of", None, None),
]
# Parameters, and an argument for each.
ARGUMENTS = [
    ("()", []),
    ("(count int, name string)", ["7", '"example"']),
    ("(path string)", ['"/example"']),
    ("(method, url string)", ['"GET"', '"/example"']),
    ("(int, string)", ["7", '"example"']),
    ("(values ...int)", ["7"]),
    # Any number may be none.
    ("(values ...chan int)", []),
    ("[T any](given T)", ["7"]),
    ("[T string | int](given T)", ['"example"']),
    ("[K comparable, V any](given map[K]V)", ["map[int]int{7: 7}"]),
]
NO_ARGUMENTS = [
    ("(given chan int)", "argument 1, of type chan int"),
    ("(count int, given Unfit)", "argument 2, of type Unfit"),
    ("[T io.Reader](given T)", "its type arguments"),
]


def project(signature: str = "()") -> tuple[Values, Package]:
    """Return what makes values for tests of a package with a function of that signature."""
    function = f"\nfunc use{signature} {{ }}\n"
    sources = {"m.go": PANTRY + function, "m_test.go": TESTS, "shelves/s.go": SHELVES}
    tree = {"go.mod": "module m\n", **sources}
    types, package = Types(packages(tree)), packages(tree)["m"]
    return Values(types, CallSites(types, "m"), package), package


def site(package: Package) -> Site:
    return Site(package=package, file=next(file for file in package.files if not file.is_test))


def made(written: str) -> tuple[Snippet | None, bool]:
    """Return the value of a type, and whether something was made up for it."""
    values, package = project(f"(given {written})")
    (function,) = (function for _, function in package.functions() if function.name == "use")
    ((kind, _),) = parameters(function)
    return values.value(kind, site(package)), values.invented


@pytest.mark.parametrize(("written", "setup", "text"), VALUES)
def test_the_value_of_a_type(written: str, setup: list[str] | None, text: str | None) -> None:
    snippet, _ = made(written)
    assert (setup, text) == ((list(snippet.setup), snippet.text) if snippet else (None, None))


@pytest.mark.parametrize(("signature", "given"), ARGUMENTS)
def test_the_arguments_of_a_call(signature: str, given: list[str]) -> None:
    values, package = project(signature)
    (function,) = (function for _, function in package.functions() if function.name == "use")
    assert given == [argument.text for argument in values.arguments(function, site(package))]


@pytest.mark.parametrize(("signature", "missing"), NO_ARGUMENTS)
def test_an_argument_that_nothing_is_known_about_is_told(signature: str, missing: str) -> None:
    values, package = project(signature)
    (function,) = (function for _, function in package.functions() if function.name == "use")
    with pytest.raises(MissingError, match=missing):
        values.arguments(function, site(package))


@pytest.mark.parametrize(
    ("written", "imports"),
    [
        ("int", set()),
        ("error", {"errors"}),
        ("*http.Request", {"net/http/httptest"}),
        ("shelves.Shelf", {"m/shelves"}),
        ("func(r *http.Request)", {"net/http"}),
    ],
)
def test_what_a_value_imports(written: str, imports: set[str]) -> None:
    snippet, _ = made(written)
    assert snippet is not None
    assert imports == {path for _, path in snippet.imports}


@pytest.mark.parametrize(("name", "is_made_up"), [("Seen", False), ("Plain", True), ("Made", True)])
def test_what_tests_make_is_not_made_up(name: str, is_made_up: bool) -> None:
    values, package = project()
    assert values.instance(Holder(package=package, name=name)) is not None
    assert is_made_up == values.invented


@pytest.mark.parametrize(
    ("path", "name", "text"),
    [
        ("m", "use", "use"),
        ("m/shelves", "Shelf", "shelves.Shelf"),
        # Only its own package may name it.
        ("m/shelves", "hidden", None),
    ],
)
def test_how_a_name_is_written(path: str, name: str, text: str | None) -> None:
    values, package = project()
    tree = {"go.mod": "module m\n", "m.go": PANTRY, "shelves/s.go": SHELVES}
    written = values.name(package if path == "m" else packages(tree)[path], name)
    assert text == (written.text if written else None)


@pytest.mark.parametrize(("name", "variable_name"), [("Jar", "aJar"), ("T", "tValue"), ("jar", "ajar")])
def test_the_name_of_a_value(name: str, variable_name: str) -> None:
    assert variable_name == variable(name)


@pytest.mark.parametrize(
    ("signature", "arguments"),
    [("(a int)", ""), ("[T any](a T)", "[int]"), ("[K comparable, V ~string]()", "[int, string]")],
)
def test_type_arguments_where_nothing_else_shows_them(signature: str, arguments: str) -> None:
    _, package = project(signature)
    (function,) = (function for _, function in package.functions() if function.name == "use")
    assert arguments == type_arguments(function.node)
