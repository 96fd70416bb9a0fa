"""The text of a JMH benchmark class."""

import re
from collections.abc import Collection, Iterable
from functools import partial

from abs_audit.languages.java.stubs.draft import JavaDraft
from abs_audit.languages.java.stubs.style import JavaStyle
from abs_audit.languages.java.stubs.values import NAME, THROWS, named
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR
from abs_audit.languages.java.toolchain.ids import split
from abs_audit.templates import templates

# A method without parameters must not have the name of one that every object has.
TAKEN = {"clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait", "setUp"}
_MARK = re.compile(NAME.format("(.*?)"))


def benchmark_name(method: str) -> str:
    """Return the name of the method that is measured."""
    name = split(method)[1]
    if name == CONSTRUCTOR:
        return "create"
    return f"measure{name[:1].upper()}{name[1:]}" if name in TAKEN else name


def _shown(method: str) -> str:
    """Return an id as sources write names, types without their packages."""
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", method.replace("$", "."))


def file(draft: JavaDraft, style: JavaStyle, class_name: str, method: str, packages: Collection[str]) -> str:
    """Return the file of a benchmark, which compiles and says what it waits for where there is no code.

    Its marks become names, and its imports follow from them. `packages`: the checkout's own.
    """
    fields = draft.code.fields if draft.code else ()
    template = templates("languages/java/stubs/templates", named=named).get_template("benchmark.j2")
    marked = template.render(
        style=style,
        class_name=class_name,
        name=benchmark_name(method),
        shown=_shown(method),
        code=draft.code,
        origin=draft.origin,
        set_up_throws=any(THROWS in field.value for field in fields),
        waits_for=f"fill in {draft.reason}, then call {_shown(method)}",
    ).replace(THROWS, "")
    outermost = partial(_outermost, packages=packages)
    imported = _imported(map(outermost, _MARK.findall(marked)), class_name)
    written = _MARK.sub(lambda mark: _written(mark[1], outermost(mark[1]), imported), marked)
    needed = [
        name for name in sorted(imported) if name.rpartition(".")[0] not in {"java.lang", style.package}
    ]
    firsts = dict.fromkeys((*style.groups, *(name.partition(".")[0] for name in needed if style.groups)))
    groups = [[name for name in needed if name.startswith(f"{first}.")] for first in firsts] or [needed]
    imports = ["\n".join(f"import {name};" for name in group) for group in groups if group]
    return style.notice + "\n\n".join([f"package {style.package};", *imports, written])


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
