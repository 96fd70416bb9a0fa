"""Call trees need every function, not the API alone; each listed one can carry a probe."""

import pytest

from abs_audit.languages.table import languages

TREES = {
    "python": {
        "pkg/__init__.py": "class A:\n    def m(self):\n        return _f()\ndef _f():\n    return 1\n"
    },
    "go": {
        "go.mod": "module example.org/p\n\ngo 1.21\n",
        "p.go": "package p\n\ntype a struct{}\n\nfunc (x *a) m() int { return f() }\n\n"
        "func f() int { return 1 }\n",
        "p_test.go": "package p\n\nfunc helper() int { return 2 }\n",
    },
    "java": {
        "pom.xml": "<project/>",
        "src/main/java/p/A.java": "package p;\nclass A {\n  private int m() { return f(); }\n"
        "  static int f() { return 1; }\n}\n",
    },
}
EXPECTED = {
    "python": {"pkg.A.m", "pkg._f"},
    "go": {"example.org/p.(*a).m", "example.org/p.f"},
    "java": {"p.A.m()", "p.A.f()"},
}


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_private_functions_are_listed_and_can_be_instrumented(language: object) -> None:
    tree = TREES[language.name]  # type: ignore[attr-defined]
    listed = {method.id for method in language.injector.all_functions(tree)}  # type: ignore[attr-defined]

    assert EXPECTED[language.name] <= listed  # type: ignore[attr-defined]
    patch = language.injector.instrument(tree, sorted(listed))  # type: ignore[attr-defined]
    assert (listed, ()) == (set(patch.instrumented), patch.skipped)
