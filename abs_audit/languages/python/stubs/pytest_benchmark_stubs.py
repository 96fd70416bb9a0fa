"""Writes missing benchmarks for pytest-benchmark, and for CodSpeed's plugin."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from abs_audit.grouping import commonest
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import POOL, Draft
from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.library import Function
from abs_audit.languages.python.stubs.proposal import Proposal, Writer
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, habits
from abs_audit.languages.python.suites.pytest_benchmark import TEST_FILES
from abs_audit.model.subject import Benchmark, SourceTree

FIXTURES = ("benchmark", "codspeed_benchmark")
PREFIXES = ("test_", "bench_", "benchmark_")
SUFFIXES = ("_test", "_tests", "_bench", "_benchmark", "_benchmarks")
DEFAULT = Habits(folder="benchmarks", prefix="test_", suffix="", annotated=False, future=False)
ROUNDS = 100


class PytestBenchmarkStubs(Writer):
    """The writer of tests that use the `benchmark` fixture."""

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a test in a file of its own, named as the existing ones are."""
        files = frozenset(benchmark.id.split("::")[0] for benchmark in request.existing)
        proposal = self.proposal(tree, files, request)
        style = habits(proposal.pages, DEFAULT, PREFIXES, SUFFIXES)
        if TEST_FILES.fullmatch(f"{style.prefix}{style.suffix}.py") is None:
            style = replace(style, prefix=DEFAULT.prefix)
        path = proposal.path(style)
        test = f"{_function_prefix(request.existing)}{proposal.name}"
        text = _text(proposal, style, test, _fixture(proposal.pages))
        return proposal.stub(path, text, f"{path}::{test}")


def _function_prefix(existing: Sequence[Benchmark]) -> str:
    """Return what the names of the existing tests begin with."""
    names = [benchmark.id.partition("[")[0].rpartition("::")[2] for benchmark in existing]
    prefix = commonest(prefix for name in names for prefix in PREFIXES if name.startswith(prefix))
    return prefix or "test_"


def _fixture(pages: Sequence[Page]) -> str:
    """Return the name of the fixture that the existing tests ask for."""
    functions = [node for page in pages for node in ast.walk(page.body) if isinstance(node, Function)]
    used = commonest(
        argument.arg for node in functions for argument in node.args.args if argument.arg in FIXTURES
    )
    return used or FIXTURES[0]


def _text(proposal: Proposal, style: Habits, test: str, fixture: str) -> str:
    draft = proposal.draft
    needed = {Import(module="asyncio", name="")} if draft and draft.is_async else set[Import]()
    if style.annotated:
        needed.add(Import(module="pytest_benchmark.fixture", name="BenchmarkFixture"))
    return layout.file(
        proposal,
        style,
        needed,
        "pytest_benchmark.j2",
        test=test,
        fixture=fixture,
        annotated=style.annotated,
        direct=_direct(draft) if draft else "",
        pool_size=POOL,
        rounds=ROUNDS,
    )


def _direct(draft: Draft) -> str:
    """Return what the fixture is handed where it can make the timed call itself."""
    if draft.call is None:
        return ""
    return ", ".join(map(ast.unparse, [draft.call.func, *draft.call.args, *draft.call.keywords]))
