"""What every framework's writer needs to know about one missing benchmark."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from abs_audit.grouping import grouped
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.drafting import notice
from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.calls import best_call, missing
from abs_audit.languages.python.stubs.checkout import Checkout
from abs_audit.languages.python.stubs.draft import Draft, draft, qualified
from abs_audit.languages.python.stubs.example_sources import Origin, Page
from abs_audit.languages.python.stubs.library import Function, Library
from abs_audit.languages.python.stubs.repeatability import Definition, define
from abs_audit.languages.python.stubs.snippet import named
from abs_audit.languages.python.stubs.style import Habits
from abs_audit.languages.python.toolchain.layout import is_public
from abs_audit.languages.syntax import snake
from abs_audit.model.subject import SourceTree

ORIGINS = {
    Origin.RECORDED: "It is called as the tests of downstream projects call it.",
    Origin.BENCHMARK: "It is called as in {where}.",
    Origin.TEST: "It is called as in {where}.",
    Origin.DOCUMENTATION: "It is called as in the examples of {where}.",
    Origin.INVENTED: "Its arguments are made up from its signature: replace them by typical ones.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A benchmark to write, or the reason why there is none."""

    method: str
    name: str
    """For a file or function: words of the method's id in snake case; one name, one method."""
    words: tuple[str, ...]
    """Class and method, or the function, as the id has them."""
    draft: Draft | None
    origin: str
    """A sentence on where the call comes from."""
    reason: str
    """What a person has to fill in; empty if nothing."""
    pages: Sequence[Page]
    """The existing benchmark files that could be read."""
    notice: str
    """What they tell of their licence, where they do."""
    checkout: Checkout

    def path(self, style: Habits) -> str:
        """Return a new file's path, whose last part is no other's: pytest takes no two of one name."""
        path = style.path(self.name)
        taken = (PurePosixPath(other).name for other in self.checkout.tree)
        return style.path(f"abs_audit_{self.name}") if PurePosixPath(path).name in taken else path

    def stub(self, path: str, text: str, benchmark: str) -> Stub:
        """Return the file that holds the benchmark, or what a person has to fill in."""
        return Stub(
            method=self.method,
            path=path,
            text=text,
            benchmark=benchmark if self.draft else None,
            reason=self.reason,
        )


class Writer:
    """What the writers have in common: each remembers what it read of the last checkout."""

    def __init__(self) -> None:
        self._checkout: Checkout | None = None
        self._alike: Mapping[str, list[str]] = {}
        """Plain name → the methods of the library that it is the name of."""

    def proposal(self, tree: SourceTree, files: frozenset[str], request: StubRequest) -> Proposal:
        """Return what is to be written for one method; `files`: those of the existing benchmarks."""
        if self._checkout is None or self._checkout.tree is not tree:
            self._checkout = Checkout(tree, files)
            library = self._checkout.library
            self._alike = grouped((_plain(library, name), name) for name in dict.fromkeys(_ids(library)))
        checkout, library = self._checkout, self._checkout.library
        definition = define(library, request.method)
        call = best_call(checkout, definition, request.arguments) if definition else None
        drafted = None
        if definition and call:
            # Where a proposal has failed, its receiver may not stand a second call.
            drafted = draft(definition, call, named(library, definition.symbol), anew=bool(request.failed))
            drafted = qualified(drafted, checkout.whole)
        return Proposal(
            method=request.method,
            name=self._name(library, request.method),
            words=_words(library, request.method),
            draft=drafted,
            origin=_origin(call),
            reason=_reason(checkout, request.method, definition, call),
            pages=[page for page in checkout.pages if page.path in files],
            notice=notice(tree[path] for path in sorted(files) if path in tree),
            checkout=checkout,
        )

    def _name(self, library: Library, method: str) -> str:
        """Return a name that no other method of the library has: with its module's where it needs that."""
        name = _plain(library, method)
        others = [other for other in self._alike.get(name, ()) if other != method]
        if others:
            name = _plain(library, method, with_module=True)
            others = [other for other in others if _plain(library, other, with_module=True) == name]
        return f"{name}_{1 + sum(other < method for other in others)}" if others else name


def _origin(call: PythonCall | None) -> str:
    if call is None or not (call.where or call.origin in {Origin.RECORDED, Origin.INVENTED}):
        return ""
    if not call.is_whole and call.origin is not Origin.INVENTED:
        return f"Its receiver is made as in {call.where}."
    return ORIGINS[call.origin].format(where=call.where)


def _reason(checkout: Checkout, method: str, definition: Definition | None, call: PythonCall | None) -> str:
    if definition is None:
        return f"the sources do not show where {method} is defined: write its call by hand"
    if call is None:
        wanted = missing(checkout, definition)
        return f"neither calls nor annotations tell how to call {method}: fill in {wanted}"
    if call.origin is Origin.INVENTED:
        return "its arguments are made up from the signature: replace them by typical ones"
    return ""


def _words(library: Library, method: str) -> tuple[str, ...]:
    placed = library.place(method)
    return placed[1] if placed else tuple(method.split(".")[-2:])


def _plain(library: Library, method: str, with_module: bool = False) -> str:
    placed = library.place(method)
    module = placed[0].name.split(".")[1:] if placed and with_module else []
    words = [*module, *_words(library, method)]
    return "_".join(filter(None, (re.sub(r"\W", "", snake(word)).strip("_") for word in words)))


def _ids(library: Library) -> Iterator[str]:
    """Yield the ids of all functions and methods that may be proposed."""
    scopes = [(module.name, module.body.body) for module in library.modules]
    scopes += [(symbol.id, node.body) for symbol, node in library.classes.items()]
    for scope, body in scopes:
        names = dict.fromkeys(node.name for node in body if isinstance(node, Function))
        yield from (f"{scope}.{name}" for name in names if is_public(name))
