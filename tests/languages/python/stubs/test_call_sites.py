"""What may be a call of a method: every way in which Python comes to one, and what stands there for it."""

import ast

import pytest

from abs_audit.languages.python.stubs.call_sites import call_sites
from abs_audit.languages.python.stubs.example_sources import Origin, Page

# A statement, the name that the method goes by, what it is looked up on, and its arguments.
USES = [
    ("render(text, wide=True)", "render", None, ["text", "wide=True"]),
    ("book.render(text)", "render", "book", ["text"]),
    ("handler(text)", "__call__", "handler", ["text"]),
    ("make().render()", "render", "make()", []),
    ("benchmark(book.render, text)", "render", "book", ["text"]),
    ("benchmark(render, text)", "render", None, ["text"]),
    ("runner.bench_func('a name', book.render, text)", "render", "book", ["text"]),
    ("len(book)", "__len__", "book", []),
    ("book == other", "__eq__", "book", ["other"]),
    ("book < other", "__lt__", "book", ["other"]),
    ("page in book", "__contains__", "book", ["page"]),
    ("page not in book", "__contains__", "book", ["page"]),
    ("book + other", "__add__", "book", ["other"]),
    ("book @ other", "__matmul__", "book", ["other"]),
    ("book[3]", "__getitem__", "book", ["3"]),
    ("book[:2]", "__getitem__", "book", ["slice(None, 2)"]),
    ("book[1:9:2, 3]", "__getitem__", "book", ["(slice(1, 9, 2), 3)"]),
    ("book.title", "title.getter", "book", []),
    ("book.title = text", "title.setter", "book", ["text"]),
    ("book[3] = page", "__setitem__", "book", ["3", "page"]),
    ("book[1:] = pages", "__setitem__", "book", ["slice(1, None)", "pages"]),
    ("with book: pass", "__enter__", "book", []),
]
NO_USES = [
    ("book[3] = page", "__getitem__"),  # stored, not read
    ("book.title = text", "title.getter"),
    ("book < other < last", "__lt__"),  # nothing tells which of the two is meant
    ("book is other", "__eq__"),
    ("pytest.raises(ValueError, book.render, text)", "render"),
    ("with pytest.raises(ValueError): book.render(text)", "render"),
    ("def test_invalid_text(): book.render(text)", "render"),
]


def sites(source: str, name: str) -> list[tuple[str | None, list[str]]]:
    page = Page(path="test_it.py", origin=Origin.TEST, body=ast.parse(source), bound={}, module="test_it")
    return [
        (
            ast.unparse(site.receiver) if site.receiver else None,
            [*map(ast.unparse, (*site.args, *site.keywords))],
        )
        for site in call_sites([page]).get(name, ())
    ]


@pytest.mark.parametrize(("source", "name", "receiver", "arguments"), USES, ids=[use[0] for use in USES])
def test_a_use_of_a_method_is_found_by_its_name(
    source: str, name: str, receiver: str | None, arguments: list[str]
) -> None:
    assert [(receiver, arguments)] == sites(source, name)


@pytest.mark.parametrize(("source", "name"), NO_USES, ids=[use[0] for use in NO_USES])
def test_what_is_expected_to_fail_or_no_call_at_all_is_no_use(source: str, name: str) -> None:
    assert [] == sites(source, name)


def test_benchmarks_come_before_tests() -> None:
    pages = [
        Page(path=f"{origin.name}.py", origin=origin, body=ast.parse("render()"), bound={}, module="m")
        for origin in (Origin.DOCUMENTATION, Origin.TEST, Origin.BENCHMARK)
    ]
    assert ["BENCHMARK.py", "TEST.py", "DOCUMENTATION.py"] == [
        site.page.path for site in call_sites(pages)["render"]
    ]
