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
    """Delegate as PEP 380 says, held the probe for each suspension."""
    counted = ticks is RESUMES
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
            held.leave()
        try:
            sent = yield value
        except GeneratorExit:
            site.resume(held, False)
            getattr(inner, "close", bool)()
            raise
        except BaseException as error:
            site.resume(held, False)
            throw, sent = getattr(inner, "throw", None), error
            if throw is None:
                raise
        else:
            throw = None
            site.resume(held, counted)
    if ticks is END and site.active is not None:
        site.active.tick()
    return value


class Waiting:
    """An awaitable whose suspensions leave the probe."""

    def __init__(self, site, awaitable, held, ticks):
        self._parts = site, awaitable, held, ticks

    def __await__(self):
        site, awaitable, held, ticks = self._parts
        steps = type(awaitable).__await__(awaitable) if hasattr(awaitable, "__await__") else awaitable
        return driven(site, steps, held, ticks)


class Each:
    """An asynchronous iterable whose suspensions leave the probe."""

    def __init__(self, site, iterable, held):
        self._site, self._inner, self._held = site, iterable, held

    def __aiter__(self):
        return Each(self._site, type(self._inner).__aiter__(self._inner), self._held)

    def __anext__(self):
        return Waiting(self._site, type(self._inner).__anext__(self._inner), self._held, NOTHING)


class Within:
    """An asynchronous context manager whose suspensions leave the probe."""

    def __init__(self, site, manager, held):
        self._site, self._inner, self._held = site, manager, held

    def __aenter__(self):
        return Waiting(self._site, type(self._inner).__aenter__(self._inner), self._held, NOTHING)

    def __aexit__(self, *error):
        return Waiting(self._site, type(self._inner).__aexit__(self._inner, *error), self._held, NOTHING)
