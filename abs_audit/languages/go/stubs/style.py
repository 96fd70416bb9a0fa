"""How the benchmarks of a Go package are written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from abs_audit.grouping import commonest
from abs_audit.languages.drafting import mostly
from abs_audit.languages.go.toolchain.layout import Package
from abs_audit.languages.syntax import text_of

PARAMETER = re.compile(r"\(([A-Za-z]\w*) \*testing\.B\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoStyle:
    """What benchmarks have in common."""

    clause: str
    """Import path of the package that they belong to: the library's, or that of its outer tests."""
    bench: str
    """Name of their parameter."""
    loops: bool
    """Whether they count with `b.Loop()`; else up to `b.N`."""
    allocations: bool
    """Whether they report allocations."""
    joint: str
    """What stands between the words of their names: `_` or nothing."""


def style(packages: Mapping[str, Package], path: str) -> GoStyle:
    """Return the style of a package's benchmarks; where it has none, of all, and inner ones."""
    own = {clause: _benchmarks(packages, clause) for clause in (path, f"{path}_test")}
    texts = [*own[path], *own[f"{path}_test"]]
    texts = texts or [text for clause in packages for text in _benchmarks(packages, clause)]
    outer = len(own[f"{path}_test"]) > len(own[path]) or path not in packages
    return GoStyle(
        clause=f"{path}_test" if outer else path,
        bench=commonest(name for text in texts for name in PARAMETER.findall(text)[:1]) or "b",
        loops=mostly(".Loop()" in text for text in texts if ".Loop()" in text or ".N" in text),
        allocations=mostly(".ReportAllocs()" in text for text in texts),
        joint="_" if not texts or mostly("_" in text.partition("(")[0] for text in texts) else "",
    )


def _benchmarks(packages: Mapping[str, Package], clause: str) -> list[str]:
    package = packages.get(clause)
    return [
        text_of(function.node)
        for file, function in (package.functions() if package is not None else ())
        if file.is_test and re.match(r"Benchmark(?![a-z])", function.name) and not function.receiver
    ]
