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
        pinned = matrix_requirements(_configuration(workspace.tree))
        named = [entry.partition("==")[0] for entry in pinned]
        folder = Path(self.details(workspace, settings)["benchmark_dir"])
        files = list(python_files(folder)) if folder.is_dir() else []
        # A matrix may be years older than what the subject itself asks for.
        preferred = [entry for entry in pinned if "==" in entry]
        return self._plan(workspace, settings).preparation([*REQUIREMENTS, *named], files, preferred)

    def details(self, workspace: Workspace, settings: BuildSettings) -> dict[str, Any]:
        """Return where the benchmarks lie."""
        if settings.paths:
            return {"benchmark_dir": str((workspace.tree / settings.paths[0]).resolve())}
        path = find_configuration(workspace.tree)
        folder = path.parent if path else workspace.tree
        name = _configuration(workspace.tree).get("benchmark_dir", "benchmarks")
        return {"benchmark_dir": str((folder / name).resolve())}

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return a regular expression for `asv run --bench`."""
        return f"^({'|'.join(map(re.escape, benchmarks))})$"

    def _plan(self, workspace: Workspace, settings: BuildSettings) -> DriverPlan:
        variables = matrix_environment(_configuration(workspace.tree))
        return super()._plan(workspace, replace(settings, environment={**variables, **settings.environment}))


def find_configuration(root: Path) -> Path | None:
    """Return the suite's configuration file: in the root, or a folder or two below."""
    for pattern in ("", "*/", "*/*/"):
        for name in CONFIGURATIONS:
            paths = sorted(root.glob(pattern + name))
            if paths:
                return paths[0]
    return None


def _configuration(tree: Path) -> dict[str, Any]:
    path = find_configuration(tree)
    return read_configuration(path) if path else {}


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
