"""Reads from a checkout which packages its tests and benchmarks need."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from abs_audit.toolchains.python import project_table, setup_table

BENCH = re.compile(
    r"(bench(mark)?s?|benchmarking|perf(ormance)?|codspeed)([-_].*)?|.*[-_](bench(mark)?s?|perf)"
)
TEST = re.compile(r"(test|tests|testing)")
DEVELOPMENT = re.compile(r"(dev|develop|development)")


def subject_requirements(tree: Path) -> tuple[str, ...]:
    """Return what to hand to pip: the subject with its extras, its groups, its requirement files."""
    table = project_table(tree)
    extras = table.get("project", {}).get("optional-dependencies", {})
    groups = table.get("dependency-groups", {})
    if setup_table(tree).has_section("options.extras_require"):
        extras = {**dict(setup_table(tree).items("options.extras_require")), **extras}
    wanted_extras, wanted_groups = _wanted(extras, groups)
    arguments = [requirement for name in wanted_groups for requirement in _group(groups, name)]
    for path in _requirement_files(tree):
        arguments += ["-r", str(path)]
    if _installable(tree):
        arguments.insert(0, str(tree) + (f"[{','.join(wanted_extras)}]" if wanted_extras else ""))
    return tuple(dict.fromkeys(arguments)) if "-r" not in arguments else tuple(arguments)


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
