"""A page shows of each method what its probe changes, and nothing of its neighbours."""

import pytest

from abs_audit.analyses.audit.injected import GAP, LONGEST, changed
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.injectors.python.injector import PythonInjector
from abs_audit.interfaces import Injector

PYTHON = '''class Book:
    def title(self):
        """Return it."""
        name = self.name

        return name.upper()

    def index(self):
        return len(self.name)
'''
GO = "package p\n\nfunc A() int {\n\treturn 1\n}\n\nfunc B() int {\n\treturn 2\n}\n"
JAVA = (
    "package p;\npublic class C {\n  public int a() {\n    return 1;\n  }\n"
    "  public int b() {\n    return 2;\n  }\n}\n"
)


@pytest.mark.parametrize(
    ("injector", "path", "text", "own"),
    [
        (PythonInjector(), "book/__init__.py", PYTHON, {"title": "name.upper()", "index": "len(self.name)"}),
        (GoInjector(), "a.go", GO, {"A": "return 1", "B": "return 2"}),
        (JavaInjector(), "p/C.java", JAVA, {"a": "return 1", "b": "return 2"}),
    ],
)
def test_each_method_has_its_own_change(
    injector: Injector, path: str, text: str, own: dict[str, str]
) -> None:
    tree = {path: text, "go.mod": "module p\n"}
    methods = injector.api_methods(tree).methods
    patch = injector.instrument(tree, [method.id for method in methods])
    ends = [*(method.line for method in methods[1:]), 1000]
    found = [
        changed(text, patch.files[path]).within(method.line, end)
        for method, end in zip(methods, ends, strict=True)
    ]
    assert len(own) == len(found)
    for shown, expected, other in zip(found, own.values(), reversed(own.values()), strict=True):
        added = [line for line in shown.split("\n") if line.startswith("+")]
        assert expected in shown
        assert any("abs" in line for line in added)
        assert not any(other in line for line in added)


def test_a_body_that_is_only_indented_is_no_change() -> None:
    old = "name = self.name\n\n        return"
    after = PYTHON.replace(old, "try:\n            name = self.name\n\n            return")
    shown = changed(PYTHON, after).within(2, 8)
    assert ["+        try:"] == [line for line in shown.split("\n") if line[:1] in "+-"]
    assert "" == changed(PYTHON, after).within(8, 100)


def test_a_long_change_is_cut() -> None:
    shown = changed("a", "a\n" + "b\n" * 100).within(1, 5)
    assert (LONGEST + 1, GAP) == (shown.count("\n") + 1, shown.split("\n")[-1])


def test_what_lies_between_two_changes_is_told_once() -> None:
    after = "head\n+1\na\nb\nc\n+2\nd\ne\nf\ng\nh\ni\n+3\nend"
    before = "head\na\nb\nc\nd\ne\nf\ng\nh\ni\nend"
    shown = [line[1:] for line in changed(before, after).within(1, 100).split("\n")]
    assert ["head", "+1", "a", "b", "c", "+2", "d", "e", " ⋯", "h", "i", "+3", "end"] == shown
