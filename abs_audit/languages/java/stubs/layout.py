"""The text of a JMH benchmark class."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from textwrap import wrap

from abs_audit.languages.java.stubs.draft import JavaDraft
from abs_audit.languages.java.stubs.style import JavaStyle
from abs_audit.languages.java.stubs.values import NAME, THROWS, named
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR

WHY = "Proposed by abs-audit, because no other benchmark noticed when {@code %s} became slower."
JMH = "org.openjdk.jmh.annotations"
# A method without parameters must not have the name of one that every object has.
TAKEN = {"clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait", "setUp"}
_MARK = re.compile(NAME.format("(.*?)"))


def benchmark(
    draft: JavaDraft, style: JavaStyle, class_name: str, method: str, packages: Collection[str]
) -> str:
    """Return the file of a benchmark that can be executed; `packages`: the checkout's own."""
    code, members = draft.code, []
    if code.fields:
        setup = [f"{field.name} = {field.value};" for field in code.fields]
        clause = " throws Exception" if any(THROWS in line for line in setup) else ""
        members.append([f"private {named(field.type)} {field.name};" for field in code.fields])
        members.append([_annotation("Setup"), *_block(f"public void setUp(){clause}", setup, style)])
    throws = " throws Exception" if code.throws else ""
    head = f"public {named(code.result)} {benchmark_name(method)}(){throws}"
    members.append([_annotation("Benchmark"), *_block(head, code.body, style)])
    return _file(members, style, class_name, (WHY % _shown(method), draft.origin), packages)


def skeleton(missing: str, style: JavaStyle, class_name: str, method: str) -> str:
    """Return the file of a benchmark that compiles, and says what it waits for."""
    told = f"fill in {missing}, then call {_shown(method)}"
    body = [f"// TODO: {told}", f'throw new UnsupportedOperationException("{told}");']
    member = [_annotation("Benchmark"), *_block(f"public void {benchmark_name(method)}()", body, style)]
    return _file([member], style, class_name, (WHY % _shown(method),), ())


def benchmark_name(method: str) -> str:
    """Return the name of the method that is measured."""
    name = method.partition("(")[0].rpartition(".")[2]
    if name == CONSTRUCTOR:
        return "create"
    return f"measure{name[:1].upper()}{name[1:]}" if name in TAKEN else name


def _shown(method: str) -> str:
    """Return an id as sources write names."""
    return method.replace("$", ".")


def _annotation(name: str, value: str = "") -> str:
    return f"@{named(f'{JMH}.{name}')}" + (f"({value})" if value else "")


def _block(head: str, body: Iterable[str], style: JavaStyle) -> Iterator[str]:
    opening = f"{head}{style.brace}{{"
    yield from opening.split("\n")
    yield from (f"{style.indent}{line}" for line in body)
    yield "}"


def _file(
    members: Sequence[Iterable[str]],
    style: JavaStyle,
    class_name: str,
    said: Iterable[str],
    packages: Collection[str],
) -> str:
    """Return a whole file: its marks become names, and its imports follow from them."""
    blocks = [list(member) for member in members]
    body = [line for block in blocks for line in ("", *block)][1:]
    lines = [*_comment(said), *_annotations(style), *_block(f"public class {class_name}", body, style)]
    marked = "\n".join(line.rstrip() for line in lines).replace(THROWS, "")
    outermost = partial(_outermost, packages=packages)
    imported = _imported(map(outermost, _MARK.findall(marked)), class_name)
    written = _MARK.sub(lambda mark: _written(mark[1], outermost(mark[1]), imported), marked)
    imports = [
        f"import {name};"
        for name in sorted(imported)
        if name.rpartition(".")[0] not in {"java.lang", style.package}
    ]
    return "\n".join([f"package {style.package};", "", *imports, "", written, ""])


def _comment(said: Iterable[str]) -> Iterator[str]:
    """Yield a comment, wrapped."""
    yield "/**"
    for sentence in filter(None, said):
        yield from wrap(sentence, 100, initial_indent=" * ", subsequent_indent=" * ", break_long_words=False)
    yield " */"


def _annotations(style: JavaStyle) -> Iterator[str]:
    yield _annotation("State", f"{named(f'{JMH}.Scope')}.Benchmark")
    if style.mode:
        yield _annotation("BenchmarkMode", f"{named(f'{JMH}.Mode')}.{style.mode}")
    if style.unit:
        yield _annotation("OutputTimeUnit", f"{named('java.util.concurrent.TimeUnit')}.{style.unit}")


def _imported(names: Iterable[str], class_name: str) -> set[str]:
    """Return the types to import: of two that share a simple name, the first."""
    taken, needed = {class_name}, set[str]()
    for name in dict.fromkeys(names):
        simple = name.rpartition(".")[2]
        if simple not in taken:
            taken.add(simple)
            needed.add(name)
    return needed


def _outermost(name: str, packages: Collection[str]) -> str:
    """Return the part of a canonical name that ends with the first type in it."""
    own = max((package for package in packages if name.startswith(f"{package}.")), key=len, default="")
    # Packages of others are told by their small letters.
    outermost = re.match(r"(?:[^.A-Z][^.]*\.)*[^.]+", name.removeprefix(f"{own}."))
    return ".".join(filter(None, (own, outermost[0] if outermost else name)))


def _written(name: str, outer: str, imported: set[str]) -> str:
    """Return a name as the file writes it."""
    return name.removeprefix(f"{outer.rpartition('.')[0]}.") if outer in imported else name
