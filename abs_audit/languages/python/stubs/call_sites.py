"""Finds where a checkout calls a method, and what could be said there about its receiver and arguments."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from abs_audit.grouping import grouped
from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.operators import BUILTIN_CALLS, BY_SIGN
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
    receiver: ast.expr | None = None
    """What the method is looked up on; None for a plain name, which is then `function`."""
    function: ast.expr | None = None
    args: tuple[ast.expr, ...] = ()
    keywords: tuple[ast.keyword, ...] = ()


def call_sites(pages: Iterable[Page]) -> dict[str, list[CallSite]]:
    """Return the call sites of pages by the method's own name, benchmarks first."""
    return grouped(
        seen
        for page in sorted(pages, key=lambda page: page.origin)
        for node, chain in _walk(page.body, ())
        for seen in _uses(node, partial(CallSite, page=page, chain=chain))
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


def _uses(node: ast.AST, site: "partial[CallSite]") -> Iterator[tuple[str, CallSite]]:
    """Yield name and call site for whatever a node may be a use of; `site` says where it stands."""
    match node:
        case ast.Call():
            yield from _called(node, site)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            yield "__contains__", site(receiver=right, args=(left,))
        case (
            ast.Compare(left=left, ops=[sign], comparators=[right])
            | ast.BinOp(left=left, op=sign, right=right)
        ) if type(sign) in BY_SIGN:
            yield BY_SIGN[type(sign)], site(receiver=left, args=(right,))
        case ast.Subscript(value=holder, slice=index, ctx=ast.Load()):
            yield "__getitem__", site(receiver=holder, args=(_index(index),))
        case ast.Attribute(value=holder, attr=name, ctx=ast.Load()):
            yield f"{name}.getter", site(receiver=holder)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, ast.Attribute):
                    yield f"{target.attr}.setter", site(receiver=target.value, args=(value,))
                elif isinstance(target, ast.Subscript):
                    yield "__setitem__", site(receiver=target.value, args=(_index(target.slice), value))
        case ast.withitem(context_expr=manager):
            yield "__enter__", site(receiver=manager)


def _index(node: ast.expr) -> ast.expr:
    """Return what stands between brackets as it is written elsewhere: `1:2` is `slice(1, 2)`."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            bounds = [bound or ast.Constant(value=None) for bound in (lower, upper)]
            if step:
                bounds.append(step)
            return ast.Call(func=ast.Name(id="slice", ctx=ast.Load()), args=bounds, keywords=[])
        case ast.Tuple(elts=parts):
            return ast.Tuple(elts=[_index(part) for part in parts], ctx=ast.Load())
    return node


def _called(node: ast.Call, site: "partial[CallSite]") -> Iterator[tuple[str, CallSite]]:
    name = dotted(node.func).rpartition(".")[2] or getattr(node.func, "attr", "")
    args = tuple(node.args)
    given = partial(site, args=args, keywords=tuple(node.keywords))
    if name in HARNESSES:
        named = name.startswith("bench_")
        inner = node.args[1:] if named else node.args
        if inner and isinstance(inner[0], ast.Name | ast.Attribute):
            keywords = [] if named else node.keywords
            yield from _called(ast.Call(func=inner[0], args=inner[1:], keywords=keywords), site)
    elif name in BUILTIN_CALLS and isinstance(node.func, ast.Name) and args:
        yield BUILTIN_CALLS[name], site(receiver=args[0], args=args[1:])
    elif isinstance(node.func, ast.Attribute):
        yield name, given(receiver=node.func.value, function=node.func)
    elif isinstance(node.func, ast.Name):
        yield name, given(function=node.func)
        yield "__call__", given(receiver=node.func)
