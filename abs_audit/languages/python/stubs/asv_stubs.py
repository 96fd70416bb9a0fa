"""Writes missing benchmarks for asv."""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import POOL, TURNS_SHORT, Draft
from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.proposal import Proposal, Proposals, benchmark_pages
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, commonest, habits
from abs_audit.model.subject import Benchmark, SourceTree

CONFIGURATION = re.compile(r"(.*/)?asv\.conf\.jsonc?")
FOLDER = re.compile(r'"benchmark_dir"\s*:\s*("(?:[^"\\]|\\.)*")')
DEFAULT = Habits(folder="benchmarks", prefix="", suffix="", annotated=False, future=False)
PREFIXES = ("bench_", "benchmark_", "time_")
SUFFIXES = ("_bench", "_benchmark", "_benchmarks")
CLASS_PREFIXES = ("Time", "Bench")
CLASS_SUFFIXES = ("Suite", "Benchmarks", "Benchmark", "Bench")


class AsvStubs:
    """The writer of `time_` benchmarks."""

    def __init__(self) -> None:
        self._proposals = Proposals()

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a benchmark in a module of its own in asv's folder."""
        folder = benchmark_folder(tree, request.existing)
        files = _files(tree, folder, request.existing)
        calls = self._proposals.read(tree, files)
        proposal = self._proposals.proposal(calls, request)
        pages = benchmark_pages(calls, files)
        style = replace(habits(pages, DEFAULT, PREFIXES, SUFFIXES), folder=folder)
        path = style.path(f"abs_audit_{proposal.name}")
        owner = _class_name(pages, proposal)
        timed = f"time_{_last(proposal)}"
        return Stub(
            method=request.method,
            path=path,
            text=_text(proposal, style, owner, timed),
            benchmark=".".join(filter(None, (PurePosixPath(path).stem, owner, timed)))
            if proposal.draft
            else None,
            reason=proposal.reason,
        )


def benchmark_folder(tree: SourceTree, existing: Sequence[Benchmark]) -> str:
    """Return asv's folder: as configured, else where the existing benchmarks lie."""
    for path in sorted(filter(CONFIGURATION.fullmatch, tree), key=lambda name: name.count("/")):
        match = FOLDER.search(tree[path])
        name = json.loads(match[1]) if match else "benchmarks"
        return _normal(PurePosixPath(path).parent / str(name))
    heads = {benchmark.id.split(".")[0] for benchmark in existing}
    places = [PurePosixPath(path) for path in tree if PurePosixPath(path).stem in heads]
    folder = commonest(path.parent.as_posix() for path in places if "time_" in tree[path.as_posix()])
    return folder or DEFAULT.folder


def _normal(path: PurePosixPath) -> str:
    """Return a path without `.` and `..`."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return "/".join(parts)


def _files(tree: SourceTree, folder: str, existing: Sequence[Benchmark]) -> frozenset[str]:
    """Return the files of the existing benchmarks."""
    files = set()
    for benchmark in existing:
        parts = benchmark.id.partition("(")[0].split(".")
        choices = [f"{folder}/{'/'.join(parts[:count])}.py" for count in range(len(parts) - 1, 0, -1)]
        files.update([path for path in choices if path in tree][:1])
    return frozenset(files)


def _class_name(pages: Sequence[Page], proposal: Proposal) -> str:
    """Return a class's name in the pattern of the existing ones; empty where functions are the custom."""
    bodies = [node for page in pages for node in page.body.body]
    classes = [node.name for node in bodies if isinstance(node, ast.ClassDef) and _times(node)]
    functions = [
        node for node in bodies if isinstance(node, ast.FunctionDef) and node.name.startswith("time_")
    ]
    draft = proposal.draft
    bare = draft is None or not (draft.bindings or draft.pool or draft.clear or draft.is_async)
    if bare and len(functions) > len(classes):
        return ""
    prefix = commonest(
        next((prefix for prefix in CLASS_PREFIXES if name.startswith(prefix)), "") for name in classes
    )
    suffix = commonest(
        next((suffix for suffix in CLASS_SUFFIXES if name.endswith(suffix)), "") for name in classes
    )
    return f"{prefix}{proposal.camel}{suffix}"


def _times(node: ast.ClassDef) -> bool:
    return any(
        isinstance(statement, ast.FunctionDef) and statement.name.startswith("time_")
        for statement in node.body
    )


def _last(proposal: Proposal) -> str:
    words = [word for word in proposal.words if word not in {"setter", "deleter"}]
    return re.sub(r"\W", "", words[-1]).strip("_").lower()


def _text(proposal: Proposal, style: Habits, owner: str, timed: str) -> str:
    draft = proposal.draft
    lines = set(draft.imports) if draft else set()
    if draft and draft.is_async:
        lines.add(Import(module="asyncio", name=""))
    if style.future:
        lines.add(Import(module="__future__", name="annotations"))
    own = proposal.method.partition(".")[0]
    parts = [layout.docstring(proposal.title, proposal.story), layout.imports(lines, own)]
    definitions = [layout.definition(definition) for definition in draft.definitions] if draft else []
    body = _class(proposal, style, owner, timed) if owner else _function(proposal, style, timed)
    return "\n\n\n".join(["\n\n".join(filter(None, parts)), *definitions, body]) + "\n"


def _function(proposal: Proposal, style: Habits, timed: str) -> str:
    draft = proposal.draft
    body = (
        layout.loop(draft.statement, _turns(draft), 1)
        if draft
        else layout.skeleton(proposal.task, proposal.reason, 1)
    )
    return f"def {timed}(){style.returns}:\n{body}"


def _class(proposal: Proposal, style: Habits, owner: str, timed: str) -> str:
    draft = proposal.draft
    if draft is None:
        todo = layout.skeleton(proposal.task, proposal.reason, 2)
        return f"class {owner}:\n    def {timed}(self){style.returns}:\n{todo}"
    methods = [*_setup(draft, style), *_timed(draft, style, timed)]
    once = "    number = 1\n\n" if draft.pool or draft.clear else ""
    return f"class {owner}:\n{once}" + "\n\n".join(methods)


def _setup(draft: Draft, style: Habits) -> list[str]:
    """Return `setup` and, where it needs one, `teardown`."""
    made = [layout.binding(f"self.{binding.name}", binding.value, 2) for binding in draft.bindings]
    if draft.pool:
        pool = layout.fresh(draft.pool.value, f"range({POOL})")
        made.append(layout.binding(f"self.{draft.pool.name}_pool", pool, 2))
    if draft.clear:
        made.append(f"        {layout.source(draft.clear)}()")
    if draft.is_async:
        made.append("        self.loop = asyncio.new_event_loop()")
    setup = [f"    def setup(self){style.returns}:\n" + "\n".join(made)] if made else []
    extraction = f"    def teardown(self){style.returns}:\n        self.loop.close()"
    return [*setup, extraction] if draft.is_async else setup


def _timed(draft: Draft, style: Habits, timed: str) -> list[str]:
    # Local names: looking them up on the benchmark in each turn would dilute the method.
    local = [layout.binding(binding.name, _own(binding.name), 2) for binding in draft.bindings]
    if draft.pool:
        pool = f"self.{draft.pool.name}_pool"
        loop = "\n".join([*local, layout.loop_over(draft.statement, draft.pool.name, pool, 2)])
    else:
        loop = "\n".join([*local, layout.loop(draft.statement, _turns(draft), 2)])
    if not draft.is_async:
        return [f"    def {timed}(self){style.returns}:\n{loop}"]
    return [
        f"    async def calls(self){style.returns}:\n{loop}",
        f"    def {timed}(self){style.returns}:\n        self.loop.run_until_complete(self.calls())",
    ]


def _own(name: str) -> ast.expr:
    return ast.Attribute(value=ast.Name(id="self", ctx=ast.Load()), attr=name, ctx=ast.Load())


def _turns(draft: Draft) -> int:
    """Return the calls of one timed region: with a `setup`, asv looks at the clock for every region."""
    return 1 if draft.clear else max(draft.turns, TURNS_SHORT)
