"""Modules that no parser can be trusted with cost nothing but themselves."""

import pytest

from abs_audit.injectors.python.injector import PythonInjector
from abs_audit.injectors.python.outline import outline
from abs_audit.injectors.python.parsing import DEEPEST, UnreadableError, parsed

CHAIN = 20_000
DEEP = {
    "brackets": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "brackets in text for a newer Python": "?\nx = " + "[" * 3000 + "]" * 3000,
    "a sum": "x = " + "+".join(["1"] * CHAIN),
    "signs": "x = " + "-" * CHAIN + "1",
    "attributes": "x = a" + ".b" * CHAIN,
    "branches": "if a: pass\n" + "elif a: pass\n" * 1000,
}
ORDINARY = {
    "strings beside each other": "x = (" + "'a' " * 100 + ")",
    "a long list": "x = [" + "1, " * 5000 + "]",
    "a sum of some": "x = " + "+".join(["1"] * (DEEPEST // 2)),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="too deep"):
        parsed(text)


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_what_is_only_long_is_parsed(text: str) -> None:
    assert parsed(text).code == text


def test_a_body_that_cannot_be_written_back_is_skipped() -> None:
    strings = "'a' " * 2000
    tree = {"lib/__init__.py": f"def f():\n    return ({strings})\n"}
    patch = PythonInjector().instrument(tree, ["lib.f"])
    assert [(skipped.method, "too deep" in skipped.reason) for skipped in patch.skipped] == [("lib.f", True)]


def test_text_that_is_no_python_is_refused_with_its_line() -> None:
    with pytest.raises(UnreadableError, match="line 2: expected Python 3"):
        parsed("x = 1\ndef f(:\n")


def test_a_module_that_cannot_be_read_costs_no_other() -> None:
    tree = {"lib/__init__.py": "", "lib/deep.py": DEEP["a sum"], "lib/good.py": "def f():\n    return 1\n"}
    listing = PythonInjector().api_methods(tree)
    assert [method.id for method in listing.methods] == ["lib.good.f"]
    assert [skipped.method for skipped in listing.skipped] == ["lib.deep.*"]


@pytest.mark.parametrize(
    "text",
    [
        "@one\n@two(\n    3,\n)\ndef f():\n    def g(): return 1\n    return g\n\nasync def h(): ...\n",
        # What this Python may not know yet is left to libcst.
        "type X = int\n\ndef f[T](t: T) -> T:\n    return t\n\nclass A[T]:\n    def g(self): return 1\n",
        "def f():\n    return f'{'def'}'\n\ndef g():\n    return 1\n",
    ],
)
def test_a_definition_is_on_the_line_of_its_def(text: str) -> None:
    lines = text.splitlines()
    for definition in outline(text).definitions:
        assert f"def {definition.name.rpartition('.')[2]}" in lines[definition.line - 1]
