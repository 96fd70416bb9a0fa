"""Reads from a checkout which packages its tests and benchmarks need."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from abs_audit.languages.python.toolchain.environment import project_table, setup_table

BENCH = re.compile(
    r"(bench(mark)?s?|benchmarking|perf(ormance)?|codspeed)([-_].*)?|.*[-_](bench(mark)?s?|perf)"
)
TEST = re.compile(r"(test|tests|testing)")
DEVELOPMENT = re.compile(r"(dev|develop|development)")
IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)


def subject_requirements(tree: Path, files: Iterable[Path]) -> tuple[str, ...]:
    """Return what to hand to pip for the benchmarks in `files`.

    That is the subject with its extras and groups for benchmarks and tests, requirement files, and
    whatever else the project declares (in any extra) under a name that one of the files imports.
    """
    table = project_table(tree)
    extras = table.get("project", {}).get("optional-dependencies", {})
    groups = table.get("dependency-groups", {})
    if setup_table(tree).has_section("options.extras_require"):
        extras = {**dict(setup_table(tree).items("options.extras_require")), **extras}
    wanted_extras, wanted_groups = _wanted(extras, groups)
    arguments = [requirement for name in wanted_groups for requirement in _group(groups, name)]
    declared = [entry for name in groups for entry in _group(groups, name)]
    declared += [entry for entries in extras.values() if isinstance(entries, list) for entry in entries]
    arguments += _imported(declared, files)
    for path in _requirement_files(tree):
        arguments += ["-r", str(path)]
    if _installable(tree):
        arguments.insert(0, str(tree) + (f"[{','.join(wanted_extras)}]" if wanted_extras else ""))
    return tuple(dict.fromkeys(arguments)) if "-r" not in arguments else tuple(arguments)


def test_requirements(tree: Path) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return what a project's unit tests need: what must be installed, and further parts that may fail."""
    table = project_table(tree)
    extras = dict(table.get("project", {}).get("optional-dependencies", {}))
    if setup_table(tree).has_section("options.extras_require"):
        extras |= dict(setup_table(tree).items("options.extras_require"))
    groups = table.get("dependency-groups", {})
    optional = [[f"{tree}[{name}]"] for name in extras if _for_tests(name) and _installable(tree)]
    optional += [list(_group(groups, name)) for name in groups if _for_tests(name)]
    for pattern in ("*requirements*.txt", "requirements/*.txt", "test*/requirements*.txt"):
        for path in sorted(tree.glob(pattern)):
            if any(_for_tests(word) for word in re.split(r"[-_./]", str(path.relative_to(tree)).lower())):
                optional.append(["-r", str(path)])
    return ((str(tree),) if _installable(tree) else ()), [arguments for arguments in optional if arguments]


def _for_tests(name: str) -> bool:
    return bool(TEST.fullmatch(name.lower()) or DEVELOPMENT.fullmatch(name.lower()))


def _wanted(extras: Mapping[str, Any], groups: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names that promise what benchmarks need; development tools only for want of those."""
    for patterns in ((BENCH, TEST), (DEVELOPMENT,)):
        chosen = [
            [name for name in names if any(pattern.fullmatch(name.lower()) for pattern in patterns)]
            for names in (extras, groups)
        ]
        if any(chosen):
            return chosen[0], chosen[1]
    return [], []


def _group(groups: Mapping[str, Any], name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the requirements of a dependency group (PEP 735), those of included groups too."""
    normal = {_normal(key): entries for key, entries in groups.items()}
    for entry in normal.get(_normal(name), []) if name not in seen else []:
        if isinstance(entry, str):
            yield entry
        elif "include-group" in entry:
            yield from _group(groups, entry["include-group"], seen | {name})


def _imported(declared: Iterable[str], files: Iterable[Path]) -> Iterator[str]:
    """Yield the declared requirements whose name is a part of an imported name."""
    lines = [line for file in files for line in IMPORTS.findall(file.read_text("utf-8", "replace"))]
    names = {_normal(name) for line in lines for name in re.split(r"\W+", line)}
    for entry in declared:
        try:
            name = Requirement(entry).name
        except InvalidRequirement:
            continue
        if _normal(name) in names:
            yield entry


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirement_files(tree: Path) -> Iterator[Path]:
    """Yield requirement files that lie beside benchmarks or are named after them."""
    for pattern in ("requirements*.txt", "requirements/*.txt"):
        for path in sorted(tree.glob(pattern)):
            words = re.split(r"[-_.]", path.stem.lower())
            if any(BENCH.fullmatch(word) for word in words):
                yield path
    for folder in sorted(tree.iterdir()):
        if folder.is_dir() and BENCH.fullmatch(folder.name.lower()):
            yield from sorted(folder.glob("requirements*.txt"))


def _installable(tree: Path) -> bool:
    """Tell whether there is a package to build; a pyproject.toml may hold nothing but tool settings."""
    table = project_table(tree)
    described = "project" in table or "build-system" in table or "poetry" in table.get("tool", {})
    return described or any((tree / name).is_file() for name in ("setup.py", "setup.cfg"))
