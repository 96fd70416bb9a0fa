"""Writes missing benchmarks for Go's testing package."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from abs_audit.grouping import commonest, grouped
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.languages.drafting import MissingError, notice, unfinished, untried
from abs_audit.languages.go.stubs.draft import Drafting, GoDraft, Subject
from abs_audit.languages.go.stubs.snippet import BENCH, RAW
from abs_audit.languages.go.stubs.style import GoStyle
from abs_audit.languages.go.stubs.types import Placed, Types
from abs_audit.languages.go.toolchain.catalogue import Catalogue
from abs_audit.languages.go.toolchain.layout import Package
from abs_audit.languages.go.toolchain.promotion import Holder
from abs_audit.languages.syntax import snake
from abs_audit.model.subject import Benchmark, SourceTree
from abs_audit.templates import templates

BATCH = 100
"""Calls made ready while the clock stands still."""
RECEIVER = re.compile(r"\.(?:\(\*(?P<pointer>\w+)\)|(?P<value>\w+))\.\w+$")
COUNTERS = ("i", "n", "turn", "call")


class GoBenchStubs:
    """The writer of functions that take a `*testing.B`."""

    def __init__(self) -> None:
        self._tree: SourceTree | None = None

    def stub(self, tree: SourceTree, request: StubRequest) -> Stub:
        """Write a benchmark in a test file of its own, beside those of the method's package.

        Where that is of a module without benchmarks, it stands beside those that another module has.
        """
        self._read(tree)
        method, package = request.method, self._nearest(request.method)
        home = self._home(package, request.existing)
        location = _Location(package=package, home=home)
        path = home.path.removesuffix("_test") if home else ""
        drafting = self._drafting(path)
        habits = drafting.style
        name, file = self._name(location, method), self._path(location, method)
        try:
            subject, beginning = self._subject(method, package), self._notice(file)
            texts = (
                (draft, beginning + _text(method, draft, habits, name, self._clause(draft.clause, home)))
                for draft in drafting.drafts(subject, request.arguments)
            )
            draft, text = untried(texts, request.failed)
        except MissingError as missing:
            text = _skeleton(method, name, self._clause(habits.clause, home), str(missing))
            return unfinished(method, file, self._notice(file) + text, missing)
        return Stub(method=method, path=file, text=text, benchmark=f"{path}.{name}", reason=draft.reason)

    def _read(self, tree: SourceTree) -> None:
        """Read a checkout, if it is another one than the last."""
        if self._tree is not tree:
            self._tree = tree
            self._catalogue = Catalogue(tree)
            self._holders, self._siblings = cache(self._holders_of), cache(self._siblings_of)
            self._drafting = cache(partial(Drafting, Types(self._catalogue.packages)))

    def _subject(self, method: str, package: Package | None) -> Subject:
        definition = next(iter(self._catalogue.find(method)), None)
        if definition is None or definition.function is None or package is None:
            raise MissingError("its definition")
        receiver = RECEIVER.search(method.removeprefix(package.path))
        name = (receiver["pointer"] or receiver["value"]) if receiver else ""
        return Subject(
            target=Placed(package=definition.package, file=definition.file, function=definition.function),
            holder=Holder(package=package, name=name) if name else None,
            package=package,
        )

    def _nearest(self, method: str) -> Package | None:
        """Return the package that an id names."""
        owners = [
            package for path, package in self._catalogue.packages.items() if method.startswith(f"{path}.")
        ]
        return max(owners, key=lambda package: len(package.path), default=None)

    def _home(self, package: Package | None, existing: Sequence[Benchmark]) -> Package | None:
        """Return the package that the benchmark of a package's method belongs to."""
        holders = self._holders(tuple(benchmark.id for benchmark in existing))
        if package is None or not holders or any(holder.module == package.module for holder in holders):
            return package
        return self._catalogue.packages[commonest(holder.path for holder in holders)]

    def _holders_of(self, benchmarks: Iterable[str]) -> list[Package]:
        """Return the package of each benchmark."""
        return [holder for name in benchmarks if (holder := self._nearest(name)) is not None]

    def _siblings_of(self, prefix: str) -> list[str]:
        """Return the ids of a package's methods, by what they begin with; none where there is no package."""
        return [name for name in self._catalogue.all if prefix and name.startswith(prefix)]

    def _clause(self, path: str, home: Package | None) -> str:
        """Return the name for the package clause of the package with a path."""
        named = self._catalogue.packages.get(path) or home
        return named.name if named is not None else "stubs"

    def _notice(self, file: str) -> str:
        """Return the notice of a licence that the tests beside a file begin with, or else all tests."""
        tests = [path for path in self._tree or () if path.endswith("_test.go")]
        folder = file.rpartition("/")[0]
        beside = [path for path in tests if path.rpartition("/")[0] == folder]
        return notice((self._tree or {})[path] for path in beside or tests)

    def _name(self, location: "_Location", method: str) -> str:
        """Return a name for the benchmark that no function of the tests beside it has."""
        path = location.home.path if location.home is not None else ""
        both = (self._catalogue.packages.get(package_path) for package_path in (path, f"{path}_test"))
        taken = {function.name for holder in both if holder is not None for _, function in holder.functions()}
        others = (
            "".join(location.words(other)) for other in self._siblings(location.prefix) if other != method
        )
        joint = self._drafting(path.removesuffix("_test")).style.joint
        words = location.words(method)
        wanted = (joint if "".join(words) not in others else "_").join(words)
        wanted = f"Benchmark{'_' if wanted[:1].islower() else ''}{wanted}"
        return next(name for name in (wanted, *(f"{wanted}_{n}" for n in range(2, 100))) if name not in taken)

    def _path(self, location: "_Location", method: str) -> str:
        """Return a new file for the benchmark; no system or processor ends its name."""
        folder = location.home.files[0].path.rpartition("/")[0] if location.home is not None else ""
        words = location.words(method)
        stem = _stem(words)
        same = {
            ".".join(location.words(other))
            for other in (*self._siblings(location.prefix), method)
            if _stem(location.words(other)) == stem
        }
        number = sorted(same).index(".".join(words))
        file = f"{stem}{number + 1 if number else ''}_bench_test.go"
        beginnings = (f"{folder}/" if folder else "", f"{folder}/abs_audit_".lstrip("/"))
        return next(f"{start}{file}" for start in beginnings if f"{start}{file}" not in (self._tree or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Location:
    """Where a method is, and where its benchmark is to be."""

    package: Package | None
    home: Package | None

    @property
    def prefix(self) -> str:
        """What the ids of the package's methods begin with."""
        return f"{self.package.path}." if self.package is not None else ""

    def words(self, method: str) -> list[str]:
        """Return the words of a benchmark's name: those of its method, if need be with the package's."""
        if self.package is None or self.package is self.home:
            return _words(method)
        return [self.package.name.capitalize(), *_words(method)]


def _words(method: str) -> list[str]:
    """Return type and method, or the function's name, of an id."""
    last = method.rpartition("/")[2].partition(".")[2] or method
    return [word for word in re.split(r"[^\w]+", last) if word]


def _stem(words: Sequence[str]) -> str:
    return snake("_".join(words)).replace("__", "_")


def _skeleton(method: str, name: str, clause: str, missing: str) -> str:
    """Return a benchmark that says what it waits for."""
    told = json.dumps(f"fill in {missing}, then call {method}", ensure_ascii=False)
    function = _function(method, name, None, style=None, bench="b", counter="", missing=told)
    return _file(clause, {("", "testing")}, function)


def _text(method: str, draft: GoDraft, habits: GoStyle, name: str, clause: str) -> str:
    bench = "bench" if habits.bench in draft.made.names else habits.bench
    names = draft.made.names | {draft.made.text.partition(".")[0]}
    counter = next(counter for counter in COUNTERS if counter not in names)
    function = _function(method, name, draft, style=habits, bench=bench, counter=counter)
    imports = {("", "testing"), *draft.made.imports}
    if "runtime." in function.partition("\nfunc ")[2]:
        imports.add(("", "runtime"))
    return _file(clause, imports, function)


def _function(method: str, name: str, draft: GoDraft | None, **context: object) -> str:
    template = templates("languages/go/stubs/templates").get_template("benchmark.j2")
    written = template.render(name=name, shown=".".join(_words(method)), draft=draft, batch=BATCH, **context)
    return written.replace(RAW, "\n").replace(BENCH, str(context["bench"]))


def _file(clause: str, imports: Iterable[tuple[str, str]], function: str) -> str:
    """Return a file in the form that gofmt gives it."""
    written = sorted(set(imports), key=lambda line: line[1])
    foreign = grouped(("." in path.partition("/")[0], f'{name} "{path}"'.strip()) for name, path in written)
    # The standard library's stand first, in a group of their own.
    groups = ["\n".join(f"\t{line}" for line in lines) for _, lines in sorted(foreign.items())]
    block = "import (\n" + "\n\n".join(groups) + "\n)" if len(written) > 1 else f"import {groups[0].strip()}"
    return f"package {clause}\n\n{block}\n\n{function}"
