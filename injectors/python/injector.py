"""The Python injector: lists a library's API and gives methods probes; text in, text out."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources

from abs_audit.grouping import grouped
from abs_audit.injectors.build_id import sealed
from abs_audit.injectors.python.exports import exports
from abs_audit.injectors.python.outline import Outline, outline
from abs_audit.injectors.python.parsing import UnreadableError
from abs_audit.injectors.python.rewriting import is_compilable, rewritten
from abs_audit.injectors.suggestions import LISTED, NO_SUCH
from abs_audit.languages.python.toolchain.layout import LibraryModule, library_modules
from abs_audit.model.subject import ApiListing, ApiMethod, Patch, Skipped, SourceTree

PARTS = ("probe", "states", "timing", "suspensions")
RUNTIME = {f"_abs_audit_{part}.py": f"probe/{part}.py" for part in PARTS}
"""Name beside the instrumented packages → file of this package."""
CARRIER = "_abs_audit_probe.py"
"""End of the path of the file that repeats the digest of a patch."""


class PythonInjector:
    """Satisfies `abs_audit.interfaces.Injector` for Python."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List the public API methods, and those that cannot carry a probe."""
        return _listing(tree, only_public=True)

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        """List the functions and methods of all modules, private ones too; nested ones are not told apart."""
        return _listing(tree, only_public=False).methods

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion."""
        modules = library_modules(tree)
        files: dict[str, str] = {}
        probed: set[str] = set()
        skipped: dict[str, str] = {}
        roots: set[str] = set()
        for name, wanted in _by_module(modules, methods).items():
            module = modules[name]
            try:
                result = rewritten(tree[module.path], name, frozenset(wanted))
            except UnreadableError as error:
                skipped.update({f"{name}.{method}": f"{module.path}, {error}" for method in wanted})
                continue
            if not is_compilable(result.text) and is_compilable(tree[module.path]):
                reason = f"{module.path}: the body is nested too deeply to hold a probe"
                skipped.update({f"{name}.{method}": reason for method in result.probed})
            elif result.probed:
                files[module.path] = result.text
                probed.update(f"{name}.{method}" for method in result.probed)
                roots.add(module.root)
        asked = dict.fromkeys(methods)
        reasons = self._reasons(tree, [method for method in asked if method not in probed], skipped)
        instrumented = (method for method in asked if method in probed)
        return sealed({**files, **_runtime(roots)}, CARRIER, instrumented, reasons)

    def _reasons(
        self, tree: SourceTree, methods: Sequence[str], reasons: Mapping[str, str]
    ) -> dict[str, str]:
        if not all(method in reasons for method in methods):
            listing = self.api_methods(tree)
            reasons = {entry.method: entry.reason for entry in listing.skipped} | dict(reasons)
            public, every = (
                [method.id for method in all_methods]
                for all_methods in (listing.methods, self.all_functions(tree))
            )
            reasons = {method: _unknown(method, public, every) for method in methods} | reasons
        return {method: reasons[method] for method in methods}


def _listing(tree: SourceTree, *, only_public: bool) -> ApiListing:
    modules = library_modules(tree)
    outlines, unreadable = _outlines(tree, modules)
    exported = exports(modules, outlines) if only_public else None
    defined = (
        (
            ApiMethod(id=f"{name}.{definition.name}", path=modules[name].path, line=definition.line),
            definition.reason,
        )
        for name, module_outline in outlines.items()
        for definition in module_outline.definitions
        if exported is None or exported.covers(name, definition.name)
    )
    return ApiListing.of(defined, unreadable)


def _outlines(
    tree: SourceTree, modules: Mapping[str, LibraryModule]
) -> tuple[dict[str, Outline], list[Skipped]]:
    outlines: dict[str, Outline] = {}
    unreadable: list[Skipped] = []
    for name, module in modules.items():
        try:
            outlines[name] = outline(tree[module.path])
        except UnreadableError as error:
            unreadable.append(Skipped(method=f"{name}.*", reason=f"{module.path}, {error}"))
    return outlines, unreadable


def _by_module(modules: Mapping[str, LibraryModule], methods: Iterable[str]) -> dict[str, list[str]]:
    """Return module name → names inside it, for each module that may hold a method.

    `a.b.c` may be `b.c` of the module `a` as well as `c` of the module `a.b`.
    """
    return grouped(
        (name, ".".join(parts[length:]))
        for parts in (method.split(".") for method in dict.fromkeys(methods))
        for length in range(len(parts) - 1, 0, -1)
        if (name := ".".join(parts[:length])) in modules
    )


def _runtime(roots: Iterable[str]) -> dict[str, str]:
    """Return path → text of the probe's runtime beside the packages of each root."""
    folder = resources.files("abs_audit.injectors.python")
    texts = {name: folder.joinpath(source).read_text(encoding="utf-8") for name, source in RUNTIME.items()}
    return {f"{root}/{name}".lstrip("/"): text for root in roots for name, text in texts.items()}


def _unknown(method: str, public: Sequence[str], every: Sequence[str]) -> str:
    *_, owner, name = ["", *method.split(".")]
    # What a package passes on is known by the module that defines it, be that a private one.
    close = (
        [candidate for candidate in every if owner and candidate.endswith(f".{owner}.{name}")]
        or difflib.get_close_matches(method, public, n=1, cutoff=0.6)
        or [candidate for candidate in public if candidate.rpartition(".")[2] == name]
    )
    return f"{NO_SUCH}: did you mean {close[0]}?" if close else LISTED
