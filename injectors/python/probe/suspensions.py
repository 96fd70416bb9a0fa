"""Runtime of the probes, second part: generators and coroutines that are suspended while they are probed.

Lies beside `_abs_audit_probe` as `_abs_audit_suspensions`; executes in the audited project's own interpreter.
"""
# mypy: ignore-errors

_ITERABLE_COROUTINE = 0x100
RESUMES, END, NOTHING = "resumes", "end", "nothing"


def is_coroutine(thing):
    """Tell whether `await` takes `thing` without asking it for an `__await__`."""
    code = getattr(thing, "gi_code", None)
    return hasattr(thing, "cr_code") or (code is not None and bool(code.co_flags & _ITERABLE_COROUTINE))


def driven(site, iterable, held, ticks):
    """Delegate as PEP 380 says, having left the probe for each suspension."""
    counted, waits = ticks is RESUMES, ticks is not RESUMES or site.is_awaited
    inner = iter(iterable)
    sent = throw = None
    while True:
        try:
            if throw is not None:
                value = throw(sent)
            elif sent is None:
                value = next(inner)
            else:
                value = inner.send(sent)
        except StopIteration as stop:
            value = stop.value
            break
        if held is not None:
            held.wait(waits)
            held.leave()
        try:
            sent = yield value
        except GeneratorExit:
            site.resume(held, False, waits)
            getattr(inner, "close", bool)()
            raise
        except BaseException as error:
            site.resume(held, False, waits)
            throw, sent = getattr(inner, "throw", None), error
            if throw is None:
                raise
        else:
            throw = None
            site.resume(held, counted, waits)
    if ticks is END and site.active is not None:
        site.active.tick()
    return value


def _asking(name):
    """Return a special method that asks the thing itself, and waits for what it answers."""

    def ask(self, *arguments):
        site, thing, held, _ = self._parts
        return Waiting(site, getattr(type(thing), name)(thing, *arguments), held, NOTHING)

    return ask


class Waiting:
    """What `await`, `async for` or `async with` is given instead: its suspensions leave the probe."""

    def __init__(self, *parts):
        self._parts = parts

    def __await__(self):
        site, thing, held, ticks = self._parts
        steps = type(thing).__await__(thing) if hasattr(thing, "__await__") else thing
        return driven(site, steps, held, ticks)

    __aiter__, __anext__ = _asking("__aiter__"), _asking("__anext__")
    __aenter__, __aexit__ = _asking("__aenter__"), _asking("__aexit__")
