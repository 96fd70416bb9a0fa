"""Receivers for methods: instances as the checkout makes them, or made up from signatures."""

import ast
from collections.abc import Iterator, Sequence

from abs_audit.languages.python.stubs import seen_calls
from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.example_sources import Origin
from abs_audit.languages.python.stubs.library import Symbol
from abs_audit.languages.python.stubs.repeatability import Definition, Kind
from abs_audit.languages.python.stubs.snippet import Snippet, named


def of(checkout: Checkout, definition: Definition) -> Iterator[PythonCall]:
    """Yield calls without arguments on instances that a method can be called on."""
    return made(checkout, checkout.family(definition))


def made(checkout: Checkout, family: Sequence[Symbol]) -> Iterator[PythonCall]:
    """Yield instances of classes, those that are seen in the checkout first."""
    for symbol in family:
        yield from _constructed(checkout, symbol)
    for symbol in family:
        instance = checkout.sample_values.instance(symbol)
        if instance is not None:
            filled = isinstance(instance.node, ast.Call) and (instance.node.args or instance.node.keywords)
            origin = Origin.INVENTED if filled else Origin.DOCUMENTATION
            yield PythonCall(receiver=instance, origin=origin, is_whole=False)


def holder(checkout: Checkout, definition: Definition) -> Snippet | None:
    """Return the class to call a constructor, class method or static method on."""
    sample_values = checkout.sample_values
    for symbol in checkout.family(definition):
        makes = sample_values.constructor(symbol) is not None and not sample_values.is_abstract(symbol)
        if definition.kind is not Kind.CONSTRUCTOR or makes:
            return named(checkout.library, symbol)
    return None


def _constructed(checkout: Checkout, symbol: Symbol) -> list[PythonCall]:
    """Return what constructor calls in the checkout make, best origin and most data first."""
    function = ast.parse("def __init__(self): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    constructor = Definition(symbol=symbol, name="__init__", kind=Kind.CONSTRUCTOR, node=function)
    seen = seen_calls.every(checkout, constructor)
    own = [call for call in seen if call.receiver and call.receiver.symbol == symbol]
    return [
        PythonCall(receiver=call.expression(), origin=call.origin, where=call.where, is_whole=False)
        for call in sorted(own, key=lambda call: (-call.origin, call.weight), reverse=True)
    ]
