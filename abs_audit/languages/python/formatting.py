"""Formats Python sources with black or ruff, where the repository says that it does so."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.files import file_text
from abs_audit.languages.language import Formatter
from abs_audit.languages.python.toolchain.environment import PythonEnvironment, project_table
from abs_audit.model.experiment import Command, Workspace

LIMIT_S = 120.0
PRINTING = {
    "black": '"$0" -m black --quiet --stdin-filename "$1" - < "$2"',
    # The project's own rules first, for the order of imports is among them.
    "ruff": '{ "$0" -m ruff check --fix-only --quiet --stdin-filename "$1" - < "$2" || cat "$2"; }'
    ' | "$0" -m ruff format --quiet --stdin-filename "$1" -',
}
HOOK = re.compile(r"repo:\s*\S*/(?P<repo>[\w-]+?)(?:\.git)?\s+rev:\s*['\"]?v?(?P<version>\d[\w.]*)")
MIRRORS = {"black": "black", "black-pre-commit-mirror": "black", "ruff-pre-commit": "ruff"}


def formatter(workspace: Workspace, settings: BuildSettings) -> Formatter | None:
    """Return the formatter that the repository is configured for, in its version; None without one."""
    requirement = required(workspace.tree)
    if requirement is None:
        return None
    name = re.split(r"[^a-z]", requirement)[0]
    python = PythonEnvironment(workspace=workspace, settings=settings)
    folder = workspace.root / "formatter" / re.sub(r"[^\w.]", "_", requirement)
    install = python.addition(f'[ -e "{folder}" ] || {{call}}', ["--target", str(folder), requirement])
    printing = Command(
        argv=("sh", "-c", PRINTING[name], python.executable),
        cwd=workspace.tree,
        env={"HOME": str(workspace.home), "PYTHONPATH": str(folder), **settings.environment},
        limit_s=LIMIT_S,
        purpose="formatting the proposed benchmarks",
    )
    return Formatter(
        name=name, fetching=(replace(install, purpose=f"fetching {requirement}"),), printing=printing
    )


def required(tree: Path) -> str | None:
    """Return the formatter of a repository as pip takes it, with the version that is asked for.

    A table of ruff's own format, or of black, says which; a table of ruff alone means ruff, unless black is
    among the hooks that run before a commit.
    """
    tool = project_table(tree).get("tool", {})
    named = HOOK.finditer(file_text(tree / ".pre-commit-config.yaml"))
    hooks = {MIRRORS[hook["repo"]]: hook["version"] for hook in named if hook["repo"] in MIRRORS}
    ruff = tool.get("ruff")
    configured = ruff is not None or any((tree / name).is_file() for name in ("ruff.toml", ".ruff.toml"))
    if isinstance(ruff, Mapping) and "format" in ruff:
        return _versioned("ruff", ruff, hooks)
    if "black" in tool or "black" in hooks:
        return _versioned("black", tool.get("black", {}), hooks)
    return _versioned("ruff", ruff or {}, hooks) if configured else None


def _versioned(name: str, table: Mapping[str, Any], hooks: Mapping[str, str]) -> str:
    wanted = str(table.get("required-version", "")) or hooks.get(name, "")
    return f"{name}=={wanted}" if wanted[:1].isdigit() else f"{name}{wanted}"
