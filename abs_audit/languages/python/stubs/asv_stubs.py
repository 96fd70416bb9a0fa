"""Writes missing benchmarks for asv."""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from abs_audit.grouping import commonest
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.python.stubs import layout
from abs_audit.languages.python.stubs.draft import POOL, TURNS_SHORT
from abs_audit.languages.python.stubs.proposal import Proposal, Writer
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits, first, habits
from abs_audit.languages.python.suites.asv import PREFIX
from abs_audit.model.subject import Benchmark, SourceTree

DEFAULT = Habits(folder="benchmarks", prefix="", suffix="", annotated=False, future=False)
PREFIXES = ("bench_", "benchmark_", "time_")
SUFFIXES = ("_bench", "_benchmark", "_benchmarks")
CLASS_PREFIXES = ("Time", "Bench")
CLASS_SUFFIXES = ("Suite", "Benchmarks", "Benchmark", "Bench")


class AsvStubs(Writer):
    """The writer of `time_` benchmarks."""

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a benchmark in a module of its own in asv's folder."""
        folder, files = _existing(tree, request.existing)
        proposal = self.proposal(tree, files, request)
        style = replace(habits(proposal.pages, DEFAULT, PREFIXES, SUFFIXES), folder=folder)
        path = proposal.path(style)
        owner = _class_name(proposal)
        timed = f"time_{_last(proposal)}"
        name = ".".join(filter(None, (PurePosixPath(path).stem, owner, timed)))
        if any(PREFIX.match(benchmark.id) for benchmark in request.existing):
            name = f"{folder}::{name}"
        return proposal.stub(path, _text(proposal, style, owner, timed), name)


def _existing(tree: SourceTree, benchmarks: Sequence[Benchmark]) -> tuple[str, frozenset[str]]:
    """Return asv's folder, below which its ids name files, and the files of the existing benchmarks."""
    names = [PREFIX.sub("", benchmark.id).partition("(")[0].split(".") for benchmark in benchmarks]
    ends = {f"/{'/'.join(parts[:count])}.py" for parts in names for count in range(1, len(parts))}
    timing = [path for path, text in tree.items() if "time_" in text]
    folders = {path: path.removesuffix(end) for path in timing for end in ends if path.endswith(end)}
    folder = commonest(folders.values())
    return folder or DEFAULT.folder, frozenset(path for path in folders if folders[path] == folder)


def _class_name(proposal: Proposal) -> str:
    """Return a class's name in the pattern of the existing ones; empty where functions are the custom."""
    bodies = [node for page in proposal.pages for node in page.body.body]
    classes = [node.name for node in bodies if isinstance(node, ast.ClassDef) and any(map(_times, node.body))]
    functions = [node for node in bodies if _times(node)]
    draft = proposal.draft
    bare = draft is None or not (draft.bindings or draft.pool or draft.clear or draft.is_async)
    if bare and len(functions) > len(classes):
        return ""
    prefix = commonest(first(CLASS_PREFIXES, name.startswith) for name in classes)
    suffix = commonest(first(CLASS_SUFFIXES, name.endswith) for name in classes)
    parts = [part for word in proposal.words for part in re.split(r"_+", word) if part]
    return f"{prefix}{''.join(part[0].upper() + part[1:] for part in parts)}{suffix}"


def _times(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("time_")


def _last(proposal: Proposal) -> str:
    words = [word for word in proposal.words if word not in {"setter", "deleter"}]
    return re.sub(r"\W", "", words[-1]).strip("_").lower()


def _text(proposal: Proposal, style: Habits, owner: str, timed: str) -> str:
    draft = proposal.draft
    needed = [Import(module="asyncio", name="")] if draft and draft.is_async else []
    # With a `setup`, asv looks at the clock for every timed region.
    turns = 1 if draft is None or draft.clear else max(draft.turns, TURNS_SHORT)
    return layout.file(
        proposal, style, needed, "asv.j2", owner=owner, timed=timed, turns=turns, pool_size=POOL
    )
