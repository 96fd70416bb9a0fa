"""What the Go injector lists, what it refuses, and where its texts go: nothing is compiled here."""

import platform
import sys
from collections.abc import Mapping, Sequence

import pytest

from abs_audit.injectors.go.injector import GoInjector
from abs_audit.injectors.go.runtime import FILES, FOLDER, SWITCHES
from abs_audit.languages.go import language
from abs_audit.languages.go.toolchain.layout import packages
from abs_audit.model.subject import Patch

GO_MOD = "module example.org/lib\n\ngo 1.21\n"
HERE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def listed(tree: Mapping[str, str]) -> list[str]:
    return [method.id for method in GoInjector().api_methods(tree).methods]


def instrumented(tree: Mapping[str, str], *methods: str) -> Patch:
    return GoInjector().instrument(tree, methods)


def reason(tree: Mapping[str, str], method: str) -> str:
    patch = instrumented(tree, method)
    assert () == patch.instrumented
    (skipped,) = patch.skipped
    assert method == skipped.method
    return skipped.reason


def site(number: int = 0, name: str = "_abs") -> str:
    return (
        f" if {name}.On{number} {{ if {name}.S{number}.Left--; {name}.S{number}.Left <= 0 {{"
        f" if {name}T := {name}.S{number}.Due(); {name}T != 0"
        f" {{ defer {name}.S{number}.Exit({name}T) }} }} }};"
    )


def test_only_packages_that_others_can_import_are_public() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc Own() {}\n",
        "sub/b.go": "package other\nfunc Sub() {}\n",
        "sub/internal/c.go": "package c\nfunc Internal() {}\n",
        "cmd/tool/main.go": "package main\nfunc Main() {}\n",
        "sub/testdata/d.go": "package d\nfunc Data() {}\n",
        "vendor/example.org/e/e.go": "package e\nfunc Vendored() {}\n",
        "Godeps/_workspace/src/example.org/f/f.go": "package f\nfunc Old() {}\n",
        "_examples/g.go": "package g\nfunc Example() {}\n",
        "a_test.go": "package lib\nfunc Test() {}\n",
        "b_test.go": "package lib_test\nfunc Outer() {}\n",
        "gen.go": "//go:build ignore\n\npackage main\nfunc Generate() {}\n",
    }
    assert ["example.org/lib.Own", "example.org/lib/sub.Sub"] == listed(tree)


@pytest.mark.parametrize(
    ("own", "other", "public"),
    [
        ("example.org/lib", "benchmarks", False),
        ("example.org/lib", "example.org/lib/v2", True),
        ("lib", "benchmarks", True),
    ],
)
def test_a_module_that_nobody_can_fetch_is_not_public_beside_one_that_all_can(
    own: str, other: str, public: bool
) -> None:
    tree = {
        "go.mod": f"module {own}\n",
        "a.go": "package lib\nfunc Own() {}\n",
        "benchmark/go.mod": f"module {other}\n",
        "benchmark/b.go": "package other\nfunc Other() {}\n",
    }
    assert public is (f"{other}.Other" in listed(tree))


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("example.org/lib/sub/internal.Internal", "sub/internal/c.go"),
        ("example.org/lib/cmd/tool.Main", "cmd/tool/main.go"),
        ("example.org/lib/testdata.Data", "testdata/d.go"),
        ("example.org/lib.Helper", "a_test.go"),
        ("example.org/lib_test.Outer", "b_test.go"),
        ("example.org/lib.Elsewhere", "a_plan9.go"),
    ],
)
def test_what_is_not_public_can_be_probed_by_its_id(method: str, path: str) -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc Own() {}\n",
        "sub/internal/c.go": "package c\nfunc Internal() {}\n",
        "cmd/tool/main.go": "package main\nfunc Main() {}\n",
        "testdata/d.go": "package d\nfunc Data() {}\n",
        "a_test.go": "package lib\nfunc Helper() {}\n",
        "b_test.go": "package lib_test\nfunc Outer() {}\n",
        "a_plan9.go": "package lib\nfunc Elsewhere() {}\n",
    }
    patch = instrumented(tree, method)
    assert (method,) == patch.instrumented
    assert site() in patch.files[path]


def test_definitions_for_different_machines_all_carry_the_probe_and_the_one_for_here_is_listed() -> None:
    tree = {"go.mod": GO_MOD}
    tree["here.go"] = f"//go:build {sys.platform} && {HERE}\n\npackage lib\n\nfunc F() {{}}\n"
    tree["aaa_plan9.go"] = "package lib\nfunc F() int { return 2 }\n"
    tree["aab.go"] = "// +build windows,386 js\n\npackage lib\nfunc F() int { return 3 }\n"
    (method,) = GoInjector().api_methods(tree).methods
    assert ("here.go", 5) == (method.path, method.line)
    patch = instrumented(tree, "example.org/lib.F")
    assert all(site() in patch.files[path] for path in ("here.go", "aaa_plan9.go", "aab.go"))


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a_linux.go", "", sys.platform == "linux"),
        ("a_windows.go", "", sys.platform == "win32"),
        (f"a_linux_{HERE}.go", "", sys.platform == "linux"),
        (f"a_plan9_{HERE}.go", "", False),
        ("a_plan9_more.go", "", True),
        ("plan9.go", "", True),
        ("a.go", "//go:build !plan9 && (linux || darwin || windows)\n", True),
        ("a.go", "//go:build go1.18\n", True),
        ("a.go", "//go:build race\n", False),
        ("a.go", "// +build ignore\n", False),
        ("a.go", "// +build !plan9,gc appengine\n", True),
        ("a.go", "// +build linux darwin windows\n// +build appengine\n", False),
        ("a.go", "/*\n//go:build ignored, for it stands in a comment\n*/\n", True),
    ],
)
def test_file_names_and_constraints_say_what_is_compiled_here(name: str, head: str, expected: bool) -> None:
    tree = {"go.mod": GO_MOD, name: f"{head}\npackage lib\nfunc F() {{}}\n"}
    assert expected == (listed(tree) == ["example.org/lib.F"])


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", ["example.org/lib.G"]),
        ("-tags=special", ["example.org/lib.F"]),
        ("-race -tags other,special", ["example.org/lib.F"]),
        ("--tags='other special'", ["example.org/lib.F"]),
        ("-tags=other", ["example.org/lib.G"]),
    ],
)
def test_what_is_compiled_with_the_users_own_tags_is_listed(flags: str, expected: list[str]) -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "//go:build special\n\npackage lib\nfunc F() {}\n",
        "b.go": "//go:build !special\n\npackage lib\nfunc G() {}\n",
    }
    go = language()
    assert expected == listed(go.as_built(tree, {"GOFLAGS": flags}))
    assert tree == go.as_built(tree, {})


def test_a_first_page_is_no_source_but_where_it_may_tell_the_import_path() -> None:
    tree = {"a.go": "package lib\n", "README.md": "go get example.org/lib\n", "b/README.md": "B\n"}
    go = language()
    assert {"a.go", "README.md"} == go.as_built(tree, {}).keys()
    assert {"a.go", "go.mod"} == go.as_built({**tree, "go.mod": GO_MOD}, {}).keys()


def test_each_module_has_import_paths_and_a_runtime_of_its_own() -> None:
    tree = {
        "go.work": "go 1.21\n\nuse (\n\t.\n\t./sub\n)\n",
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc A() {}\n",
        "sub/go.mod": "module example.org/other/v2 // not below\n",
        "sub/deep/b.go": "package deep\nfunc B() {}\n",
    }
    methods = ["example.org/lib.A", "example.org/other/v2/deep.B"]
    assert methods == listed(tree)
    patch = instrumented(tree, *methods)
    runtimes = {f"{root}{FOLDER}/{name}" for root in ("", "sub/") for name in (*FILES, SWITCHES)}
    assert {"a.go", "sub/deep/b.go"} | runtimes == set(patch.files)
    assert '; import _abs "example.org/other/v2/internal/absauditprobe"\n' in patch.files["sub/deep/b.go"]
    numbers = [patch.files[f"{root}{FOLDER}/{SWITCHES}"] for root in ("", "sub/")]
    assert ['copyNumber = "0"' in numbers[0], 'copyNumber = "1"' in numbers[1]] == [True, True]


def test_sources_older_than_modules_have_the_import_path_that_they_write_themselves() -> None:
    tree = {
        "a.go": 'package lib // import "example.org/old"\nfunc A() {}\n',
        "sub/b.go": 'package sub\nimport "example.org/old"\nfunc B() { old.A() }\n',
    }
    assert ["example.org/old.A", "example.org/old/sub.B"] == listed(tree)
    patch = instrumented(tree, "example.org/old.A")
    head = 'package lib; import _abs "example.org/old/internal/absauditprobe" // import "example.org/old"\n'
    assert f"{head}func A() {{{site()}}}\n" == patch.files["a.go"]


def test_the_folder_of_the_runtime_is_one_that_the_subject_does_not_have() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc A() {}\n",
        f"{FOLDER}/x.go": "package absauditprobe\n",
    }
    patch = instrumented(tree, "example.org/lib.A")
    assert "internal/absauditprobe_/zz_abs_audit_probe.go" in patch.files
    assert '"example.org/lib/internal/absauditprobe_"' in patch.files["a.go"]


def test_a_promoted_method_leads_to_its_implementation_in_another_package() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": 'package lib\nimport in "example.org/lib/internal/core"\ntype Engine struct{ *in.Group }\n',
        "internal/core/c.go": "package core\ntype Group struct{}\nfunc (g *Group) Get() {}\n",
    }
    implementation, promoted = "example.org/lib/internal/core.(*Group).Get", "example.org/lib.(*Engine).Get"
    assert [promoted, implementation] == listed(tree)
    for method in (promoted, implementation, "example.org/lib.Engine.Get"):
        patch = instrumented(tree, method)
        assert (method,) == patch.instrumented
        assert site() in patch.files["internal/core/c.go"]
        assert "a.go" not in patch.files


def test_an_alias_makes_methods_of_an_internal_type_public() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": 'package lib\nimport "example.org/lib/internal/core"\ntype Engine = core.Engine\n',
        "internal/core/c.go": "package core\ntype Engine struct{}\nfunc (Engine) Run() {}\n",
    }
    assert ["example.org/lib.Engine.Run", "example.org/lib/internal/core.Engine.Run"] == listed(tree)


def test_what_callers_know_by_an_exported_interface_is_public_api() -> None:
    """Of goldmark's users everyone calls `Convert` of what `New` returns, which is an unexported type's."""
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\n"
        "type Reader interface{ Read() }\n"
        "type Markdown interface{ Reader; Convert() }\n"
        "type Number interface{ ~int }\n"
        "type hidden interface{ Hide() }\n"
        "type base struct{}\n"
        "func (base) Read() {}\n"
        "func (base) Hide() {}\n"
        "type markdown struct{ base }\n"
        "func (m *markdown) Convert() {}\n"
        "func (m *markdown) Beside() {}\n"
        "type partly struct{}\n"
        "func (partly) Convert() {}\n",
        "internal/b.go": "package internal\ntype I interface{ Run() }\ntype t int\nfunc (t) Run() {}\n",
    }
    assert ["example.org/lib.(*markdown).Convert", "example.org/lib.base.Read"] == listed(tree)


def test_embedding_in_a_circle_ends() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\ntype A struct{ *B }\ntype B struct{ *A }\nfunc (*B) Run() {}\n"
        "type C = C\ntype D = E\ntype E = D\ntype F G\ntype G F\ntype H interface{ H }\ntype I struct{ H }\n",
    }
    assert ["example.org/lib.(*A).Run", "example.org/lib.(*B).Run"] == listed(tree)


METHODS = {
    "go.mod": GO_MOD,
    "a.go": "package lib\n"
    "type Context struct{}\n"
    "func (c *Context) JSON() {}\n"
    "type Errors []error\n"
    "func (e Errors) Last() {}\n"
    "type List[T any] struct{}\n"
    "func (l *List[T]) Push(x T) {}\n"
    "func Assembled()\n"
    "type Shape interface{ Area() int }\n"
    "type Square int\n"
    "func (s Square) Area() int { return 0 }\n"
    "func init() {}\n",
}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("example.org/lib.Context.JSON", "example.org/lib.(*Context).JSON"),
        ("example.org/lib.*Errors.Last", "example.org/lib.Errors.Last"),
        ("example.org/lib.*Context.JSON", "example.org/lib.(*Context).JSON"),
        ("example.org/lib.(*List[T]).Push", "example.org/lib.(*List).Push"),
        ("example.org/lib.List.Push", "example.org/lib.(*List).Push"),
        ("lib.(*Context).JSON", "example.org/lib.(*Context).JSON"),
        ("(*Context).JSON", "example.org/lib.(*Context).JSON"),
        ("Context.JSON", "example.org/lib.(*Context).JSON"),
        ("example.org/lib.(*context).json", "example.org/lib.(*Context).JSON"),
        ("example.org/lib.(*Context).JSONs", "example.org/lib.(*Context).JSON"),
    ],
)
def test_an_id_that_is_close_is_answered_by_the_right_one(wrong: str, right: str) -> None:
    assert f"no such method in the sources: did you mean {right}?" == reason(METHODS, wrong)


def test_a_method_of_a_value_receiver_is_known_by_its_pointer_too() -> None:
    patch = instrumented(METHODS, "example.org/lib.(*Errors).Last")
    assert ("example.org/lib.(*Errors).Last",) == patch.instrumented
    assert patch.files["a.go"] == instrumented(METHODS, "example.org/lib.Errors.Last").files["a.go"]
    assert {"example.org/lib.(*Errors).Last": "example.org/lib.Errors.Last"} == patch.bodies


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("example.org/lib.Assembled", "no body: it is written in assembly or provided by another package"),
        (
            "example.org/lib.Shape.Area",
            "a method of an interface has no body; slow an implementation down: example.org/lib.Square.Area",
        ),
        ("example.org/lib.init", "init: Go itself calls it, once and before anything is measured"),
        ("what.ever", "no such method in the sources: list them with `abs-audit inject`"),
        (
            "example.org/lib/vendor/example.org/other.F",
            "vendored: the source of another project; replace it by a copy and audit that",
        ),
    ],
)
def test_a_method_that_cannot_carry_a_probe_says_why(method: str, expected: str) -> None:
    assert expected == reason(METHODS, method)


def test_linked_and_closed_functions_are_refused_wherever_the_directive_stands() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": 'package lib\nimport _ "unsafe"\n'
        "//go:linkname Pulled runtime.nanotime\nfunc Pulled() int64\n"
        "func Pushed() {}\n//go:linkname Pushed\n"
        "//go:nosplit\n\n// Tight has its directive above an empty line.\nfunc Tight() {}\n"
        "type T int\n//go:linkname (*T).Set other.Set\nfunc (t *T) Set() {}\n"
        "//go:noinline\nfunc Free() {}\n",
    }
    assert ["example.org/lib.Free"] == listed(tree)
    reasons = {
        skipped.method.rpartition(".")[2]: skipped.reason
        for skipped in GoInjector().api_methods(tree).skipped
    }
    assert ["Pulled", "Pushed", "Set", "Tight"] == sorted(reasons)
    assert "linkname" in reasons["Set"]
    assert "nosplit" in reasons["Tight"]


def test_a_file_that_is_not_go_is_named_and_costs_the_others_nothing() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc A() { if }\nfunc B() {}\n",
        "c.go": "package lib\nfunc C() {}\n",
    }
    listing = GoInjector().api_methods(tree)
    assert {"example.org/lib.B", "example.org/lib.C"} <= {method.id for method in listing.methods}
    reasons = {skipped.method: skipped.reason for skipped in listing.skipped}
    assert "a.go, line 2: expected Go, found a syntax error" == reasons["example.org/lib.*"]


def spliced(before: str, name: str = "_abs") -> str:
    """Return what the text of a file becomes whose bodies are marked by `{⟦`."""
    tree = {"go.mod": GO_MOD, "a.go": before.replace("⟦", "")}
    patch = instrumented(tree, *listed(tree))
    runtime = f'; import {name} "example.org/lib/{FOLDER}"'
    after, numbers = before, iter(range(before.count("⟦")))
    while "⟦" in after:
        after = after.replace("⟦", site(next(numbers), name), 1)
    head, clause, rest = after.partition("package lib")
    assert head + clause + runtime + rest == patch.files["a.go"]
    return patch.files["a.go"]


@pytest.mark.parametrize(
    "before",
    [
        "\ufeffpackage lib\r\n\r\nfunc A() int {⟦\r\n\treturn 1\r\n}\r\n",
        "package lib;func A(){⟦};func B(){⟦}",
        "// Library says:\n//\n//\tpackage other\npackage lib /* odd */ // end\n\nfunc A() {⟦ // x\n}\n",
        "package lib\n\n//line other.go:7\nfunc A() {⟦ /* } */ _ = '{'; _ = \"}\"; _ = `\n}` }\n",
        'package lib\n/*\n#include <x.h>\n*/\nimport "C"\n\n//export A\nfunc A() C.int {⟦ return 0 }\n',
        "package lib\nfunc A(f func() struct{ x int }) interface{ M() } {⟦\nL:\n\tfor { break L } }",
        "package lib\nfunc A[T interface{ ~int | ~string }](größe T) T {⟦ return größe } // ☃\n",
    ],
    ids=["bom_and_crlf", "semicolons", "clause", "directives", "cgo", "braces_in_types", "generic"],
)
def test_all_but_the_splices_stays_as_it_is_to_the_byte(before: str) -> None:
    spliced(before)


def test_names_that_the_subject_uses_anywhere_are_left_alone() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc A() {}\n",
        "b_test.go": "package lib\nvar _abs, _abs_T = 1, 2\n",
    }
    patch = instrumented(tree, "example.org/lib.A")
    assert f"func A() {{{site(name='_abs__')}}}\n" in patch.files["a.go"]


def test_nothing_is_added_for_methods_that_are_not_there() -> None:
    patch = instrumented(METHODS, "example.org/lib.Context.JSON", "nothing.Here")
    assert ({}, (), 2) == (patch.files, patch.instrumented, len(patch.skipped))


def test_text_that_is_not_utf_8_survives() -> None:
    tree = {"go.mod": GO_MOD, "a.go": 'package lib\nfunc A() string { return "\udce9" }\n'}
    patch = instrumented(tree, "example.org/lib.A")
    assert '"\udce9"' in patch.files["a.go"]


def test_the_same_request_yields_the_same_build_and_another_one_another() -> None:
    methods = ["example.org/lib.Errors.Last", "example.org/lib.(*Context).JSON"]
    first, again, other = (instrumented(METHODS, *some) for some in (methods, methods, methods[:1]))
    assert (first.build_id, first.files) == (again.build_id, again.files)
    assert first.build_id != other.build_id


def returns(count: int) -> str:
    return "".join(f"\tcase {at}:\n\t\treturn {at}\n" for at in range(count))


@pytest.mark.parametrize(
    ("body", "outside"),
    [
        (f"switch n {{\n{returns(14)}\t}}\n\treturn n", False),
        (f"switch n {{\n{returns(15)}\t}}\n\treturn n", True),
        (f"defer f()\n\tswitch n {{\n{returns(6)}\t}}\n\treturn n", False),
        (f"defer f()\n\tswitch n {{\n{returns(7)}\t}}\n\treturn n", True),
        (f"for n > 1 {{\n\tdefer f()\n}}\n\tswitch n {{\n{returns(20)}\t}}\n\treturn n", False),
        ("defer f();" * 8 + "return n", True),
        ("defer f();" * 9 + "return n", False),
        (f"g := func() int {{ switch n {{\n{returns(30)}\t}}\n return 0 }}\n\treturn g()", False),
        (f"switch recover() {{\n{returns(20)}\t}}\n\treturn n", False),
        (f"defer func() {{ recover() }}()\n\tswitch n {{\n{returns(8)}\t}}\n\treturn n", True),
    ],
)
def test_a_body_in_which_one_more_defer_is_dear_is_timed_from_outside(body: str, outside: bool) -> None:
    tree = {"go.mod": GO_MOD, "a.go": f"package lib\nfunc f() {{}}\nfunc F(n int) int {{\n\t{body}\n}}\n"}
    text = instrumented(tree, "example.org/lib.F").files["a.go"]
    assert outside == ("DueOutside()" in text)


@pytest.mark.parametrize(
    ("signature", "call", "declaration"),
    [
        ("F(int, ...string) int", "_abs0(_absT, _absA0, _absA1...)", "F(_absP0, _absP1...)"),
        ("F(a, _ int, b []int) int", "_abs0(_absT, a, _absA0_1, b)", "F(_absP0, _absP1, _absP2)"),
        ("(*T) F() int", "_absR0._abs0(_absT)", "_absR.F()"),
        ("(t *T) F(F int) int", "t._abs0(_absT, F)", "_absR.F(_absP0)"),
        ("F[K, V any](k K) int", "_abs0[K, V](_absT, k)", "F[K, V](_absP0)"),
    ],
)
def test_a_body_that_is_timed_from_outside_is_given_all_its_arguments(
    signature: str, call: str, declaration: str
) -> None:
    body = f"n := 0\n\tswitch n {{\n{returns(20)}\t}}\n\treturn n"
    tree = {"go.mod": GO_MOD, "a.go": f"package lib\ntype T int\nfunc {signature} {{\n\t{body}\n}}\n"}
    text = instrumented(tree, *listed(tree)).files["a.go"]
    assert f"{{ return {call} }}" in text
    assert text.endswith(f"{{ defer _abs.S0.Exit(_absT); return {declaration} }}\n")


@pytest.mark.parametrize(
    "signature", ["F(F int) int", "F() (F int)", "F[T any](T int) int", "F[_ any]() int"]
)
def test_a_parameter_that_hides_the_function_leaves_the_defer_inside(signature: str) -> None:
    body = f"n := 0\n\tswitch n {{\n{returns(20)}\t}}\n\treturn n"
    tree = {"go.mod": GO_MOD, "a.go": f"package lib\nfunc {signature} {{\n\t{body}\n}}\n"}
    assert "DueOutside" not in instrumented(tree, *listed(tree)).files["a.go"]


def test_all_functions_are_listed_where_they_are_written() -> None:
    tree = {
        "go.mod": GO_MOD,
        "a.go": "package lib\nfunc own() {}\ntype t struct{}\nfunc (t) m() {}\n"
        "type U struct{ t }\nfunc init() {}\n",
        "cmd/main.go": "package main\nfunc main() {}\n",
        "a_test.go": "package lib\nfunc helper() {}\n",
    }
    listed = [method.id for method in GoInjector().all_functions(tree)]
    assert ["example.org/lib.own", "example.org/lib.t.m", "example.org/lib/cmd.main"] == sorted(listed)
    assert tuple(listed) == instrumented(tree, *listed).instrumented


def test_a_tree_without_go_has_no_packages() -> None:
    empty: Sequence[str] = list(packages({}))
    assert [] == empty
    assert ((), ()) == (GoInjector().api_methods({}).methods, instrumented({}).instrumented)
