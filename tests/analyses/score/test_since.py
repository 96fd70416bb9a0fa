"""Which methods a change touches: themselves, and through what they call."""

import pytest

from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.score.since import untouched
from abs_audit.injectors.python.injector import PythonInjector

ASKED = ("pkg.a.render", "pkg.a.title", "pkg.b.load")
A = "LIMIT = 3\n\ndef title(text):\n    return _clean(text)\n\ndef _clean(text):\n    return text.strip()\n"
RENDER = "\ndef render(text):\n    return title(text)[:LIMIT]\n"
B = "def load(path):\n    return open(path).read()\n"
BEFORE = {"pkg/__init__.py": "", "pkg/a.py": A + RENDER, "pkg/b.py": B, "pyproject.toml": "x = 1\n"}


def sources(tree: dict[str, str]) -> Sources:
    return Sources(tree=tree, methods=PythonInjector().all_functions(tree).methods)


def change(**files: str) -> set[str]:
    named = {name.replace("__", "/") + ".py": text for name, text in files.items()}
    return set(ASKED) - set(untouched(sources(BEFORE), sources({**BEFORE, **named}), ASKED))


def test_nothing_changed_touches_nothing() -> None:
    assert untouched(sources(BEFORE), sources(BEFORE), ASKED) == ASKED


def test_a_changed_body_touches_its_method_alone() -> None:
    assert {"pkg.b.load"} == change(pkg__b=B.replace("read()", "read().strip()"))


def test_a_private_function_touches_all_that_call_it_through_others() -> None:
    changed = change(pkg__a=A.replace("text.strip()", "text.strip().lower()") + RENDER)
    assert {"pkg.a.render", "pkg.a.title"} == changed


def test_a_constant_touches_the_functions_of_its_file() -> None:
    assert {"pkg.a.render", "pkg.a.title"} == change(pkg__a=A.replace("= 3", "= 4") + RENDER)


def test_a_new_helper_touches_those_that_call_it() -> None:
    helper = B.replace("open(path)", "_opened(path)") + "\ndef _opened(path):\n    return open(path)\n"
    assert {"pkg.b.load"} == change(pkg__b=helper)


@pytest.mark.parametrize("name", ["pyproject.toml", "pkg/data.json"])
def test_what_is_no_source_may_concern_every_method(name: str) -> None:
    after = sources({**BEFORE, name: "changed\n"})
    assert untouched(sources(BEFORE), after, ASKED) == ()
