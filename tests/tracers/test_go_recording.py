"""The recording copy of a Go library, as text: which functions report, what they hand over, who they are."""

import pytest

from abs_audit.tracers.go.recording import FOLDER, recording

MODULE = {"go.mod": "module example.com/lib\n"}


def copied(text: str, path: str = "lib.go") -> str:
    return recording({**MODULE, path: text}).files.get(path, "")


@pytest.mark.parametrize(
    ("function", "after"),
    [
        ("func Open() { work() }", "func Open() { _abs.Call(0); work() }"),
        ("func Open(n int) { }", "func Open(n int) { _abs.Call(0, n); }"),
        ("func Open(a, b string, c bool) {}", "func Open(a, b string, c bool) { _abs.Call(0, a, b, c);}"),
        # Not everything can be written down as source text, and then nothing is.
        ("func Open(n int, f func()) {}", "func Open(n int, f func()) { _abs.Call(0);}"),
        ("func Open(_ int) {}", "func Open(_ int) { _abs.Call(0);}"),
        ("func Open(int) {}", "func Open(int) { _abs.Call(0);}"),
        ("func Open(n ...int) {}", "func Open(n ...int) { _abs.Call(0);}"),
        ("func (b *Book) Close() {}", "func (b *Book) Close() { _abs.Call(0);}"),
        ("func Map[T any](n int) {}", "func Map[T any](n int) { _abs.Call(0, n);}"),
    ],
)
def test_an_exported_function_reports_on_the_line_of_its_brace(function: str, after: str) -> None:
    expected = f'package lib; import _abs "example.com/lib/{FOLDER}"\n\n{after}\n'
    assert expected == copied(f"package lib\n\n{function}\n")


@pytest.mark.parametrize(
    "text",
    [
        "package lib\n\nfunc hidden() {}\n",
        "package main\n\nfunc Open() {}\n",
        "package lib\n\nfunc Open()\n",
        "package lib\n\n//go:nosplit\nfunc Open() {}\n",
        "package lib\n\nfunc Open( {}\n",
    ],
)
def test_what_cannot_be_called_or_must_not_be_changed_stays(text: str) -> None:
    assert "" == copied(text)


@pytest.mark.parametrize("path", ["lib_test.go", "testdata/lib.go", "_old/lib.go", "vendor/x/lib.go"])
def test_what_users_do_not_import_stays(path: str) -> None:
    assert "" == copied("package lib\n\nfunc Open() {}\n", path)


def test_a_module_inside_is_another_library() -> None:
    inner = {
        "inner/go.mod": "module example.com/inner\n",
        "inner/lib.go": "package inner\n\nfunc Open() {}\n",
    }
    assert {f"{FOLDER}/size.go"} == recording({**MODULE, **inner}).files.keys()


def test_no_name_of_the_sources_is_taken() -> None:
    assert "; import _abs_ " in copied("package lib\n\nvar _abs int\n\nfunc Open() {}\n")


def test_a_function_is_known_by_all_ids_that_it_is_executed_under() -> None:
    text = "package lib\n\ntype core struct{}\n\nfunc (core) Ping() {}\n\ntype Phone struct{ core }\n"
    made = recording({**MODULE, "lib.go": text})
    assert (("example.com/lib.core.Ping", "example.com/lib.Phone.Ping"),) == made.ids


def test_the_recorder_is_told_how_many_functions_there_are() -> None:
    made = recording({**MODULE, "lib.go": "package lib\n\nfunc A() {}\n\nfunc B() {}\n"})
    assert "const functions = 2" in made.files[f"{FOLDER}/size.go"]
