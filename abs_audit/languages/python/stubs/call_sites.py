"""Finds where a checkout calls a method, and what could be said there about its receiver and arguments."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from abs_audit.grouping import grouped
from abs_audit.languages.python.stubs.example_sources import Origin, Page
from abs_audit.languages.python.stubs.operators import BINARY, BUILTIN_CALLS, COMPARISONS
from abs_audit.languages.python.toolchain.syntax import dotted

# A test of what goes wrong calls the method as no user means to.
WRONG_USE = ("invalid", "error", "raises", "fail", "bad_", "wrong", "unsupported", "malformed", "deprecat")
EXPECTING = {"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "deprecated_call"}
HARNESSES = {"benchmark", "codspeed_benchmark", "pedantic", "bench_func", "bench_async_func"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CallSite:
    """One place that may be a call of a method: everything else about it is still to be found out."""

    page: Page
    chain: tuple[ast.AST, ...]
    """Functions and classes around it, outermost first."""
    receiver: ast.expr | None
    """What the method is looked up on; None for a plain name, which is then `function`."""
    function: ast.expr | None
    args: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...] = ()

    @property
    def origin(self) -> Origin:
        """Return what kind of page it stands on."""
        return self.page.origin


class CallSites:
    """All call sites of a checkout, by the method's own name."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages

    def of(self, name: str) -> list[CallSite]:
        """Return the call sites of a name, benchmarks first."""
        return sorted(self._index.get(name, ()), key=lambda site: site.origin)

    @cached_property
    def _index(self) -> dict[str, list[CallSite]]:
        return grouped(
            seen
            for page in self._pages
            for node, chain in _walk(page.body, ())
            for seen in _seen(page, chain, node)
        )


def _walk(node: ast.AST, chain: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Yield every node that is not expected to fail, with what stands around it."""
    for child in ast.iter_child_nodes(node):
        if _expects_failure(child):
            continue
        yield child, chain
        is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _walk(child, (*chain, child) if is_scope else chain)


def _expects_failure(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return any(word in node.name.lower() for word in WRONG_USE)
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(dotted(item.context_expr).rpartition(".")[2] in EXPECTING for item in node.items)
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in EXPECTING


def _seen(page: Page, chain: tuple[ast.AST, ...], node: ast.AST) -> Iterator[tuple[str, CallSite]]:
    for name, receiver, function, call in _uses(node):
        yield (
            name,
            CallSite(
                page=page,
                chain=chain,
                receiver=receiver,
                function=function,
                args=tuple(call.args),
                keywords=tuple(call.keywords),
            ),
        )


def _uses(node: ast.AST) -> Iterator[tuple[str, ast.expr | None, ast.expr | None, ast.Call]]:
    """Yield name, receiver, function and a call with the arguments, for whatever a node may be a use of."""
    match node:
        case ast.Call():
            yield from _called(node)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            yield "__contains__", right, None, _call(left)
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in COMPARISONS:
            yield COMPARISONS[type(sign)], left, None, _call(right)
        case ast.BinOp(left=left, op=sign, right=right):
            yield BINARY[type(sign)], left, None, _call(right)
        case ast.Subscript(value=holder, slice=index, ctx=ast.Load()):
            yield "__getitem__", holder, None, _call(index)
        case ast.Attribute(value=holder, attr=name, ctx=ast.Load()):
            yield f"{name}.getter", holder, None, _call()
        case ast.Assign():
            yield from _stored(node)
        case ast.withitem(context_expr=manager):
            yield "__enter__", manager, None, _call()


def _called(node: ast.Call) -> Iterator[tuple[str, ast.expr | None, ast.expr | None, ast.Call]]:
    name = dotted(node.func).rpartition(".")[2] or getattr(node.func, "attr", "")
    if name in HARNESSES:
        named = name.startswith("bench_")
        inner = node.args[1:] if named else node.args
        if inner and isinstance(inner[0], ast.Name | ast.Attribute):
            yield from _called(
                ast.Call(func=inner[0], args=inner[1:], keywords=[] if named else node.keywords)
            )
    elif name in BUILTIN_CALLS and isinstance(node.func, ast.Name) and node.args:
        yield BUILTIN_CALLS[name], node.args[0], None, _call(*node.args[1:])
    elif isinstance(node.func, ast.Attribute):
        yield name, node.func.value, node.func, node
    elif isinstance(node.func, ast.Name):
        yield name, None, node.func, node
        yield "__call__", node.func, None, node


def _stored(node: ast.Assign) -> Iterator[tuple[str, ast.expr | None, ast.expr | None, ast.Call]]:
    for target in node.targets:
        if isinstance(target, ast.Attribute):
            yield f"{target.attr}.setter", target.value, None, _call(node.value)
        elif isinstance(target, ast.Subscript):
            yield "__setitem__", target.value, None, _call(target.slice, node.value)


def _call(*args: ast.expr) -> ast.Call:
    return ast.Call(func=ast.Name(id="_", ctx=ast.Load()), args=list(args), keywords=[])
