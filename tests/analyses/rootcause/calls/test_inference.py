"""Callers read from the text, where no probe records them."""

from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.rootcause.calls.inference import inferred
from abs_audit.model.subject import ApiMethod

GO = """\
package p

func Report(items []int) int {
\treturn weigh(items) + Title(items)
}

func weigh(items []int) int {
\tl := New[int]()
\tl.push(len(items))
\treturn l.push(2)
}

func (l *List) push(v int) int {
\treturn v
}

func Title(items []int) int { return Unused(items) }
"""
LINES = {"p.Report": 3, "p.weigh": 7, "p.(*List).push": 13, "p.Title": 17, "p.New": 99}
SOURCES = Sources(
    tree={"p.go": GO}, methods=tuple(ApiMethod(id=id, path="p.go", line=line) for id, line in LINES.items())
)


def test_a_caller_names_its_callee_and_the_rest_is_called_by_the_benchmark() -> None:
    calls = {"p.Report": 1.0, "p.weigh": 1.0, "p.(*List).push": 2.0, "p.Title": 1.0}

    found = inferred(calls, SOURCES)

    assert {
        (None, "p.Report"): 1.0,
        ("p.Report", "p.weigh"): 1.0,
        ("p.Report", "p.Title"): 1.0,
        ("p.weigh", "p.(*List).push"): 2.0,
    } == found.edges
    assert (calls, False) == (found.calls, found.recorded)


def test_type_arguments_do_not_hide_a_call() -> None:
    assert ("p.weigh", "p.New") in inferred({"p.weigh": 1.0, "p.New": 1.0}, SOURCES).edges


def test_what_was_not_counted_calls_nobody() -> None:
    assert {(None, "p.(*List).push"): 2.0} == inferred({"p.(*List).push": 2.0}, SOURCES).edges


def test_methods_that_call_each_other_in_a_circle_hang_below_the_benchmark() -> None:
    text = "def even(n): return odd(n - 1)\ndef odd(n): return even(n - 1)\n"
    methods = (ApiMethod(id="m.even", path="m.py", line=1), ApiMethod(id="m.odd", path="m.py", line=2))

    found = inferred({"m.even": 3.0, "m.odd": 2.0}, Sources(tree={"m.py": text}, methods=methods))

    assert {(None, "m.even"), ("m.even", "m.odd"), ("m.odd", "m.even")} == set(found.edges)


def test_a_constructor_is_called_by_the_name_of_its_class() -> None:
    text = "class A {\n  A(int n) {\n    this.n = n;\n  }\n  A copy() {\n    return new A(n);\n  }\n}\n"
    methods = (
        ApiMethod(id="p.A.<init>(int)", path="A.java", line=2),
        ApiMethod(id="p.A.copy()", path="A.java", line=5),
    )

    found = inferred(
        {"p.A.<init>(int)": 1.0, "p.A.copy()": 1.0}, Sources(tree={"A.java": text}, methods=methods)
    )

    assert ("p.A.copy()", "p.A.<init>(int)") in found.edges


def test_methods_of_one_name_do_not_call_each_other_by_their_own_definitions() -> None:
    text = (
        "class A:\n    def get(self):\n        return 1\n\nclass B:\n    def get(self):\n        return 2\n"
    )
    methods = (ApiMethod(id="m.A.get", path="m.py", line=2), ApiMethod(id="m.B.get", path="m.py", line=6))

    found = inferred({"m.A.get": 1.0, "m.B.get": 1.0}, Sources(tree={"m.py": text}, methods=methods))

    assert {(None, "m.A.get"), (None, "m.B.get")} == set(found.edges)
