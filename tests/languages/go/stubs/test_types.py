"""Which type of the project an expression has, which function a call ends in, what a signature says."""

import pytest

from abs_audit.languages.go.stubs.types import Placed, Site, Types, parameters, results
from abs_audit.languages.go.toolchain.layout import Package, packages
from abs_audit.languages.go.toolchain.outline import declared_in
from abs_audit.languages.go.toolchain.promotion import Holder
from abs_audit.languages.syntax import nodes, text_of

PANTRY = """
package m

import (
    "bytes"
    "m/shelves"
)

type Pantry struct {
    jar, spare Jar
    shelf      *shelves.Shelf
    Lid
}
type Jar struct{}
type Lid struct{}
type Drawer map[string]Jar
type Old = Pantry
type Opener interface{ Open() Jar }
var kept Jar
const most = 3

func New() *Pantry { return nil }
func Both() (*Pantry, Jar) { return nil, Jar{} }
func generic[T any](given T) Jar { return Jar{} }
func (p *Pantry) First() Jar { return p.jar }
func (p *Pantry) fill(jars []Jar) error { return nil }
func (l Lid) Turn() Lid { return l }
"""
SHELVES = """
package shelves

type Shelf struct{ Depth Plank }
type Plank struct{}
func New() *Shelf { return nil }
func (s *Shelf) Take() (Plank, error) { return Plank{}, nil }
"""
# An expression, and the name of its type; None: it is none of the project, or not known.
TYPES = [
    ("Pantry{}", "Pantry"),
    ("&Pantry{}", "Pantry"),
    ("new(Pantry)", "Pantry"),
    ("make(Drawer)", "Drawer"),
    ("Old{}", "Pantry"),
    ("New()", "Pantry"),
    ("generic[int](7)", "Jar"),
    ("Lid(other)", "Lid"),
    ("parameter", "Pantry"),
    ("(parameter)", "Pantry"),
    ("*parameter", "Pantry"),
    ("assigned", "Pantry"),
    ("first", "Pantry"),
    ("second", "Jar"),
    ("declared", "Jar"),
    ("parameter.jar", "Jar"),
    ("parameter.spare", "Jar"),
    ("parameter.shelf", "Shelf"),
    ("parameter.shelf.Depth", "Plank"),
    ("parameter.Lid", "Lid"),
    ("parameter.First()", "Jar"),
    ("parameter.Turn()", "Lid"),
    ("parameter.shelf.Take()", "Plank"),
    ("shelves.New()", "Shelf"),
    ("shelves.Shelf{}", "Shelf"),
    ("opener.(*Pantry)", "Pantry"),
    ("opener.Open()", None),
    ("parameter.missing", None),
    ("parameter.fill(nil)", None),
    ("unheardOf", None),
    ("7", None),
    ("[]Jar{}", None),
    ("bytes.NewBuffer(nil)", None),
]
# A call, and where it ends.
CALLS = [
    ("New()", "New"),
    ("shelves.New()", "New of m/shelves"),
    ("parameter.First()", "(*Pantry).First"),
    ("parameter.Turn()", "Lid.Turn"),
    ("parameter.shelf.Take()", "(*Shelf).Take of m/shelves"),
    ("generic(7)", "generic"),
    ("opener.Open()", None),
    ("second.Shut()", None),
    ("len(text)", None),
    ("bytes.NewBuffer(nil)", None),
    ("callback()", None),
]
# A signature, its parameters with `...` for any number, their names, and its results.
SIGNATURES = [
    ("()", [], [], []),
    ("(a int) string", ["int"], ["a"], ["string"]),
    ("(a, b int, c ...Jar)", ["int", "int", "Jar..."], ["a", "b", "c"], []),
    ("(int, *Jar) (n int, err error)", ["int", "*Jar"], [], ["int", "error"]),
    ("(_ []Jar) (a, b Jar)", ["[]Jar"], ["_"], ["Jar", "Jar"]),
    ("(f func(int) bool) map[string]Jar", ["func(int) bool"], ["f"], ["map[string]Jar"]),
]


def project(body: str = "") -> tuple[Types, Package]:
    """Return the types of the project with a function of that body, and the package that has it."""
    use = f"""
func use(parameter *Pantry, opener Opener, callback func() Jar, other Lid, text string) {{
    assigned := New()
    first, second := Both()
    var declared Jar
    {body}
}}
"""
    tree = {"go.mod": "module m\n", "m.go": PANTRY + use, "shelves/s.go": SHELVES}
    return Types(packages(tree)), packages(tree)["m"]


def site(package: Package) -> Site:
    return Site(package=package, file=package.files[0])


def told(placed: Placed | None) -> str | None:
    if placed is None:
        return None
    path = placed.package.path
    return placed.function.id + (f" of {path}" if path != "m" else "")


@pytest.mark.parametrize(("expression", "name"), TYPES)
def test_the_type_of_an_expression(expression: str, name: str | None) -> None:
    types, package = project(f"_ = {expression}")
    assignment = next(nodes(package.files[0].outline.root, "assignment_statement"))
    (right,) = assignment.children_by_field_name("right")
    holder = types.of(right.named_children[0], site(package))
    assert name == (holder.name if holder else None)


@pytest.mark.parametrize(("call", "end"), CALLS)
def test_where_a_call_ends(call: str, end: str | None) -> None:
    types, package = project(call)
    *_, statement = nodes(package.files[0].outline.root, "expression_statement")
    assert end == told(types.called(statement.named_children[0], site(package)))


@pytest.mark.parametrize(
    ("name", "method", "end"),
    [
        ("Pantry", "First", "(*Pantry).First"),
        ("Pantry", "Turn", "Lid.Turn"),
        ("Lid", "Turn", "Lid.Turn"),
        ("Jar", "Turn", None),
        # A method of an interface has no body.
        ("Opener", "Open", None),
    ],
)
def test_the_method_that_a_type_has(name: str, method: str, end: str | None) -> None:
    types, package = project()
    assert end == told(types.method(Holder(package=package, name=name), method))


@pytest.mark.parametrize("name", ["New", "kept", "most", "Pantry", "Old", "len", "error", "nil"])
def test_names_that_mean_something_everywhere_in_a_package(name: str) -> None:
    types, package = project()
    assert types.knows(package, name)


@pytest.mark.parametrize("name", ["First", "jar", "parameter", "bytes", "Shelf", "unheardOf"])
def test_names_of_something_else_are_not_known(name: str) -> None:
    types, package = project()
    assert not types.knows(package, name)


@pytest.mark.parametrize(("signature", "given", "names", "returned"), SIGNATURES)
def test_what_a_signature_says(
    signature: str, given: list[str], names: list[str], returned: list[str]
) -> None:
    package = packages({"go.mod": "module m\n", "m.go": f"package m\nfunc f{signature} {{ }}\n"})["m"]
    ((_, function),) = package.functions()
    written = [f"{text_of(kind)}{'...' * variadic}" for kind, variadic in parameters(function)]
    assert (given, names) == (written, declared_in(function.node, "parameters"))
    assert returned == [text_of(kind) for kind in results(function.node)]
