"""How to call an API method: as recorded, as seen in the checkout, or as its signature allows."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from abs_audit.languages.drafting import complete
from abs_audit.languages.python.stubs import instances, recorded_calls, seen_calls
from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.example_sources import Origin
from abs_audit.languages.python.stubs.operators import SIGNS
from abs_audit.languages.python.stubs.repeatability import ON_INSTANCE, Definition, Kind, required
from abs_audit.languages.python.stubs.snippet import Snippet, annotation_names
from abs_audit.languages.python.stubs.values import call


def best_call(checkout: Checkout, definition: Definition, recorded: Sequence[str]) -> PythonCall | None:
    """Return the most telling call; None where nothing is known and nothing can be made up."""
    telling = recorded_calls.first(checkout, definition, recorded)
    if telling is None or telling.is_of_nothing:
        # Where users hand over what cannot be written down, None is what remains of their calls.
        telling = seen_calls.best(checkout, definition) or telling
    return telling or _composed(checkout, definition)


def _composed(checkout: Checkout, definition: Definition) -> PythonCall | None:
    """Return a call put together from a receiver seen elsewhere and made-up arguments."""
    if definition.kind in ON_INSTANCE:
        base = next(instances.of(checkout, definition), None)
        return _completed(checkout, definition, base) if base else None
    holder = instances.holder(checkout, definition)
    if definition.kind is not Kind.FUNCTION and holder is None:
        return None
    base = PythonCall(receiver=holder, origin=Origin.DOCUMENTATION, is_whole=False)
    return _with_arguments(checkout, definition, base)


def _completed(checkout: Checkout, definition: Definition, base: PythonCall) -> PythonCall | None:
    """Return a call on an instance with what it needs besides."""
    assert base.receiver is not None
    if definition.kind in {Kind.PROPERTY, Kind.DELETER}:
        return base
    if definition.kind is Kind.SETTER:
        current = ast.Attribute(value=base.receiver.node, attr=definition.name, ctx=ast.Load())
        return replace(base, args=(base.receiver.part(current),))
    if definition.name == "__setstate__":
        state = ast.parse(f"({base.receiver.text}).__getstate__()", mode="eval").body
        return replace(base, args=(base.receiver.part(state),))
    if definition.name in SIGNS:
        # Equal ones make some comparisons stop early.
        others = (call.receiver for call in instances.of(checkout, definition) if call.receiver)
        unequal = (other for other in others if other.text != base.receiver.text)
        return replace(base, args=(next(unequal, base.receiver),))
    return _with_arguments(checkout, definition, base)


def _with_arguments(checkout: Checkout, definition: Definition, base: PythonCall) -> PythonCall | None:
    """Return a call with made-up values for the parameters without default."""
    parameters = definition.parameters
    if definition.kind is Kind.CONSTRUCTOR and base.receiver is not None:
        symbol = base.receiver.symbol
        parameters = (checkout.sample_values.constructor(symbol) if symbol else None) or parameters
    # What Python itself passes there does not count.
    needed = [] if definition.name in {"__deepcopy__", "__exit__", "__aexit__"} else required(parameters)
    if not needed:
        return base
    values = [_value(checkout, parameter, definition) for parameter in needed]
    whole = complete(value.receiver if value else None for value in values)
    if whole is None:
        return None
    made = call(Snippet(node=ast.Name(id="_", ctx=ast.Load())), parameters, whole)
    return replace(base.filled(made), origin=max(base.origin, *(value.origin for value in values if value)))


def missing(checkout: Checkout, definition: Definition) -> str:
    """Return what a person has to find out, where there is no call."""
    on_instance = definition.kind in ON_INSTANCE
    if on_instance and next(instances.of(checkout, definition), None) is None:
        return f"a value of type {definition.symbol.name}"
    needed = required(definition.parameters)
    unknown = [parameter.arg for parameter in needed if _value(checkout, parameter, definition) is None]
    return f"values for {', '.join(unknown)}" if unknown else f"a value of type {definition.symbol.name}"


def _value(checkout: Checkout, parameter: ast.arg, definition: Definition) -> PythonCall | None:
    """Return an instance of the annotated class, else a value for the annotation."""
    name = annotation_names(parameter.annotation)
    symbol = checkout.library.named(definition.module, name) if name else None
    if symbol in checkout.library.classes and symbol is not None:
        return next(instances.made(checkout, [symbol]), None)
    made = checkout.sample_values.value(parameter.annotation, definition.module)
    return PythonCall(receiver=made, origin=Origin.INVENTED) if made else None
