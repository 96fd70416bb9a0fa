"""Proposed benchmarks compile, are named as the suite will name them, and call their method."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from abs_audit.interfaces import StubRequest, StubWriter
from abs_audit.model.subject import Benchmark
from abs_audit.stubs.asv import AsvStubs
from abs_audit.stubs.pyperf import PyperfStubs
from abs_audit.stubs.pytest_benchmark import PytestBenchmarkStubs

SUBJECTS = Path(__file__).parents[2] / "fixtures" / "subjects"
WRITERS: dict[str, StubWriter] = {
    "asv": AsvStubs(),
    "pyperf": PyperfStubs(),
    "pytest_benchmark": PytestBenchmarkStubs(),
}


def tree(framework: str) -> dict[str, str]:
    root = SUBJECTS / framework
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.suffix in {".py", ".toml", ".json"}
    }


def request(method: str, *arguments: str) -> StubRequest:
    existing = (Benchmark(id="benchmarks/test_book.py::test_index", parameters={}),)
    return StubRequest(method=method, arguments=arguments, existing=existing)


@pytest.mark.parametrize("framework", WRITERS)
@pytest.mark.parametrize(
    "method", ["wordbook.book.Book.export", "wordbook.book.Book.title", "wordbook.book.checksum"]
)
def test_a_stub_is_a_new_file_that_compiles_and_says_what_it_watches(framework: str, method: str) -> None:
    found = WRITERS[framework].stub(tree(framework), request(method, '{"receiver": null, "args": "50"}'))

    compile(found.text, found.path, "exec")
    assert found.benchmark is not None
    assert method in found.text
    assert found.path not in tree(framework)


@pytest.fixture
def wordbook(monkeypatch: pytest.MonkeyPatch) -> object:
    """Import the fixture library for one test only."""
    monkeypatch.syspath_prepend(str(SUBJECTS / "pytest_benchmark" / "src"))
    yield __import__("wordbook")
    for name in [name for name in sys.modules if name.split(".")[0] == "wordbook"]:
        del sys.modules[name]


def test_a_stub_really_calls_its_method(wordbook: object, monkeypatch: pytest.MonkeyPatch) -> None:
    found = PytestBenchmarkStubs().stub(tree("pytest_benchmark"), request("wordbook.book.Book.export"))
    calls: list[int] = []
    monkeypatch.setattr("wordbook.Book.export", lambda self: calls.append(1))
    names: dict[str, Callable[..., None]] = {}
    exec(compile(found.text, found.path, "exec"), names)

    name = str(found.benchmark).rpartition("::")[2]
    names[name](lambda function, *arguments, **keywords: function(*arguments, **keywords))

    assert calls


def test_a_method_that_nothing_is_known_about_is_left_to_a_person_and_fails_visibly() -> None:
    sources = tree("pytest_benchmark") | {
        "src/wordbook/hard.py": "def connect(socket, handler):\n    return socket.send(handler)\n"
    }

    found = PytestBenchmarkStubs().stub(sources, request("wordbook.hard.connect"))

    assert found.reason
    assert found.benchmark is None or "made up" in found.reason
