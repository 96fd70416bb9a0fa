"""Which methods a change touches: themselves, and through what they call."""

import re

import pytest

from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.score.untouched import untouched
from abs_audit.injectors.python.injector import PythonInjector

ASKED = ("pkg.a.render", "pkg.a.title", "pkg.b.load")
A = "LIMIT = 3\n\ndef title(text):\n    return _clean(text)\n\ndef _clean(text):\n    return text.strip()\n"
RENDER = "\ndef render(text):\n    return title(text)[:LIMIT]\n"
B = "def load(path):\n    return open(path).read()\n"
BEFORE = {"pkg/__init__.py": "", "pkg/a.py": A + RENDER, "pkg/b.py": B, "pyproject.toml": "x = 1\n"}


def sources(tree: dict[str, str]) -> Sources:
    return Sources(tree=tree, methods=PythonInjector().all_functions(tree))


def change(**files: str) -> set[str]:
    named = {name.replace("__", "/") + ".py": text for name, text in files.items()}
    return set(ASKED) - set(untouched(sources(BEFORE), sources({**BEFORE, **named}), ASKED, {}))


def test_nothing_changed_touches_nothing() -> None:
    assert untouched(sources(BEFORE), sources(BEFORE), ASKED, {}) == ASKED


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


BOOK = """\
class Book:
    def __init__(self, text):
        self.text = text

    @property
    def size(self):
        return len(self.text)

def memo(function):
    return function

def key(book):
    return book.text

"""
OTHER = "def other(text):\n    return text\n"


@pytest.mark.parametrize(
    "user",
    [
        "def use(text):\n    return Book(text)\n",
        "def use(text):\n    return text.size\n",
        "def use(text):\n    return sorted(text, key=key)\n",
        "@memo\ndef use(text):\n    return text\n",
    ],
    ids=["constructor", "property", "argument", "decorator"],
)
def test_what_is_called_without_its_own_name_before_a_bracket_is_seen(user: str) -> None:
    tree = {**BEFORE, "pkg/book.py": BOOK, "pkg/c.py": f"{user}\n{OTHER}"}
    changed = re.sub("(= text|.text\\)|return function|book.text)\n", r"\1  # changed\n", BOOK)
    after = sources({**tree, "pkg/book.py": changed})
    assert untouched(sources(tree), after, ("pkg.c.use", "pkg.c.other"), {}) == ("pkg.c.other",)


@pytest.mark.parametrize("name", ["pyproject.toml", "pkg/data.json"])
def test_what_is_no_source_may_concern_every_method(name: str) -> None:
    after = sources({**BEFORE, name: "changed\n"})
    assert untouched(sources(BEFORE), after, ASKED, {}) == ()


RENDERING = "def test_render(benchmark):\n    book = sample()\n    benchmark(book.render)\n"
LOADING = "def test_load(benchmark):\n    benchmark(load, 'x')\n"
UNIT = "def test_title():\n    assert title(' a') == 'a'\n"
HELPER = "def sample():\n    return Book('x')\n"
SUITE = "\n\n".join(("import pytest", HELPER, RENDERING, LOADING))
CALLERS = {"pkg.a.render": ["tests/bench.py::test_render"], "pkg.a.title": ["tests/bench.py::test_render[1]"]}


def of_suite(text: str, before: str = SUITE, path: str = "tests/bench.py") -> set[str]:
    """Return what is asked again where a file beside the library changes to `text`."""
    old, new = sources({**BEFORE, path: before}), sources({**BEFORE, path: text})
    return set(ASKED) - set(untouched(old, new, ASKED, CALLERS))


def test_what_a_deleted_benchmark_noticed_is_asked_again() -> None:
    assert {"pkg.a.render", "pkg.a.title"} == of_suite(SUITE.replace(RENDERING, ""))


def test_a_new_benchmark_of_a_constructor_asks_for_it() -> None:
    tree = {**BEFORE, "pkg/book.py": BOOK}
    after = sources({**tree, "tests/bench.py": "def test_new(benchmark):\n    benchmark(Book, 'x')\n"})
    asked = ("pkg.book.Book.__init__", "pkg.book.key")
    assert untouched(sources(tree), after, asked, {}) == ("pkg.book.key",)


def test_what_a_new_benchmark_may_notice_is_asked_again() -> None:
    assert {"pkg.b.load"} == of_suite(SUITE, before=SUITE.replace(LOADING, ""))


def test_a_changed_helper_touches_the_benchmarks_that_name_it() -> None:
    assert {"pkg.a.render", "pkg.a.title"} == of_suite(SUITE.replace("Book('x')", "Book('x' * 9)"))


def test_a_replaced_import_touches_all_benchmarks_beside_it() -> None:
    assert set(ASKED) == of_suite(SUITE.replace("import pytest", "import other as pytest"))


def test_one_more_import_and_a_unit_test_touch_nothing() -> None:
    assert set() == of_suite("import re\n" + SUITE)
    assert set() == of_suite(UNIT.replace("' a'", "'  a'"), before=UNIT, path="tests/test_a.py")
