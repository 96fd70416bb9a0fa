"""What the user set: command line over environment over file over defaults; unknown keys are errors."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from abs_audit.errors import UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.model.experiment import Sandbox

OWN_FILE = "abs-audit.toml"
PREFIX = "ABS_AUDIT_"


class Settings(BaseModel):
    """All keys of `[tool.abs-audit]` in pyproject.toml, or of abs-audit.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: str | None = Field(default=None, description="framework, where a checkout holds several")
    interpreter: str | None = Field(default=None, description="the language's own executable")
    requirements: tuple[str, ...] = Field(default=(), description="further packages that the suite needs")
    paths: tuple[str, ...] = Field(default=(), description="where the benchmarks lie")
    environment: dict[str, str] = Field(default={}, description="environment variables of the suite")
    exclude: tuple[str, ...] = Field(default=(), description="benchmarks to leave out, ids or globs")
    downstream: tuple[str, ...] = Field(default=(), description="projects whose unit tests are traced")
    top: int = Field(default=20, ge=1, description="methods to keep of the ranking")
    slowdown: float | None = Field(default=None, gt=0, description="δ; unset: twice the noise of the suite")
    iteration_s: float = Field(default=0.02, gt=0, description="wanted duration of an iteration, in seconds")
    timeout_s: float = Field(default=600.0, gt=0, description="limit of one benchmark's block, in seconds")
    cpus: str | None = Field(default=None, description="CPUs to pin to, such as 1 or 0,2")
    runner: Literal["local", "container"] = Field(default="local", description="where the suite executes")
    sandbox: Sandbox = Field(default=Sandbox.AUTO, description="how tightly a suite is confined here")
    image: str | None = Field(default=None, description="container image with the language's toolchain")
    cluster: str | None = Field(default=None, description="scheduler whose hosts execute, or local:N")
    memory: str | None = Field(default=None, description="memory of a container, such as 2g")
    seed: int = Field(default=1, description="seed of every random order")

    def build(self) -> BuildSettings:
        """Return the part that suites and tracers need."""
        return BuildSettings(
            interpreter=self.interpreter,
            requirements=self.requirements,
            paths=self.paths,
            environment=self.environment,
            image=self.image if self.runner == "container" else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A value and who set it, for `config show --origin`."""

    key: str
    value: Any
    origin: str


def load(
    root: Path, explicit: Path | None, options: Mapping[str, Any]
) -> tuple[Settings, tuple[Origin, ...]]:
    """Merge defaults, file, environment and command line; raise UsageError at the first wrong key."""
    path, from_file = _file(root, explicit)
    merged: dict[str, Origin] = {
        key: Origin(key=key, value=field.get_default(call_default_factory=True), origin="default")
        for key, field in Settings.model_fields.items()
    }
    layers = [
        (str(path), from_file),
        ("environment", _environment()),
        ("command line", {key: value for key, value in options.items() if value is not None}),
    ]
    for origin, layer in layers:
        for key, value in layer.items():
            _check_key(key, origin)
            merged[key] = Origin(key=key, value=value, origin=origin)
    return _validated(merged), tuple(merged.values())


def _validated(merged: Mapping[str, Origin]) -> Settings:
    try:
        return Settings.model_validate({key: entry.value for key, entry in merged.items()})
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise UsageError(
            f"{merged[key].origin}: {key} = {merged[key].value!r}: {first['msg'].lower()}; "
            "see what is in force with: abs-audit config show --origin"
        ) from error


def _check_key(key: str, origin: str) -> None:
    if key in Settings.model_fields:
        return
    close = difflib.get_close_matches(key, Settings.model_fields, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(Settings.model_fields)}"
    raise UsageError(f"{origin}: unknown key {key!r}; {hint}")


def _file(root: Path, explicit: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the one file that is in force and its keys."""
    if explicit is not None:
        keys = _read(explicit)
        shared_file = explicit.name == "pyproject.toml"
        return explicit, keys.get("tool", {}).get("abs-audit", {}) if shared_file else keys
    own, shared = root / OWN_FILE, root / "pyproject.toml"
    table = _read(shared).get("tool", {}).get("abs-audit", {}) if shared.is_file() else {}
    if own.is_file() and table:
        raise UsageError(f"{own} and [tool.abs-audit] in {shared} are both present: keep one of them")
    return (own, _read(own)) if own.is_file() else (shared, table)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the configuration ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected TOML: {error}") from error


def _environment() -> dict[str, Any]:
    """Read ABS_AUDIT_<KEY>; lists are separated by commas."""
    found: dict[str, Any] = {}
    for name, text in os.environ.items():
        key = name.removeprefix(PREFIX).lower()
        if name.startswith(PREFIX) and key in Settings.model_fields:
            listed = "tuple" in str(Settings.model_fields[key].annotation)
            found[key] = tuple(part.strip() for part in text.split(",")) if listed else text
    return found
