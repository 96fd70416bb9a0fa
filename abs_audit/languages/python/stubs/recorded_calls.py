"""Calls that the tests of downstream projects made, as the tracer recorded them."""

import ast
import json
from collections.abc import Sequence
from dataclasses import replace

from abs_audit.languages.python.stubs import instances
from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.example_sources import Origin, Page
from abs_audit.languages.python.stubs.library import Symbol
from abs_audit.languages.python.stubs.repeatability import ON_INSTANCE, Definition, Kind, accepts, positional
from abs_audit.languages.python.stubs.scopes import Scope
from abs_audit.languages.python.stubs.snippet import Snippet, class_of


def first(checkout: Checkout, definition: Definition, recorded: Sequence[str]) -> PythonCall | None:
    """Return the most frequent recorded call that can be written down; one of nothing last."""
    calls = (_replayed(checkout, definition, json.loads(text)) for text in recorded)
    written = (call for call in calls if call is not None)
    call = min(written, key=lambda call: call.is_of_nothing, default=None)
    if call is None or call.is_of_nothing:
        return call
    return _without_defaults(call, definition.parameters)


def _replayed(checkout: Checkout, definition: Definition, entry: dict[str, str | None]) -> PythonCall | None:
    arguments = _arguments(checkout, entry["args"] or "", definition)
    if arguments is None:
        return None
    receiver = _receiver(checkout, entry["receiver"], definition)
    if receiver is None and definition.kind is not Kind.FUNCTION:
        return None
    return PythonCall(receiver=receiver, origin=Origin.RECORDED).filled(arguments)


def _arguments(checkout: Checkout, text: str, definition: Definition) -> Snippet | None:
    """Return a call of nothing with the recorded arguments, if the method takes them."""
    closed = _closed(checkout, f"dict({text})", definition)
    if closed is None or not isinstance(closed.node, ast.Call):
        return None
    return closed if accepts(definition.parameters, closed.node) else None


def _receiver(checkout: Checkout, text: str | None, definition: Definition) -> Snippet | None:
    if definition.kind is Kind.FUNCTION:
        return None
    if definition.kind not in ON_INSTANCE:
        return instances.holder(checkout, definition)
    recorded = _closed(checkout, text, definition) if text else None
    if recorded is not None and _is_instance(checkout, recorded, definition):
        return recorded
    other = next(instances.of(checkout, definition), None)
    return other.receiver if other else None


def _is_instance(checkout: Checkout, instance: Snippet, definition: Definition) -> bool:
    """Tell whether a receiver can be made like this: a repr need not be what the constructor takes."""
    symbol = class_of(checkout.library, instance)
    if symbol not in checkout.family(definition) or not isinstance(instance.node, ast.Call):
        return False
    parameters = checkout.sample_values.constructor(symbol)
    return parameters is not None and accepts(parameters, instance.node)


def _closed(checkout: Checkout, text: str, definition: Definition) -> Snippet | None:
    """Return recorded source with its names found in the method's module, else in the library."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    classes = {name: symbol for name in names if (symbol := _class(checkout, name, definition)) is not None}
    bound = {name: (symbol.module, symbol.name) for name, symbol in classes.items()}
    page = Page(
        path="", origin=Origin.RECORDED, body=ast.Module([], []), bound=bound, module=definition.module
    )
    return checkout.extraction.closed(node, Scope(page=page))


def _class(checkout: Checkout, name: str, definition: Definition) -> Symbol | None:
    """Return the class that a repr names: the method's own, or the only one of that name."""
    symbols = [symbol for symbol in checkout.library.classes if symbol.name == name]
    near = [symbol for symbol in symbols if symbol in checkout.family(definition)]
    return (near or symbols)[0] if near or len(symbols) == 1 else None


def _without_defaults(call: PythonCall, parameters: ast.arguments) -> PythonCall:
    """Return a call without what it would be given anyway, as recorded ones tell all arguments."""
    in_order = [parameter.arg for parameter in positional(parameters)]
    names = [*reversed(in_order), *(parameter.arg for parameter in parameters.kwonlyargs)]
    # Those by position belong to the last parameters.
    values = [*reversed(parameters.defaults), *[None] * (len(in_order) - len(parameters.defaults))]
    usual = {
        name: ast.unparse(value)
        for name, value in zip(names, [*values, *parameters.kw_defaults], strict=True)
        if value is not None
    }
    count = len(call.args)
    while 0 < count <= len(in_order) and usual.get(in_order[count - 1]) == call.args[count - 1].text:
        count -= 1
    keywords = [pair for pair in call.keywords if usual.get(pair[0]) != pair[1].text]
    return replace(call, args=call.args[:count], keywords=tuple(keywords))
