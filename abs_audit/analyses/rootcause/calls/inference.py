"""Who may call whom, read from the sources, where no probe can record it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from abs_audit.analyses.rootcause.calls.call_tree import CallGraph
from abs_audit.analyses.rootcause.calls.changes import Sources, spans
from abs_audit.grouping import grouped, reached

PARAMETERS = re.compile(r"\((?!\*)[^()]*\)$")
CALLED = re.compile(r"\w+(?=\s*[(\[{<])")
REFERRED = re.compile(rf"{CALLED.pattern}|(?<=[.:@])\w+|(?:(?<=[(,=])|(?<=[,=] ))\w+(?=[,)\n])")
"""Also what is called without a bracket, or by others: properties, decorators, functions as arguments."""
CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


def inferred(calls: Mapping[str, float], sources: Sources, written: re.Pattern[str] = CALLED) -> CallGraph:
    """Return the call graph of the methods that were counted: a caller's text names its callee.

    `written` finds the names that count as calls; of two methods with one name both are called.
    Calls are known for methods, not for pairs: an edge holds the callee's calls where it has one caller, and
    the caller's own (one a call) where it has several. What nobody counted names, or what only calls itself
    in a circle, is put to the benchmark.
    """
    named = grouped((name, method) for method in calls for name in names(method))
    callers: dict[str, set[str]] = {method: set() for method in calls}
    for caller, text in _bodies(calls, sources):
        mentioned = Counter(written.findall(text))
        mentioned[names(caller)[0]] -= 1  # its own definition
        for name in +mentioned:
            for callee in named.get(name, ()):
                if callee != caller:
                    callers[callee].add(caller)
    edges: dict[tuple[str | None, str], float] = {
        (caller, callee): calls[callee] if len(own) == 1 else calls[caller]
        for callee, own in callers.items()
        for caller in own
    }
    edges |= {(None, method): calls[method] for method in _unreached(callers)}
    return CallGraph(calls=dict(calls), edges=edges, recorded=False)


def names(method: str) -> Sequence[str]:
    """Return the names of a definition and of its calls: those of a constructor name its class."""
    words = re.findall(r"\w+", PARAMETERS.sub("", method).removesuffix(".<init>")) or [method]
    return words[:-3:-1] if words[-1] in CONSTRUCTORS else words[-1:]


def _bodies(calls: Mapping[str, float], sources: Sources) -> Iterable[tuple[str, str]]:
    """Yield the text of every counted method."""
    places = {
        method.id: method for method in sources.methods if method.id in calls and method.path in sources.tree
    }
    for path, own in grouped((written.path, written) for written in places.values()).items():
        lines = sources.tree[path].splitlines()
        for method, span in spans(sources.tree[path], own).items():
            yield method, "\n".join(lines[span.start - 1 : span.stop - 1])


def _unreached(callers: Mapping[str, set[str]]) -> list[str]:
    """Return the methods to put to the benchmark so that every method is below it."""
    callees = grouped((caller, callee) for callee, own in callers.items() for caller in own)
    roots: list[str] = []
    seen: set[str] = set()
    # Methods that nobody calls come first; what is left after them lies in circles.
    for method in sorted(callers, key=lambda name: (len(callers[name]), name)):
        if method not in seen:
            roots.append(method)
            seen.update(reached([method], lambda name: callees.get(name, ())))
    return roots
