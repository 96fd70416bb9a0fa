"""Writes missing benchmarks for JMH."""

import re

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.model.subject import SourceTree
from abs_audit.stubs.java_draft import Drafting, JavaDraft, Subject
from abs_audit.stubs.java_layout import benchmark, benchmark_name, skeleton
from abs_audit.stubs.java_library import CONSTRUCTOR, Callable, Library, parts
from abs_audit.stubs.java_style import JavaStyle, style

NO_SUITE = JavaStyle(
    folder="src/main/java/",
    package="benchmarks",
    ending="Benchmark",
    mode="AverageTime",
    unit="NANOSECONDS",
    indent="    ",
    brace=" ",
)


class JmhStubs:
    """The writer of classes with a method that is annotated with `@Benchmark`."""

    def __init__(self) -> None:
        self._tree: SourceTree | None = None

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a benchmark in a class of its own, in the package of the nearest existing ones."""
        self._read(tree)
        method = request.method
        found = self._library.find(method)
        habits = style(self._library, request.existing, found[0] if found else None) or NO_SUITE
        drafted: JavaDraft | str = "its definition"
        if found is not None:
            subject = Subject(id=method, holder=found[0], method=found[1])
            drafted = self._drafting.draft(subject, habits.package, request.arguments)
        name = self._class_name(method, habits)
        failed = isinstance(drafted, str)
        return Stub(
            method=method,
            path=f"{habits.folder}{habits.package.replace('.', '/')}/{name}.java",
            text=skeleton(drafted, habits, name, method)
            if isinstance(drafted, str)
            else benchmark(drafted, habits, name, method),
            benchmark=None if failed else f"{habits.package}.{name}.{benchmark_name(method)}",
            reason=f"nothing tells how to call {method}: fill in {drafted}"
            if isinstance(drafted, str)
            else drafted.reason,
        )

    def _read(self, tree: SourceTree) -> None:
        """Read a checkout, if it is another one than the last."""
        if self._tree is not tree:
            self._tree = tree
            self._library = Library(tree)
            self._drafting = Drafting(self._library)
            self._stems = _stems(self._library)

    def _class_name(self, method: str, habits: JavaStyle) -> str:
        """Return a name that no type of the package has, nor the benchmark of any other method."""
        owner, name, _ = parts(method)
        stem = _stem(owner, name)
        same = [id(one) for one in self._stems.get(stem, ())]
        found = self._library.find(method)
        number = same.index(id(found[1])) + 1 if found else len(same) + 1
        wanted = f"{stem}{number if number > 1 else ''}{habits.ending}"
        taken = {one.binary for one in self._library.types.values() if one.file.package == habits.package}
        others = (f"{wanted[: -len(habits.ending)]}Again{habits.ending}", f"AbsAudit{wanted}")
        return next((one for one in (wanted, *others) if f"{habits.package}.{one}" not in taken), wanted)


def _stem(owner: str, name: str) -> str:
    """Return the words of a class name for a method."""
    types = re.split(r"[.$]", owner)
    outer = [one for one in types if one[:1].isupper()] or types[-1:]
    last = "Create" if name == CONSTRUCTOR else f"{name[:1].upper()}{name[1:]}"
    return "".join([*outer, last])


def _stems(library: Library) -> dict[str, list[Callable]]:
    """Return the methods of the library by the words of the names of their benchmarks."""
    found: dict[str, list[Callable]] = {}
    for _, holder in sorted(library.types.items()):
        for one in holder.methods:
            found.setdefault(_stem(holder.binary, one.name), []).append(one)
    return found
