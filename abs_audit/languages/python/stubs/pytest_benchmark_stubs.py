"""Writes missing benchmarks for pytest-benchmark, and for CodSpeed's plugin."""

import ast
from collections.abc import Sequence

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import POOL, Draft
from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.library import Function
from abs_audit.languages.python.stubs.proposal import Proposal, Proposals, benchmark_pages
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, commonest, habits
from abs_audit.model.subject import Benchmark, SourceTree

FIXTURES = ("benchmark", "codspeed_benchmark")
PREFIXES = ("test_", "bench_", "benchmark_")
SUFFIXES = ("_test", "_tests", "_bench", "_benchmark", "_benchmarks")
DEFAULT = Habits(folder="benchmarks", prefix="test_", suffix="", annotated=False, future=False)
ROUNDS = 100


class PytestBenchmarkStubs:
    """The writer of tests that use the `benchmark` fixture."""

    def __init__(self) -> None:
        self._proposals = Proposals()

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a test in a file of its own, named as the existing ones are."""
        files = frozenset(benchmark.id.split("::")[0] for benchmark in request.existing)
        calls = self._proposals.read(tree, files)
        proposal = self._proposals.proposal(calls, request)
        pages = benchmark_pages(calls, files)
        style = habits(pages, DEFAULT, PREFIXES, SUFFIXES)
        path = style.path(f"abs_audit_{proposal.name}")
        test = f"{_function_prefix(request.existing)}{proposal.name}"
        fixture = _fixture(pages)
        text = _text(proposal, style, test, fixture)
        return Stub(
            method=request.method,
            path=path,
            text=text,
            benchmark=f"{path}::{test}" if proposal.draft else None,
            reason=proposal.reason,
        )


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
    head = f"def {test}({fixture}){style.returns}:"
    if style.annotated:
        head = f"def {test}({fixture}: BenchmarkFixture){style.returns}:"
    body = (
        _body(draft, fixture, style.returns) if draft else layout.skeleton(proposal.task, proposal.reason, 1)
    )
    lines = set(draft.imports) if draft else set()
    if draft and draft.is_async:
        lines.add(Import(module="asyncio", name=""))
    if style.annotated:
        lines.add(Import(module="pytest_benchmark.fixture", name="BenchmarkFixture"))
    if style.future:
        lines.add(Import(module="__future__", name="annotations"))
    definitions = [layout.definition(definition) for definition in draft.definitions] if draft else []
    function = f"{head}\n{body}"
    own = proposal.method.partition(".")[0]
    parts = [layout.docstring(proposal.title, proposal.story), layout.imports(lines, own)]
    return "\n\n\n".join(["\n\n".join(filter(None, parts)), *definitions, function]) + "\n"


def _body(draft: Draft, fixture: str, returns: str) -> str:
    made = [layout.binding(binding.name, binding.value, 1) for binding in draft.bindings]
    timed = (
        _fresh(draft, fixture, returns) if draft.pool or draft.clear else _repeated(draft, fixture, returns)
    )
    return "\n\n".join(filter(None, ("\n".join(made), timed)))


def _repeated(draft: Draft, fixture: str, returns: str) -> str:
    """Return a body for calls that may follow each other."""
    if draft.is_direct and draft.call is not None:
        call = ast.Call(
            func=ast.Name(id=fixture), args=[draft.call.func, *draft.call.args], keywords=draft.call.keywords
        )
        return layout.statement(ast.Expr(value=call), 1)
    loop = layout.loop(draft.statement, draft.turns, 2)
    if not draft.is_async:
        return f"    def calls(){returns}:\n{loop}\n\n    {fixture}(calls)"
    started = _with_loop(f"{fixture}({_awaited('calls()', '')})", True)
    return f"    async def calls(){returns}:\n{loop}\n\n{started}"


def _awaited(call: str, parameters: str) -> str:
    """Return a function that awaits a coroutine."""
    return f"lambda{parameters}: loop.run_until_complete({call})"


def _with_loop(call: str, is_async: bool) -> str:
    """Return the call that measures, inside a loop of events where it needs one."""
    line = layout.statement(ast.parse(call).body[0], 1)
    return f"    loop = asyncio.new_event_loop()\n{line}\n    loop.close()" if is_async else line


def _fresh(draft: Draft, fixture: str, returns: str) -> str:
    """Return a body that makes something ready before each timed region."""
    if draft.pool is None:
        return _cleared(draft, fixture, returns)
    name = draft.pool.name
    word, timed = (
        ("async def", _awaited(f"calls({name}_pool)", f" {name}_pool"))
        if draft.is_async
        else ("def", "calls")
    )
    pool = layout.fresh(draft.pool.value, f"range({POOL})")
    made = layout.binding(f"{name}_pool", pool, 2)
    loop = layout.loop_over(draft.statement, name, f"{name}_pool", 2)
    return (
        f"    def setup(){_annotated(returns)}:\n{made}\n        return ({name}_pool,), {{}}\n\n"
        f"    {word} calls({name}_pool){returns}:\n{loop}\n\n"
        + _with_loop(f"{fixture}.pedantic({timed}, setup=setup, rounds={ROUNDS})", draft.is_async)
    )


def _annotated(returns: str) -> str:
    """Return what a set-up for `pedantic` says it returns, where functions say so."""
    return " -> tuple[tuple[object, ...], dict[str, object]]" if returns else ""


def _cleared(draft: Draft, fixture: str, returns: str) -> str:
    """Return a body that forgets remembered results before each call."""
    assert draft.clear is not None
    clear = layout.source(draft.clear)
    called = layout.loop(draft.statement, 1, 2)
    return (
        f"    def calls(){returns}:\n{called}\n\n"
        f"    {fixture}.pedantic(calls, setup={clear}, rounds={ROUNDS})"
    )
