"""Writes missing benchmarks as pyperf scripts."""

import ast
from collections.abc import Iterable

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import Binding, Draft
from abs_audit.languages.python.stubs.proposal import Proposal, Writer
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, habits
from abs_audit.model.subject import SourceTree

PREFIXES = ("bm_", "bench_", "benchmark_", "perf_")
SUFFIXES = ("_bench", "_benchmark", "_benchmarks", "_perf")
DEFAULT = Habits(folder="benchmarks", prefix="bench_", suffix="", annotated=False, future=False)


class PyperfStubs(Writer):
    """The writer of scripts that use `pyperf.Runner`."""

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a script of its own beside the existing ones."""
        files = frozenset(benchmark.id.split("::")[0] for benchmark in request.existing)
        proposal = self.proposal(tree, files, request)
        style = habits(proposal.pages, DEFAULT, PREFIXES, SUFFIXES)
        path = style.path(f"abs_audit_{proposal.name}")
        name = ".".join(proposal.words)
        return proposal.stub(path, _text(proposal, style, name), f"{path}::{name}")


def _text(proposal: Proposal, style: Habits, name: str) -> str:
    draft = proposal.draft
    needed = {Import(module="pyperf", name="")}
    if draft and draft.is_async and draft.pool:
        needed.add(Import(module="asyncio", name=""))
    body = _main(draft, name) if draft else [layout.skeleton(proposal.task, proposal.reason)]
    main = layout.block('if __name__ == "__main__"', "runner = pyperf.Runner()", *body)
    return layout.file(proposal, style, needed, [*(_functions(draft, style) if draft else []), main])


def _main(draft: Draft, name: str) -> list[str]:
    """Return the lines that make ready and start."""
    made = layout.bindings(draft.bindings)
    if _is_bare(draft) and draft.call is not None:
        arguments = [ast.unparse(part) for part in (draft.call.func, *draft.call.args)]
        return [*made, _started("bench_func", name, arguments, 1)]
    arguments = ["calls", *(binding.name for binding in draft.bindings)]
    if draft.pool or draft.clear:
        return [*made, _started("bench_time_func", name, arguments, 1)]
    start = "bench_async_func" if draft.is_async else "bench_func"
    return [*made, _started(start, name, arguments, draft.turns)]


def _started(method: str, name: str, arguments: Iterable[str], turns: int) -> str:
    inner = [f"inner_loops={turns}"] if turns > 1 else []
    return f"runner.{method}({', '.join([repr(name), *arguments, *inner])})"


def _is_bare(draft: Draft) -> bool:
    """Tell whether the Runner can call the method itself: it passes no arguments by name."""
    return draft.is_direct and draft.clear is None and draft.call is not None and not draft.call.keywords


def _functions(draft: Draft, style: Habits) -> list[str]:
    """Return the function that is timed, or that times itself."""
    if _is_bare(draft):
        return []
    names = [binding.name for binding in draft.bindings]
    if draft.pool or draft.clear:
        timed = _pooled(draft, draft.pool) if draft.pool else _cleared(draft)
        returns = " -> float" if style.annotated else ""
        return [layout.block(f"def calls({', '.join(['loops', *names])}){returns}", *timed)]
    head = f"{'async ' * draft.is_async}def calls({', '.join(names)}){style.returns}"
    return [layout.block(head, layout.loop(draft.statement, draft.turns))]


def _pooled(draft: Draft, fresh: Binding) -> list[str]:
    """Return what times calls on receivers that it made ready before."""
    pool = layout.pool(fresh, "range(loops)")
    calls = layout.loop_over(draft.statement, fresh.name, f"{fresh.name}_pool")
    if not draft.is_async:
        return [pool, "start = pyperf.perf_counter()", calls, "return pyperf.perf_counter() - start"]
    return [
        *(pool, "", layout.block("async def awaits()", calls), ""),
        "loop = asyncio.new_event_loop()",
        "start = pyperf.perf_counter()",
        "loop.run_until_complete(awaits())",
        "duration = pyperf.perf_counter() - start",
        "loop.close()",
        "return duration",
    ]


def _cleared(draft: Draft) -> list[str]:
    """Return what times calls one by one, and forgets remembered results in between."""
    turn = [
        f"{ast.unparse(draft.clear)}()" if draft.clear else "",
        "start = pyperf.perf_counter()",
        ast.unparse(draft.statement),
        "total += pyperf.perf_counter() - start",
    ]
    return ["total = 0.0", layout.block("for _ in range(loops)", *turn), "return total"]
