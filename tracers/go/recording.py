"""A copy of a Go library that records who calls its functions: the injector's outline, other sites."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_audit.grouping import grouped
from abs_audit.languages.go.toolchain.catalogue import Catalogue
from abs_audit.languages.go.toolchain.layout import Package, SourceFile
from abs_audit.languages.go.toolchain.outline import Function, free_name, importing, is_exported
from abs_audit.languages.syntax import Splice, in_field, listed, spliced, text_in, text_of
from abs_audit.model.subject import SourceTree

FOLDER = "internal/absauditrecorder"
_NUMBERS = "byte rune float32 float64 int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64"
# Values of these types can be written down and read again as source text.
_BASIC = frozenset(("string", "bool", *_NUMBERS.split()))
_SIZE = """package absauditrecorder

const functions = {count}

const library = "{module}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What to write into the copy, and what its functions are known by."""

    files: dict[str, str]
    ids: tuple[tuple[str, ...], ...]
    """For each function, by its number in a record: its own id, then those under which others inherit it."""


def recording(tree: SourceTree) -> Recording:
    """Put a call of the recorder into every exported function of the root's module, but those of commands."""
    catalogue = Catalogue(tree)
    name = free_name(tree)
    heirs = _heirs(catalogue)
    files: dict[str, str] = {}
    ids: list[tuple[str, ...]] = []
    module = next((package.module_path for package in catalogue.packages.values() if not package.module), "")
    for package, file in _recorded(catalogue):
        splices = [importing(file.outline, name, f"{module}/{FOLDER}")]
        for function in file.outline.functions:
            if is_exported(function.name) and not function.reason:
                splices.append(_call(function, name, len(ids)))
                own = f"{package.path}.{function.id}"
                ids.append((own, *sorted({*heirs[file.path, function.line]} - {own})))
        if len(splices) > 1:
            files[file.path] = spliced(tree[file.path], splices)
    files[f"{FOLDER}/size.go"] = _SIZE.format(count=len(ids), module=module)
    return Recording(files=files, ids=tuple(ids))


def _recorded(catalogue: Catalogue) -> Iterator[tuple[Package, SourceFile]]:
    """Yield the files that others may import; what is not Go, the compiler will tell."""
    for package in catalogue.packages.values():
        # An internal package counts, too: exported types may be made of its types.
        if package.module or package.name == "main" or "testdata" in package.path.split("/"):
            continue
        for file in package.files:
            if not file.is_test and file.outline.broken_at is None:
                yield package, file


def _heirs(catalogue: Catalogue) -> dict[tuple[str, int], list[str]]:
    """Return file and line of each function → all ids that it is executed under."""
    return grouped(
        ((definition.file.path, definition.line), method)
        for method, definitions in catalogue.all.items()
        for definition in definitions
    )


def _call(function: Function, name: str, number: int) -> Splice:
    body = in_field(function.node, "body")
    assert body is not None
    arguments = "".join(f", {argument}" for argument in _arguments(function))
    return Splice(start=body.start_byte + 1, text=f" {name}.Call({number}{arguments});")


def _arguments(function: Function) -> Sequence[str]:
    """Return the names of the parameters where all are of basic types, else nothing."""
    names: list[str] = []
    for parameter in listed(function.node, "parameters"):
        own = [text_of(name) for name in parameter.children_by_field_name("name")]
        basic = text_in(parameter, "type") in _BASIC
        if parameter.type != "parameter_declaration" or not basic or not own or "_" in own:
            return ()
        names += own
    return names
