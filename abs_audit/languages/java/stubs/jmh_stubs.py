"""Writes missing benchmarks for JMH."""

import re
from collections.abc import Sequence

from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.drafting import MissingError, unfinished
from abs_audit.languages.java.stubs.draft import Drafting, JavaDraft
from abs_audit.languages.java.stubs.layout import benchmark, benchmark_name, skeleton
from abs_audit.languages.java.stubs.library import Library, methods, parts
from abs_audit.languages.java.stubs.snippet import Subject
from abs_audit.languages.java.stubs.style import JavaStyle, homes, source_folder, style
from abs_audit.languages.java.stubs.values import Visible
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration
from abs_audit.languages.java.toolchain.poms import parsed, text_of
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.model.subject import Benchmark, SourceTree

NO_SUITE = JavaStyle(
    file="",
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
        placed = self._library.find(method)
        habits = self._habits(request.existing, placed[0] if placed else None)
        name = self._class_name(method, habits)
        path = f"{habits.folder}{habits.package.replace('.', '/')}/{name}.java"
        try:
            draft = self._draft(request, habits)
        except MissingError as missing:
            return unfinished(method, path, skeleton(str(missing), habits, name, method), missing)
        return Stub(
            method=method,
            path=path,
            text=benchmark(draft, habits, name, method, self._library.packages),
            benchmark=f"{habits.package}.{name}.{benchmark_name(method)}",
            reason=draft.reason,
        )

    def _draft(self, request: StubRequest, habits: JavaStyle) -> JavaDraft:
        placed = self._library.find(request.method)
        if placed is None:
            raise MissingError("its definition")
        subject = Subject(id=request.method, holder=placed[0], method=placed[1])
        return self._drafting.draft(subject, self._seen_from(habits), request.arguments)

    def _read(self, tree: SourceTree) -> None:
        """Read a checkout, if it is another one than the last."""
        if self._tree is not tree:
            self._tree = tree
            self._library = Library(tree)
            self._modules = _Modules(tree)
            self._drafting = Drafting(self._library)
            self._stems = _stems(self._library)

    def _habits(self, existing: Sequence[Benchmark], holder: LibraryType | None) -> JavaStyle:
        """Return the style of the nearest benchmarks, of those whose module may use the type if there are."""
        all_of_them = homes(self._library, existing)
        path = holder.file.path if holder is not None else ""
        seeing = [source for source in all_of_them if self._modules.sees(source.path, path)]
        near = seeing or all_of_them
        return style(self._library, near, holder) if near else NO_SUITE

    def _seen_from(self, habits: JavaStyle) -> Visible:
        """Return whether a benchmark may name a type: public or of its package, and of a module it uses."""

        def sees(declared: LibraryType) -> bool:
            near = declared.file.package == habits.package and "private" not in declared.declaration.modifiers
            beside = source_folder(declared.file) == habits.folder
            reached = beside or (
                not declared.file.is_test and self._modules.sees(habits.file, declared.file.path)
            )
            return (near or declared.is_public) and reached

        return sees

    def _class_name(self, method: str, habits: JavaStyle) -> str:
        """Return a name that no type of the package has, nor the benchmark of any other method."""
        owner, name, _ = parts(method)
        stem = _stem(owner, name)
        same = [id(other) for other in self._stems.get(stem, ())]
        placed = self._library.find(method)
        number = same.index(id(placed[1])) + 1 if placed else len(same) + 1
        wanted = f"{stem}{number if number > 1 else ''}{habits.ending}"
        taken = {
            declared.binary
            for declared in self._library.types.values()
            if declared.file.package == habits.package
        }
        others = (f"{wanted[: -len(habits.ending)]}Again{habits.ending}", f"AbsAudit{wanted}")
        return next((name for name in (wanted, *others) if f"{habits.package}.{name}" not in taken), wanted)


def _stem(owner: str, name: str) -> str:
    """Return the words of a class name for a method."""
    types = re.split(r"[.$]", owner)
    outer = [part for part in types if part[:1].isupper()] or types[-1:]
    last = "Create" if name == CONSTRUCTOR else f"{name[:1].upper()}{name[1:]}"
    return "".join([*outer, last])


def _stems(library: Library) -> dict[str, list[MethodDeclaration]]:
    """Return the methods of the library by the words of the names of their benchmarks."""
    stems: dict[str, list[MethodDeclaration]] = {}
    for _, holder in sorted(library.types.items()):
        for method in methods(holder):
            stems.setdefault(_stem(holder.binary, method.name), []).append(method)
    return stems


class _Modules:
    """Which modules of a Maven project may use which, by the folders of their pom.xml."""

    def __init__(self, tree: SourceTree) -> None:
        poms = {
            path.removesuffix("pom.xml"): text
            for path, text in tree.items()
            if f"/{path}".endswith("/pom.xml")
        }
        projects = {folder: project for folder, text in poms.items() if (project := parsed(text)) is not None}
        self._folders = sorted(projects, key=len, reverse=True)
        homes = {text_of(project.find("artifactId")): folder for folder, project in projects.items()}
        self._uses = {
            folder: {
                homes[name]
                for element in project.iterfind("dependencies/dependency/artifactId")
                if (name := text_of(element)) in homes
            }
            for folder, project in projects.items()
        }

    def sees(self, path: str, other: str) -> bool:
        """Tell whether a source may use another's types; where no pom.xml tells, it may."""
        wanted, rest, seen = self._module(other), [self._module(path)], set[str]()
        while rest:
            here = rest.pop()
            if here is None or here == wanted:
                return True
            if here not in seen:
                seen.add(here)
                rest += self._uses[here]
        return False

    def _module(self, path: str) -> str | None:
        return next((folder for folder in self._folders if path.startswith(folder)), None)
