"""Calls of an API method that the checkout itself makes: which call sites are of it, and what they pass."""

from collections.abc import Iterator
from itertools import islice

from abs_audit.languages.drafting import complete
from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.call_sites import CallSite
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.repeatability import ON_CLASS, Definition, Kind
from abs_audit.languages.python.stubs.scopes import Scope
from abs_audit.languages.python.stubs.snippet import Snippet, class_of, named

MOST_CALL_SITES = 80
"""Places that are looked at for one method; the first are in benchmarks."""


def best(checkout: Checkout, definition: Definition) -> PythonCall | None:
    """Return the call of the best origin that works on most data."""
    leading: PythonCall | None = None
    for call in every(checkout, definition):
        if leading is not None and call.origin > leading.origin:
            break
        if leading is None or (-call.origin, call.weight) > (-leading.origin, leading.weight):
            leading = call
    return leading


def every(checkout: Checkout, definition: Definition) -> Iterator[PythonCall]:
    """Yield the calls whose parts stand alone, benchmarks first."""
    for call_site in islice(checkout.call_sites.get(_key(definition), ()), MOST_CALL_SITES):
        for chosen in checkout.scopes.choices(call_site.chain):
            scope = Scope(page=call_site.page, chain=call_site.chain, chosen=chosen)
            call = _resolved(checkout, definition, call_site, scope)
            if call is not None:
                yield call


def _resolved(
    checkout: Checkout, definition: Definition, call_site: CallSite, scope: Scope
) -> PythonCall | None:
    """Return the call of a call site if it is one of this method and its parts stand alone."""
    fits, receiver = _receiver(checkout, definition, call_site, scope)
    if not fits:
        return None
    args = complete(checkout.extraction.closed(argument, scope) for argument in call_site.args)
    names = complete(keyword.arg for keyword in call_site.keywords)
    values = complete(checkout.extraction.closed(keyword.value, scope) for keyword in call_site.keywords)
    if args is None or names is None or values is None:
        return None
    return PythonCall(
        receiver=receiver,
        args=tuple(args),
        keywords=tuple(zip(names, values, strict=True)),
        origin=call_site.page.origin,
        where=call_site.page.path,
    )


def _receiver(
    checkout: Checkout, definition: Definition, call_site: CallSite, scope: Scope
) -> tuple[bool, Snippet | None]:
    """Tell whether the call site is of this very method, and on what it is called."""
    family = checkout.family(definition)
    if definition.kind in {Kind.FUNCTION, Kind.CONSTRUCTOR}:
        closed = checkout.extraction.closed(call_site.function, scope) if call_site.function else None
        symbol = closed.symbol if closed else None
        if definition.kind is Kind.FUNCTION:
            return symbol == definition.symbol, None
        return symbol in family, closed
    closed = checkout.extraction.closed(call_site.receiver, scope) if call_site.receiver else None
    if closed is None:
        return False, None
    if definition.kind in ON_CLASS:
        instance = class_of(checkout.library, closed)
        if instance in family and instance is not None:
            return True, named(checkout.library, instance)
        return closed.symbol in family, closed
    return class_of(checkout.library, closed) in family, closed


def _key(definition: Definition) -> str:
    """Return the name under which call sites of a method are filed."""
    if definition.kind is Kind.CONSTRUCTOR:
        return definition.symbol.name.rpartition(".")[2]
    if definition.kind in {Kind.PROPERTY, Kind.DELETER}:
        return f"{definition.name}.getter"
    return f"{definition.name}.setter" if definition.kind is Kind.SETTER else definition.name
