"""What kind of thing a method id names, and what its body shows about calling it again and again."""

import ast
import builtins
import copy
import re
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.languages.python.stubs.library import Function, Library, Symbol, decorators, functions
from abs_audit.languages.python.stubs.scopes import scope_nodes
from abs_audit.languages.python.toolchain.syntax import dotted

ACCESSORS = {"setter", "deleter"}
CONSTRUCTORS = {"__init__", "__new__", "__post_init__", "__attrs_post_init__"}
CACHING = re.compile(r"cache|memo", re.IGNORECASE)
# Looking these up on a function of the standard library's caches empties the cache.
CLEARABLE = {"cache", "lru_cache", "functools.cache", "functools.lru_cache"}
CONSUMING = {"pop", "popleft", "popitem", "remove", "clear", "close"}
QUICK_NODES = 200
"""Nodes of a body that runs in well under a microsecond, if it neither loops nor calls."""


class Kind(StrEnum):
    """How users reach a method."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS_METHOD = "class method"
    STATIC_METHOD = "static method"
    PROPERTY = "property"
    SETTER = "setter"
    DELETER = "deleter"
    CONSTRUCTOR = "constructor"


ON_INSTANCE = {Kind.METHOD, Kind.PROPERTY, Kind.SETTER, Kind.DELETER}
ON_CLASS = {Kind.CLASS_METHOD, Kind.STATIC_METHOD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A method as the sources define it."""

    symbol: Symbol
    """The function itself, or the class that holds the method."""
    name: str
    """The method's own name; of a property also for its setter."""
    kind: Kind
    node: Function

    @property
    def module(self) -> str:
        """Return the defining module."""
        return self.symbol.module

    @property
    def parameters(self) -> ast.arguments:
        """Return the parameters that a caller fills in: without `self` or `cls`."""
        arguments = self.node.args
        if self.kind in {Kind.FUNCTION, Kind.STATIC_METHOD}:
            return arguments
        return without_first(arguments)

    @property
    def is_coroutine(self) -> bool:
        """Tell whether a call has to be awaited."""
        return isinstance(self.node, ast.AsyncFunctionDef) and not self._yields

    @property
    def is_generator(self) -> bool:
        """Tell whether a call does nothing until its values are asked for."""
        return self._yields and not self.is_context_manager

    @property
    def is_asynchronous(self) -> bool:
        """Tell whether the method is defined with `async`."""
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def is_context_manager(self) -> bool:
        """Tell whether a decorator turns the generator into a context manager."""
        return any(name.endswith("contextmanager") for name in decorators(self.node))

    @property
    def cache(self) -> str:
        """Return the decorator that remembers results; empty if there is none."""
        return next((name for name in decorators(self.node) if CACHING.search(name)), "")

    @property
    def is_clearable(self) -> bool:
        """Tell whether `cache_clear` empties the cache."""
        return self.cache in CLEARABLE

    @property
    def consumes(self) -> bool:
        """Tell whether the body takes something from its receiver, so that it cannot be called for ever."""
        if self.kind is Kind.DELETER or self.name in {"__next__", "__anext__", "__delitem__", "__exit__"}:
            return True
        return any(_takes_from_self(node) for node in ast.walk(self.node))

    @property
    def is_quick(self) -> bool:
        """Tell whether a call is so short that calling the benchmark itself would hide it."""
        nodes = [node for statement in _body(self.node) for node in ast.walk(statement)]
        return len(nodes) <= QUICK_NODES and not any(map(_takes_time, nodes))

    @property
    def refuses(self) -> bool:
        """Tell whether all that the body does is to raise."""
        return isinstance(_body(self.node)[0], ast.Raise) if _body(self.node) else False

    @property
    def _yields(self) -> bool:
        return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in scope_nodes(self.node))


def define(library: Library, identifier: str) -> Definition | None:
    """Return what an id names; None if the sources do not show it."""
    placed = library.place(identifier)
    if placed is None:
        return None
    module, path = placed
    accessor = path[-1] if path[-1] in ACCESSORS and len(path) > 2 else ""
    path = path[:-1] if accessor else path
    *owners, name = path
    holder = library.symbol(module.name, (owners or path)[0])
    if holder is None:
        return None
    symbol = Symbol(module=holder.module, name=".".join([holder.name, *owners[1:]]))
    written = _functions(library, symbol, name, bool(owners))
    nodes = [function for function in written if _accessor(function) == accessor]
    if not nodes:
        return None
    kind = _kind(nodes[-1], accessor) if owners else Kind.FUNCTION
    # Overloads come before what they describe.
    return Definition(symbol=symbol, name=name, kind=kind, node=nodes[-1])


def _functions(library: Library, symbol: Symbol, name: str, in_class: bool) -> list[Function]:
    """Return what defines a function, or a method of a class or of its nearest ancestor."""
    if in_class:
        owner = library.owner(symbol, name)
        return functions(library.classes[owner], name) if owner else []
    module = library.module(symbol.module)
    return functions(module.body, symbol.name) if module else []


def without_first(arguments: ast.arguments) -> ast.arguments:
    """Return parameters without the first positional one."""
    rest = copy.copy(arguments)
    if rest.posonlyargs:
        rest.posonlyargs = rest.posonlyargs[1:]
    else:
        rest.args = rest.args[1:]
    return rest


def positional(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters that may be given by their place."""
    return [*arguments.posonlyargs, *arguments.args]


def required(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters without a default, positional ones first."""
    bare = positional(arguments)[: len(positional(arguments)) - len(arguments.defaults)]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*bare, *(parameter for parameter, default in pairs if default is None)]


def accepts(arguments: ast.arguments, call: ast.Call) -> bool:
    """Tell whether a call can be bound to the parameters, as far as it can be seen."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        return True
    named = {keyword.arg for keyword in call.keywords}
    nameable = {parameter.arg for parameter in (*arguments.args, *arguments.kwonlyargs)}
    placed = {parameter.arg for parameter in positional(arguments)[: len(call.args)]}
    return (
        (len(call.args) <= len(positional(arguments)) or arguments.vararg is not None)
        and (named <= nameable or arguments.kwarg is not None)
        and not named & placed
        and named | placed >= {parameter.arg for parameter in required(arguments)}
    )


def _kind(node: Function, accessor: str) -> Kind:
    names = {name.rpartition(".")[2] for name in decorators(node)}
    if accessor:
        return Kind(accessor)
    if node.name in CONSTRUCTORS:
        return Kind.CONSTRUCTOR
    if names & {"classmethod", "staticmethod"} or node.name in {"__class_getitem__", "__init_subclass__"}:
        return Kind.STATIC_METHOD if "staticmethod" in names else Kind.CLASS_METHOD
    # `cached_property`, `lazy_property` and their kin.
    return Kind.PROPERTY if any("property" in name for name in names) else Kind.METHOD


def _accessor(node: Function) -> str:
    ends = (name.rpartition(".")[2] for name in decorators(node) if "." in name)
    return next((end for end in ends if end in ACCESSORS), "")


def _takes_time(node: ast.AST) -> bool:
    """Tell whether a node loops, or calls what is not built in."""
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id))
    return isinstance(node, ast.For | ast.While | ast.AsyncFor | ast.comprehension | ast.Await)


def _takes_from_self(node: ast.AST) -> bool:
    if isinstance(node, ast.Delete):
        return any(dotted(target).startswith("self.") for target in node.targets)
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node.func)
    return name.startswith("self.") and name.count(".") == 2 and name.rpartition(".")[2] in CONSUMING


def _body(node: Function) -> list[ast.stmt]:
    return node.body if ast.get_docstring(node, clean=False) is None else node.body[1:]
