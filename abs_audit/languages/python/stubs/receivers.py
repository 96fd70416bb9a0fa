"""Receivers for methods: instances as the checkout makes them, or made up from signatures."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from abs_audit.languages.python.stubs.call import PythonCall, named_symbol
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.example_sources import Origin
from abs_audit.languages.python.stubs.library import Symbol, dotted
from abs_audit.languages.python.stubs.matching_calls import SeenCalls
from abs_audit.languages.python.stubs.repeatability import ON_INSTANCE, Definition, Kind, define
from abs_audit.languages.python.stubs.snippet import Snippet

MOST_FACTORIES = 20


class Instances:
    """Makes receivers."""

    def __init__(self, checkout: Checkout, seen: SeenCalls) -> None:
        self._checkout = checkout
        self._seen = seen

    def of(self, definition: Definition) -> Iterator[PythonCall]:
        """Yield calls without arguments on instances that a method can be called on."""
        return self.made(self._checkout.family(definition))

    def made(self, family: Sequence[Symbol]) -> Iterator[PythonCall]:
        """Yield instances of classes, those that are seen in the checkout first."""
        for symbol in family:
            yield from self._constructed(symbol)
        for symbol in family:
            made = self._checkout.sample_values.instance(symbol)
            if made is not None:
                filled = isinstance(made.node, ast.Call) and (made.node.args or made.node.keywords)
                origin = Origin.INVENTED if filled else Origin.DOCUMENTATION
                yield PythonCall(receiver=made, origin=origin, is_whole=False)
        for symbol in family:
            yield from islice(self._from_factories(symbol), 1)

    def holder(self, definition: Definition) -> Snippet | None:
        """Return the class to call a constructor, class method or static method on."""
        sample_values = self._checkout.sample_values
        for symbol in self._checkout.family(definition):
            makes = sample_values.constructor(symbol) is not None and not sample_values.is_abstract(symbol)
            if definition.kind is not Kind.CONSTRUCTOR or makes:
                return sample_values.name(symbol)
        return None

    def _constructed(self, symbol: Symbol) -> list[PythonCall]:
        """Return what constructor calls in the checkout make, best origin and most data first."""
        function = ast.parse("def __init__(self): ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        constructor = Definition(
            id=f"{symbol.id}.__init__", symbol=symbol, name="__init__", kind=Kind.CONSTRUCTOR, node=function
        )
        seen = [call for call in self._seen.all(constructor) if call.receiver]
        own = [call for call in seen if call.receiver and named_symbol(call.receiver) == symbol]
        return [
            PythonCall(receiver=call.expression(), origin=call.origin, where=call.where, is_whole=False)
            for call in sorted(own, key=lambda call: (-call.origin, call.weight), reverse=True)
        ]

    def _from_factories(self, symbol: Symbol) -> Iterator[PythonCall]:
        """Yield what functions and class methods return that say they return the class."""
        for name in islice(self._factories[symbol], MOST_FACTORIES):
            factory = define(self._checkout.library, name)
            call = self._seen.best(factory) if factory and factory.kind not in ON_INSTANCE else None
            if factory is None or call is None:
                continue
            holder = call.receiver or self._checkout.sample_values.name(factory.symbol)
            if factory.kind is not Kind.FUNCTION:
                holder = holder.part(ast.Attribute(value=holder.node, attr=factory.name, ctx=ast.Load()))
            made = call.expression(holder)
            yield PythonCall(receiver=made, origin=call.origin, where=call.where, is_whole=False)

    @cached_property
    def _factories(self) -> dict[Symbol, list[str]]:
        """Return the functions and methods that say they return a class."""
        factories: dict[Symbol, list[str]] = defaultdict(list)
        for module, prefix, node in self._functions():
            name = dotted(node.returns) if node.returns else ""
            symbol = self._checkout.library.named(module, name) if name else None
            if symbol in self._checkout.library.classes:
                factories[symbol].append(f"{prefix}.{node.name}")
        return factories

    def _functions(self) -> Iterator[tuple[str, str, ast.FunctionDef]]:
        """Yield the public functions and methods with their module and what their id begins with."""
        library = self._checkout.library
        holders = [(module.name, module.name, module.body.body) for module in library.modules]
        holders += [(symbol.module, symbol.id, node.body) for symbol, node in library.classes.items()]
        for module, prefix, body in holders:
            for node in body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    yield module, prefix, node
