"""Measures asv suites: asv's own runner discovers and sets up in our process; asv itself is never started."""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abs_audit.errors import UsageError
from abs_audit.grouping import grouped
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DrivenSuite, DriverPlan
from abs_audit.model.experiment import Block, Command, Workspace

REQUIREMENTS = ("asv_runner",)
CONFIGURATIONS = ("asv.conf.json", "asv.conf.jsonc")
MATRIX_KEYS = {"req", "env", "env_nobuild"}
ABOUT_ENVIRONMENT = {"python", "environment_type", "sys_platform"}
"""What else is said of an environment that asv includes beside its matrix."""
PREFIX = re.compile(r"^[^(]*::")
STRING = r'("(?:\\.|[^"\\])*")'


class AsvSuite(DrivenSuite):
    """The suite door for asv (airspeed velocity)."""

    name = "asv"
    ids_name_files = False

    def detect(self, root: Path) -> bool:
        """Tell whether the checkout has an asv configuration."""
        return bool(_configurations(root))

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the environment: the subject, what asv's matrix names, and asv's runner."""
        roots = _roots(workspace.tree, settings)
        pinned = [entry for root in roots for entry in matrix_requirements(root.configuration)]
        named = [entry.partition("==")[0] for entry in pinned]
        files = [path for root in roots if root.folder.is_dir() for path in python_files(root.folder)]
        # A matrix may be years older than what the subject itself asks for.
        preferred = [entry for entry in pinned if "==" in entry]
        return self._plan(workspace, settings).preparation([*REQUIREMENTS, *named], files, preferred)

    def details(self, workspace: Workspace, settings: BuildSettings) -> dict[str, Any]:
        """Return where the benchmarks of each configuration lie, under which prefix and environment."""
        return {"roots": [root.told(settings.environment) for root in _roots(workspace.tree, settings)]}

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks: those of one configuration after those of another."""
        roots = _roots(workspace.tree, settings)
        belonging = grouped(
            (next((n for n, root in enumerate(roots) if block.benchmark.startswith(root.prefix)), 0), block)
            for block in blocks
        )
        return [
            command
            for number, own in belonging.items()
            for command in self._plan(workspace, settings, number).executions(
                own, {**roots[number].told(settings.environment), "modules": roots[number].modules(own)}
            )
        ]

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return a regular expression for `asv run --bench`; of several configurations a line for each.

        Benchmarks of different ones may have equal names: the line begins with the folder of its own.
        """
        bare = {name: PREFIX.sub("", name) for name in benchmarks}
        by_prefix = grouped((name.removesuffix(own), re.escape(own)) for name, own in bare.items())
        return "\n".join(
            f"{prefix and prefix.removesuffix('::') + ': '}^({'|'.join(names)})$"
            for prefix, names in by_prefix.items()
        )

    def _plan(self, workspace: Workspace, settings: BuildSettings, number: int = 0) -> DriverPlan:
        """Return the plan under the environment of a configuration's matrix, and the user's own."""
        environment = _roots(workspace.tree, settings)[number].variables(settings.environment)
        return super()._plan(workspace, replace(settings, environment=environment))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Root:
    """Where one configuration has its benchmarks."""

    folder: Path
    configuration: Mapping[str, Any]
    prefix: str = ""
    """What the ids begin with where there are several."""

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the matrix; `environment` is the user's, which counts for more."""
        return {**matrix_environment(self.configuration), **environment}

    def told(self, environment: Mapping[str, str]) -> dict[str, Any]:
        """Return what the driver is told, under the user's environment."""
        variables = self.variables(environment)
        return {"benchmark_dir": str(self.folder), "prefix": self.prefix, "environment": variables}

    def modules(self, blocks: Sequence[Block]) -> list[str]:
        """Return the modules of benchmarks, below the folder's own; none where one has a name of its own."""
        names = {block.benchmark.removeprefix(self.prefix).partition("(")[0] for block in blocks}
        modules = {self._module(name.split(".")) for name in names}
        return [] if "" in modules else sorted(modules)

    def _module(self, parts: Sequence[str]) -> str:
        """Return the longest beginning of a dotted name that is a file; empty: none is."""
        for number in range(len(parts) - 1, 0, -1):
            path = self.folder.joinpath(*parts[:number])
            if Path(f"{path}.py").is_file() or (path / "__init__.py").is_file():
                return ".".join(parts[:number])
        return ""


def _roots(tree: Path, settings: BuildSettings) -> list[_Root]:
    """Return the configuration in or above what `paths` names, or all; at least one, be it invented."""
    if settings.paths:
        return [_named(tree, tree / settings.paths[0])]
    paths = _configurations(tree)
    all_roots = {root.folder: root for root in map(_root, paths) if root.folder.is_dir()}
    if len(all_roots) < 2:
        # A folder that is not there is complained about by its name.
        return [*all_roots.values(), *map(_root, paths[:1]), _root(tree / CONFIGURATIONS[0])][:1]
    return [
        replace(root, prefix=f"{folder.relative_to(tree.resolve()).as_posix()}::")
        for folder, root in all_roots.items()
        if folder.is_relative_to(tree.resolve())
    ]


def _named(tree: Path, named: Path) -> _Root:
    holders = (folder for folder in named.parents if folder.is_relative_to(tree))
    above = (folder / name for folder in holders for name in CONFIGURATIONS if (folder / name).is_file())
    path, *_ = (*_configurations(named), *above, *_configurations(tree), tree / CONFIGURATIONS[0])
    inside = path.parent.resolve().is_relative_to(named.resolve())
    return _root(path) if inside else replace(_root(path), folder=named.resolve())


def _root(path: Path) -> _Root:
    configuration = read_configuration(path) if path.is_file() else {}
    folder = path.parent / configuration.get("benchmark_dir", "benchmarks")
    return _Root(folder=folder.resolve(), configuration=configuration)


def _configurations(root: Path) -> list[Path]:
    """Return the configuration files: in the root, or a folder or two below."""
    return [
        path
        for pattern in ("", "*/", "*/*/")
        for name in CONFIGURATIONS
        for path in sorted(root.glob(pattern + name))
    ]


def read_configuration(path: Path) -> dict[str, Any]:
    """Return an asv configuration, whose dialect of JSON knows comments and trailing commas."""
    text = path.read_text(encoding="utf-8")
    bare = re.sub(STRING + r"|//[^\n]*|/\*.*?\*/", lambda match: match[1] or "", text, flags=re.DOTALL)
    try:
        contents = json.loads(re.sub(STRING + r"|,(?=\s*[}\]])", lambda match: match[1] or "", bare))
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}: expected asv's configuration, found: {error}; correct the file") from error
    if not isinstance(contents, dict):
        raise UsageError(f"{path}: expected an object in braces, as asv's configuration is; correct the file")
    included = contents.get("include", [])
    if not isinstance(included, list) or not all(isinstance(entry, dict) for entry in included):
        raise UsageError(f"{path}: expected `include` to be a list of objects in braces; correct the file")
    return contents


def matrix_requirements(configuration: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the packages of asv's matrix and of the last environment beside it, each in its last version."""
    # Before asv 0.5 they held nothing but packages.
    told = [part.get("req", {}) if MATRIX_KEYS & set(part) else part for part in _parts(configuration)]
    packages = {name: versions for part in told for name, versions in part.items()}
    chosen = ((name.removeprefix("pip+"), _last(versions, "")) for name, versions in packages.items())
    return tuple(f"{name}=={version}" if version else name for name, version in chosen if version is not None)


def matrix_environment(configuration: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables of asv's matrix and beside it, each with the last of its values."""
    variables = (
        entry
        for part in _parts(configuration)
        for kind in ("env", "env_nobuild")
        for entry in part.get(kind, {}).items()
    )
    return {name: str(last) for name, values in variables if (last := _last(values, None)) is not None}


def _parts(configuration: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield asv's matrix, and what belongs into the last of the environments that it includes beside it."""
    yield configuration.get("matrix", {})
    included = [
        environment
        for environment in configuration.get("include", [])
        if environment.get("sys_platform") in {None, sys.platform}
    ]
    for environment in included[-1:]:
        yield {name: value for name, value in environment.items() if name not in ABOUT_ENVIRONMENT}


def _last(values: object, empty: str | None) -> Any:
    if not isinstance(values, list):
        return values
    return values[-1] if values else empty
