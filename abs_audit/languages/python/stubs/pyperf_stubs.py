"""Writes missing benchmarks as pyperf scripts."""

import ast
from collections.abc import Sequence

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import Draft
from abs_audit.languages.python.stubs.proposal import Proposal, Proposals, benchmark_pages
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, habits
from abs_audit.model.subject import SourceTree

PREFIXES = ("bm_", "bench_", "benchmark_", "perf_")
SUFFIXES = ("_bench", "_benchmark", "_benchmarks", "_perf")
DEFAULT = Habits(folder="benchmarks", prefix="bench_", suffix="", annotated=False, future=False)


class PyperfStubs:
    """The writer of scripts that use `pyperf.Runner`."""

    def __init__(self) -> None:
        self._proposals = Proposals()

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a script of its own beside the existing ones."""
        files = frozenset(benchmark.id.split("::")[0] for benchmark in request.existing)
        calls = self._proposals.read(tree, files)
        proposal = self._proposals.proposal(calls, request)
        style = habits(benchmark_pages(calls, files), DEFAULT, PREFIXES, SUFFIXES)
        path = style.path(f"abs_audit_{proposal.name}")
        name = ".".join(proposal.words)
        return Stub(
            method=request.method,
            path=path,
            text=_text(proposal, style, name),
            benchmark=f"{path}::{name}" if proposal.draft else None,
            reason=proposal.reason,
        )


def _text(proposal: Proposal, style: Habits, name: str) -> str:
    draft = proposal.draft
    lines = {Import(module="pyperf", name=""), *(draft.imports if draft else ())}
    if draft and draft.is_async and draft.pool:
        lines.add(Import(module="asyncio", name=""))
    if style.future:
        lines.add(Import(module="__future__", name="annotations"))
    own = proposal.method.partition(".")[0]
    parts = [layout.docstring(proposal.title, proposal.story), layout.imports(lines, own)]
    definitions = [layout.definition(definition) for definition in draft.definitions] if draft else []
    functions = _functions(draft, style) if draft else []
    main = [
        'if __name__ == "__main__":',
        "    runner = pyperf.Runner()",
        *(_main(draft, name) if draft else [layout.skeleton(proposal.task, proposal.reason, 1)]),
    ]
    blocks = ["\n\n".join(filter(None, parts)), *definitions, *functions, "\n".join(main)]
    return "\n\n\n".join(blocks) + "\n"


def _main(draft: Draft, name: str) -> list[str]:
    """Return the lines that make ready and start."""
    made = [layout.binding(binding.name, binding.value, 1) for binding in draft.bindings]
    named = ast.Constant(value=name)
    if _is_bare(draft) and draft.call is not None:
        return [*made, _started("bench_func", [named, draft.call.func, *draft.call.args], 1)]
    arguments: list[ast.expr] = [
        named,
        ast.Name(id="calls"),
        *(ast.Name(id=binding.name) for binding in draft.bindings),
    ]
    if draft.pool or draft.clear:
        return [*made, _started("bench_time_func", arguments, 1)]
    start = "bench_async_func" if draft.is_async else "bench_func"
    return [*made, _started(start, arguments, draft.turns)]


def _started(method: str, arguments: Sequence[ast.expr], turns: int) -> str:
    inner = [ast.keyword(arg="inner_loops", value=ast.Constant(value=turns))] if turns > 1 else []
    function = ast.Attribute(value=ast.Name(id="runner"), attr=method)
    return layout.statement(ast.Expr(value=ast.Call(func=function, args=list(arguments), keywords=inner)), 1)


def _is_bare(draft: Draft) -> bool:
    """Tell whether the Runner can call the method itself: it passes no arguments by name."""
    return draft.is_direct and draft.clear is None and draft.call is not None and not draft.call.keywords


def _functions(draft: Draft, style: Habits) -> list[str]:
    """Return the function that is timed, or that times itself."""
    if _is_bare(draft):
        return []
    names = ", ".join(binding.name for binding in draft.bindings)
    if draft.pool or draft.clear:
        returns = " -> float" if style.annotated else ""
        pooled = _pooled_awaits if draft.is_async else _pooled
        timed = pooled(draft) if draft.pool else _cleared(draft)
        return [f"def calls({', '.join(filter(None, ('loops', names)))}){returns}:\n{timed}"]
    word = "async def" if draft.is_async else "def"
    return [f"{word} calls({names}){style.returns}:\n{layout.loop(draft.statement, draft.turns, 1)}"]


def _pooled(draft: Draft) -> str:
    assert draft.pool is not None
    name = draft.pool.name
    return "\n".join(
        [
            layout.binding(f"{name}_pool", layout.fresh(draft.pool.value, "range(loops)"), 1),
            "    start = pyperf.perf_counter()",
            layout.loop_over(draft.statement, name, f"{name}_pool", 1),
            "    return pyperf.perf_counter() - start",
        ]
    )


def _pooled_awaits(draft: Draft) -> str:
    assert draft.pool is not None
    name = draft.pool.name
    lines = [
        layout.binding(f"{name}_pool", layout.fresh(draft.pool.value, "range(loops)"), 1),
        "",
        "    async def awaits():",
        layout.loop_over(draft.statement, name, f"{name}_pool", 2),
        "",
        "    loop = asyncio.new_event_loop()",
        "    start = pyperf.perf_counter()",
        "    loop.run_until_complete(awaits())",
        "    duration = pyperf.perf_counter() - start",
        "    loop.close()",
        "    return duration",
    ]
    return "\n".join(lines)


def _cleared(draft: Draft) -> str:
    assert draft.clear is not None
    return "\n".join(
        [
            "    total = 0.0",
            "    for _ in range(loops):",
            f"        {layout.source(draft.clear)}()",
            "        start = pyperf.perf_counter()",
            layout.statement(draft.statement, 2),
            "        total += pyperf.perf_counter() - start",
            "    return total",
        ]
    )
