"""Writes missing benchmarks as pyperf scripts."""

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
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
        path = proposal.path(style)
        name = ".".join(proposal.words)
        return proposal.stub(path, _text(proposal, style, name), f"{path}::{name}")


def _text(proposal: Proposal, style: Habits, name: str) -> str:
    draft = proposal.draft
    needed = {Import(module="pyperf", name="")}
    if draft and draft.is_async and draft.pool:
        needed.add(Import(module="asyncio", name=""))
    # The Runner can call the method itself, but passes no arguments by name.
    bare = draft and draft.is_direct and not draft.clear and draft.call and not draft.call.keywords
    return layout.file(proposal, style, needed, "pyperf.j2", name=name, bare=bare)
