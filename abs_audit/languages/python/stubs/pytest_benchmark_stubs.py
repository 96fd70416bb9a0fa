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
        path = style.path(f"abs_audit_{proposal.name}")
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
    draft, kind = proposal.draft, ""
    needed = {Import(module="asyncio", name="")} if draft and draft.is_async else set[Import]()
    if style.annotated:
        needed.add(Import(module="pytest_benchmark.fixture", name="BenchmarkFixture"))
        kind = ": BenchmarkFixture"
    body = _body(draft, fixture, style) if draft else [layout.skeleton(proposal.task, proposal.reason)]
    function = layout.block(f"def {test}({fixture}{kind}){style.returns}", *body)
    return layout.file(proposal, style, needed, [function])


def _body(draft: Draft, fixture: str, style: Habits) -> list[str]:
    made = layout.bindings(draft.bindings)
    timed = _fresh if draft.pool else _cleared if draft.clear else _repeated
    return [*made, *([""] if made else []), *timed(draft, fixture, style)]


def _repeated(draft: Draft, fixture: str, style: Habits) -> list[str]:
    """Return a body for calls that may follow each other."""
    if draft.is_direct and draft.call is not None:
        args: list[ast.expr] = [draft.call.func, *draft.call.args]
        return [ast.unparse(ast.Call(func=ast.Name(id=fixture), args=args, keywords=draft.call.keywords))]
    loop = layout.loop(draft.statement, draft.turns)
    if not draft.is_async:
        return [layout.block(f"def calls(){style.returns}", loop), "", f"{fixture}(calls)"]
    calls = layout.block(f"async def calls(){style.returns}", loop)
    return [calls, "", *_with_loop(f"{fixture}(lambda: loop.run_until_complete(calls()))")]


def _with_loop(call: str) -> list[str]:
    """Return a call that measures, inside a loop of events."""
    return ["loop = asyncio.new_event_loop()", call, "loop.close()"]


def _fresh(draft: Draft, fixture: str, style: Habits) -> list[str]:
    """Return a body that makes receivers ready before each timed region."""
    assert draft.pool is not None
    pool = f"{draft.pool.name}_pool"
    returns = " -> tuple[tuple[object, ...], dict[str, object]]" if style.annotated else ""
    setup = [layout.pool(draft.pool, f"range({POOL})"), f"return ({pool},), {{}}"]
    head = f"{'async ' * draft.is_async}def calls({pool}){style.returns}"
    loop = layout.loop_over(draft.statement, draft.pool.name, pool)
    timed = f"lambda {pool}: loop.run_until_complete(calls({pool}))" if draft.is_async else "calls"
    measured = f"{fixture}.pedantic({timed}, setup=setup, rounds={ROUNDS})"
    return [
        *(layout.block(f"def setup(){returns}", *setup), "", layout.block(head, loop), ""),
        *(_with_loop(measured) if draft.is_async else [measured]),
    ]


def _cleared(draft: Draft, fixture: str, style: Habits) -> list[str]:
    """Return a body that forgets remembered results before each call."""
    assert draft.clear is not None
    calls = layout.block(f"def calls(){style.returns}", layout.loop(draft.statement, 1))
    return [calls, "", f"{fixture}.pedantic(calls, setup={ast.unparse(draft.clear)}, rounds={ROUNDS})"]
