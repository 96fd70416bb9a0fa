"""Writes missing benchmarks for JMH."""

import re
from collections.abc import Iterable, Sequence
from functools import partial

from abs_audit.grouping import grouped, reached
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.drafting import MissingError, unfinished, untried
from abs_audit.languages.java.stubs.draft import Drafting, JavaDraft
from abs_audit.languages.java.stubs.layout import benchmark_name, file
from abs_audit.languages.java.stubs.library import Library, Subject, methods, parts
from abs_audit.languages.java.stubs.style import JavaStyle, homes, source_folder, style
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR
from abs_audit.languages.java.toolchain.poms import Pom, parsed
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.model.subject import Benchmark, SourceTree

NO_SUITE = JavaStyle()


class JmhStubs:
    """The writer of classes with a method that is annotated with `@Benchmark`."""

    def __init__(self) -> None:
        self._tree: SourceTree | None = None

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a benchmark in a class of its own, in the package of the nearest existing ones."""
        self._read(tree)
        method = request.method
        subject = self._library.find(method)
        habits = self._habits(request.existing, subject.holder if subject else None)
        name = self._class_name(method, subject, habits)
        packages = self._library.packages
        path = f"{habits.folder}{habits.package.replace('.', '/')}/{name}.java"
        try:
            if subject is None:
                raise MissingError("its definition")
            drafts = self._drafting.drafts(subject, partial(self._sees, habits), request.arguments)
            texts = ((draft, file(draft, habits, name, method, packages)) for draft in drafts)
            draft, text = untried(texts, request.failed)
        except MissingError as missing:
            empty = JavaDraft(code=None, origin="", reason=str(missing))
            return unfinished(method, path, file(empty, habits, name, method, packages), missing)
        return Stub(
            method=method,
            path=path,
            text=text,
            benchmark=f"{habits.package}.{name}.{benchmark_name(method)}",
            reason=draft.reason,
        )

    def _read(self, tree: SourceTree) -> None:
        """Read a checkout, if it is another one than the last."""
        if self._tree is not tree:
            self._tree = tree
            self._library = Library(tree)
            self._modules = _Modules(tree)
            self._drafting = Drafting(self._library)
            # Those whose benchmarks would have one name, by its words.
            self._alike = grouped(
                (_stem(binary, method.name), (holder, method))
                for binary, holder in sorted(self._library.types.items())
                for method in methods(holder)
            )

    def _habits(self, existing: Sequence[Benchmark], holder: LibraryType | None) -> JavaStyle:
        """Return the style of the nearest benchmarks, of those whose module may use the type if there are."""
        all_of_them = homes(self._library, existing)
        path = holder.file.path if holder is not None else ""
        near = [source for source in all_of_them if self._modules.sees(source.path, path)] or all_of_them
        return style(near, holder) if near else NO_SUITE

    def _sees(self, habits: JavaStyle, declared: LibraryType) -> bool:
        """Return whether a benchmark may name a type: public or of its package, and of a module it uses."""
        near = declared.file.package == habits.package and "private" not in declared.declaration.modifiers
        beside = source_folder(declared.file) == habits.folder
        reached = beside or (
            not declared.file.is_test and self._modules.sees(habits.file, declared.file.path)
        )
        return (near or declared.is_public) and reached

    def _class_name(self, method: str, subject: Subject | None, habits: JavaStyle) -> str:
        """Return a name that no type of the package has, nor the benchmark of any other method."""
        owner, name, _ = parts(method)
        stem = _stem(owner, name)
        alike = self._alike.get(stem, [])
        kinds = [
            _kinds(self._library.kind(written, holder, other) for written in other.parameters)
            for holder, other in alike
        ]
        number = alike.index((subject.holder, subject.method)) if subject else 0
        # One of several methods of a name has it alone, the others are told by their parameters.
        telling = kinds[number] if number and kinds.count(kinds[number]) == 1 else str(number + 1)
        wanted = f"{stem}{telling}" if number else stem
        taken = {declared.canonical for declared in self._library.types.values()}
        names = [f"{word}{habits.ending}" for word in (wanted, f"{wanted}Again", f"AbsAudit{wanted}")]
        return next((name for name in names if f"{habits.package}.{name}" not in taken), names[0])


def _stem(owner: str, name: str) -> str:
    """Return the words of a class name for a method."""
    types = re.split(r"[.$]", owner)
    outer = [part for part in types if part[:1].isupper()] or types[-1:]
    return "".join([*outer, "Create" if name == CONSTRUCTOR else f"{name[:1].upper()}{name[1:]}"])


def _kinds(types: Iterable[str]) -> str:
    """Return the words of the types of parameters."""
    simple = (kind.rpartition(".")[2].replace("[]", "Array") for kind in types)
    return "".join(f"{word[0].upper()}{word[1:]}" for word in simple)


class _Modules:
    """Which modules of a Maven project may use which, by the folders of their pom.xml."""

    def __init__(self, tree: SourceTree) -> None:
        poms = [
            Pom(folder=path.removesuffix("pom.xml"), project=project)
            for path, text in tree.items()
            if f"/{path}".endswith("/pom.xml") and (project := parsed(text)) is not None
        ]
        homes = {pom.coordinates[1]: pom.folder for pom in poms}
        direct = {
            pom.folder: [
                homes[name]
                for dependency in pom.project.iterfind("dependencies/dependency")
                if (name := pom.named(dependency)[1]) in homes
            ]
            for pom in poms
        }
        self._uses = {folder: set(reached([folder], direct.__getitem__)) for folder in direct}

    def sees(self, path: str, other: str) -> bool:
        """Tell whether a source may use another's types; where no pom.xml tells, it may."""
        user, wanted = self._module(path), self._module(other)
        return user is None or wanted in self._uses[user]

    def _module(self, path: str) -> str | None:
        return max(filter(path.startswith, self._uses), key=len, default=None)
