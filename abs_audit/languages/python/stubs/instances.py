"""Receivers for methods: instances as the checkout makes them, or made up from signatures."""

import ast
from collections.abc import Iterator, Sequence

from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.example_sources import Origin
from abs_audit.languages.python.stubs.library import Symbol
from abs_audit.languages.python.stubs.repeatability import Definition, Kind
from abs_audit.languages.python.stubs.seen_calls import SeenCalls
from abs_audit.languages.python.stubs.snippet import Snippet, named


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

    def holder(self, definition: Definition) -> Snippet | None:
        """Return the class to call a constructor, class method or static method on."""
        sample_values = self._checkout.sample_values
        for symbol in self._checkout.family(definition):
            makes = sample_values.constructor(symbol) is not None and not sample_values.is_abstract(symbol)
            if definition.kind is not Kind.CONSTRUCTOR or makes:
                return named(self._checkout.library, symbol)
        return None

    def _constructed(self, symbol: Symbol) -> list[PythonCall]:
        """Return what constructor calls in the checkout make, best origin and most data first."""
        function = ast.parse("def __init__(self): ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        constructor = Definition(
            id=f"{symbol.id}.__init__", symbol=symbol, name="__init__", kind=Kind.CONSTRUCTOR, node=function
        )
        seen = self._seen.all(constructor)
        own = [call for call in seen if call.receiver and call.receiver.symbol == symbol]
        return [
            PythonCall(receiver=call.expression(), origin=call.origin, where=call.where, is_whole=False)
            for call in sorted(own, key=lambda call: (-call.origin, call.weight), reverse=True)
        ]
