"""Measures asv suites: asv's own runner discovers and sets up in our process; asv itself is never started."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from abs_audit.errors import UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DrivenSuite, DriverPlan
from abs_audit.model.experiment import Command, Workspace

REQUIREMENTS = ("asv_runner",)
CONFIGURATIONS = ("asv.conf.json", "asv.conf.jsonc")
MATRIX_KEYS = {"req", "env", "env_nobuild"}
STRING = r'("(?:\\.|[^"\\])*")'


class AsvSuite(DrivenSuite):
    """The suite door for asv (airspeed velocity)."""

    name = "asv"
    ids_name_files = False

    def detect(self, root: Path) -> bool:
        """Tell whether the checkout has an asv configuration."""
        return find_configuration(root) is not None

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the environment: the subject, what asv's matrix names, and asv's runner."""
        pinned = matrix_requirements(_configuration(workspace.tree, settings)[1])
        named = [entry.partition("==")[0] for entry in pinned]
        folder = Path(self.details(workspace, settings)["benchmark_dir"])
        files = list(python_files(folder)) if folder.is_dir() else []
        # A matrix may be years older than what the subject itself asks for.
        preferred = [entry for entry in pinned if "==" in entry]
        return self._plan(workspace, settings).preparation([*REQUIREMENTS, *named], files, preferred)

    def details(self, workspace: Workspace, settings: BuildSettings) -> dict[str, Any]:
        """Return where the benchmarks lie."""
        folder, configuration = _configuration(workspace.tree, settings)
        named = workspace.tree.joinpath(*settings.paths[:1]).resolve()
        if not settings.paths or folder.resolve().is_relative_to(named):
            named = (folder / configuration.get("benchmark_dir", "benchmarks")).resolve()
        return {"benchmark_dir": str(named)}

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return a regular expression for `asv run --bench`."""
        return f"^({'|'.join(map(re.escape, benchmarks))})$"

    def variables(self, workspace: Workspace, settings: BuildSettings) -> dict[str, str]:
        """Return the environment of the matrix, under the user's own."""
        return {
            **matrix_environment(_configuration(workspace.tree, settings)[1]),
            **settings.environment,
        }

    def _plan(self, workspace: Workspace, settings: BuildSettings) -> DriverPlan:
        return super()._plan(workspace, replace(settings, environment=self.variables(workspace, settings)))


def find_configuration(root: Path) -> Path | None:
    """Return the suite's configuration file: in the root, or a folder or two below."""
    for pattern in ("", "*/", "*/*/"):
        for name in CONFIGURATIONS:
            paths = sorted(root.glob(pattern + name))
            if paths:
                return paths[0]
    return None


def _beside(folder: Path) -> Iterator[Path]:
    return (path for name in CONFIGURATIONS if (path := folder / name).is_file())


def _configuration(tree: Path, settings: BuildSettings) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the contents of the configuration in or above what `paths` names, or of any."""
    named = tree.joinpath(*settings.paths[:1])
    above = (path for folder in named.parents if folder.is_relative_to(tree) for path in _beside(folder))
    path = find_configuration(named) or next(above, None) or find_configuration(tree)
    return (path.parent, read_configuration(path)) if path else (tree, {})


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
    return contents


def matrix_requirements(configuration: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the packages of asv's matrix, each in the last of its versions."""
    matrix = configuration.get("matrix", {})
    # Before asv 0.5 the matrix held nothing but packages.
    packages = matrix.get("req", {}) if MATRIX_KEYS & set(matrix) else matrix
    chosen = ((name.removeprefix("pip+"), _last(versions, "")) for name, versions in packages.items())
    return tuple(f"{name}=={version}" if version else name for name, version in chosen if version is not None)


def matrix_environment(configuration: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables of asv's matrix, each with the last of its values."""
    return dict(_variables(configuration.get("matrix", {})))


def _variables(matrix: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in ("env", "env_nobuild"):
        for name, values in matrix.get(kind, {}).items():
            value = _last(values, None)
            if value is not None:
                yield name, str(value)


def _last(values: object, empty: str | None) -> Any:
    if not isinstance(values, list):
        return values
    return values[-1] if values else empty
