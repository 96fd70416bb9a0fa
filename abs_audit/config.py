"""What the user set: command line over environment over file over defaults; unknown keys are errors."""

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from abs_audit import quantities
from abs_audit.errors import UsageError
from abs_audit.formats.given_text import given_text
from abs_audit.interfaces import BuildSettings
from abs_audit.model.accepted import AcceptedEntry
from abs_audit.model.experiment import Sandbox
from abs_audit.model.subject import SourceBuild
from abs_audit.quantities import Kind, echoed

OWN_FILE = "abs-audit.toml"
PREFIX = "ABS_AUDIT_"
OLDER_NAMES = {"exclude": "exclude_benchmarks"}
"""Keys that users may have written under another name."""


def _of(kind: Kind) -> BeforeValidator:
    return BeforeValidator(lambda value: None if value is None else kind.read(value))


def _slowdown(value: object) -> float | None:
    read = None if value is None else quantities.AUTO_SLOWDOWN.read(value)
    return None if read == "auto" else read


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("expected a text without NUL")
    return text


Clean = Annotated[str, AfterValidator(_without_nul)]
Text = Clean | None
Pattern = Annotated[str, _of(quantities.PATTERN)]


class Settings(BaseModel):
    """All keys of `[tool.abs-audit]` in pyproject.toml, or of abs-audit.toml.

    What a key means that an option overrules, the option says (`abs_audit/cli/options.py`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: Text = None
    interpreter: Text = None
    requirements: tuple[Clean, ...] = Field(default=(), description="Further packages that the suite needs.")
    paths: tuple[Annotated[Clean, AfterValidator(quantities.INSIDE.read)], ...] = Field(
        default=(), description="Where the benchmarks lie."
    )
    environment: dict[Annotated[Clean, AfterValidator(quantities.VARIABLE.read)], Clean] = Field(
        default={}, description="Environment variables of the suite."
    )
    benchmarks: tuple[Pattern, ...] = ()
    exclude_benchmarks: tuple[Pattern, ...] = ()
    method: tuple[Pattern, ...] = ()
    shard: Annotated[Text, _of(quantities.SHARD)] = None
    downstream: tuple[str, ...] = ()
    top: Annotated[int, _of(quantities.COUNT)] = 20
    slowdown: Annotated[float | None, BeforeValidator(_slowdown)] = None
    iteration_s: Annotated[float, _of(quantities.DURATION)] = Field(
        default=0.02, description="Wanted duration of an iteration, in seconds."
    )
    timeout_s: Annotated[float, _of(quantities.DURATION)] = 600.0
    cpus: Annotated[Text, _of(quantities.CPUS)] = None
    runner: Literal["local", "container"] = "local"
    sandbox: Sandbox = Sandbox.AUTO
    image: Text = None
    cluster: Text = None
    memory: Annotated[Text, _of(quantities.MEMORY)] = None
    java: SourceBuild | None = Field(default=None, description="How a JMH suite is compiled without Maven.")
    accept: tuple[AcceptedEntry, ...] = Field(
        default=(),
        description="Findings of lint, and methods, to live with: id, reason, and until which day.",
    )
    seed: Annotated[int, _of(quantities.SEED)] = 1

    @property
    def framework(self) -> str | None:
        """The framework that is wanted: JMH where the user says how its suite is compiled."""
        return self.suite or ("jmh" if self.java else None)

    def build(self) -> BuildSettings:
        """Return the part that suites and tracers need."""
        return BuildSettings(
            interpreter=self.interpreter,
            requirements=self.requirements,
            paths=self.paths,
            environment=self.environment,
            image=self.image if self.runner == "container" else None,
            java=self.java,
            longest_s=self.timeout_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A value and who set it, for `config show --origin`."""

    key: str
    value: Any
    origin: str


def require_folder(subject: Path) -> None:
    """Raise UsageError for a subject that is no folder."""
    if not subject.is_dir():
        raise UsageError(f"{subject}: expected a directory with a checkout; give its path as SUBJECT")


def load(
    root: Path, explicit: Path | None, options: Mapping[str, Any]
) -> tuple[Settings, tuple[Origin, ...]]:
    """Merge defaults, file, environment and command line; raise UsageError for all wrong ones."""
    require_folder(root)
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
    unknown: list[str] = []
    for origin, layer in layers:
        folder = path.parent if layer is from_file else Path()
        for written, value in layer.items():
            key = OLDER_NAMES.get(written, written)
            if key in Settings.model_fields:
                merged[key] = Origin(key=key, value=_placed(key, value, folder), origin=origin)
            else:
                unknown.append(f"{origin}: {_unknown(written)}")
    return _validated(merged, unknown), tuple(merged.values())


def _placed(key: str, value: Any, folder: Path) -> Any:
    """Return a value for commands that are executed elsewhere; a path is one of the folder."""
    is_path = key == "interpreter" and isinstance(value, str) and os.sep in value
    return str((folder / value).absolute()) if is_path else value


def _validated(merged: Mapping[str, Origin], complaints: Sequence[str]) -> Settings:
    """Return the settings; raise UsageError for everything that is wrong with them."""
    try:
        settings = Settings.model_validate({key: entry.value for key, entry in merged.items()})
    except ValidationError as error:
        wrong = {str(part["loc"][0]): _said(part["loc"][1:], part["msg"]) for part in error.errors()}
        for key, said in wrong.items():
            shown = echoed(merged[key].value)
            shown = repr(shown) if isinstance(merged[key].value, str) else shown
            complaints = [*complaints, f"{merged[key].origin}: {key} = {shown}: {said}"]
    if complaints:
        hint = "see what is in force with: abs-audit config show --origin"
        raise UsageError(
            "; ".join([*complaints, hint]) if len(complaints) == 1 else "\n".join([*complaints, hint])
        )
    return settings


def _said(within: Sequence[object], message: str) -> str:
    """Return what pydantic says of a value, or of a key within it, as a part of a sentence."""
    message = message.removeprefix("Value error, ")
    return "".join(f"{key}: " for key in within if isinstance(key, str)) + message[:1].lower() + message[1:]


def _unknown(key: str) -> str:
    close = difflib.get_close_matches(key, Settings.model_fields, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(Settings.model_fields)}"
    return f"unknown key {echoed(key)!r}; {hint}"


def _file(root: Path, explicit: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the one file that is in force and its keys."""
    if explicit is not None:
        keys = _read(explicit)
        return explicit, _table(explicit, keys) if explicit.name == "pyproject.toml" else keys
    own, shared = root / OWN_FILE, root / "pyproject.toml"
    table = _table(shared, _read(shared)) if shared.is_file() else {}
    if own.is_file() and table:
        raise UsageError(f"{own} and [tool.abs-audit] in {shared} are both present: keep one of them")
    return (own, _read(own)) if own.is_file() else (shared, table)


def _table(path: Path, keys: Mapping[str, Any]) -> dict[str, Any]:
    tools = keys.get("tool", {})
    table = tools.get("abs-audit", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"{path}: expected a table [tool.abs-audit], found {echoed(table)!r}")
    return table


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(given_text(path, "configuration"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: expected TOML: {error}") from error


def _environment() -> dict[str, Any]:
    """Read ABS_AUDIT_<KEY>; lists are separated by commas."""
    values: dict[str, Any] = {}
    for name, text in os.environ.items():
        key = name.removeprefix(PREFIX).lower()
        key = OLDER_NAMES.get(key, key)
        if name.startswith(PREFIX) and key in Settings.model_fields:
            listed = "tuple" in str(Settings.model_fields[key].annotation)
            values[key] = tuple(part.strip() for part in text.split(",")) if listed else text
    return values
