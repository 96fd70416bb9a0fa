"""Arrows point down only: who may import whom, and who alone may touch the outside world."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path
    for package in ("abs_audit", "injectors", "tracers")
    for path in (ROOT / package).rglob("*.py")
    if not {"python_driver", "recorder"} & set(path.parts) and path.name != "probe.py"
)

LAYERS: list[set[str]] = [
    {"cli"},
    {"report", "experiment", "execution", "languages", "config"},
    {"formats"},
    {"analysis", "suites", "stubs", "injectors", "tracers"},
    {"stats", "interfaces", "toolchains"},
    {"model", "errors"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
# Inside the second row the loop may use what carries it out; nothing else crosses.
SIDEWAYS = {("experiment", "languages"), ("experiment", "execution"), ("experiment", "config")}
ONLY_IMPORTER = {
    "docker": "abs_audit/execution/container.py",
    "distributed": "abs_audit/execution/cluster.py",
    "git": "abs_audit/execution/repository.py",
    "subprocess": "abs_audit/execution/local.py",
    "sqlite3": "abs_audit/experiment/session.py",
    "injectors": "abs_audit/languages.py",
    "tracers": "abs_audit/languages.py",
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def room(dotted: str) -> str | None:
    parts = dotted.split(".")
    if parts[0] in {"injectors", "tracers"}:
        return parts[0]
    return parts[1] if parts[0] == "abs_audit" and len(parts) > 1 else None


def own_room(path: Path) -> str | None:
    return room(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows_point_down_only(path: Path) -> None:
    here = own_room(path)
    if here in {None, "__init__"}:
        return
    for target in map(room, imports(path)):
        if target is None or target == here or (here, target) in SIDEWAYS:
            continue
        assert RANK[target] > RANK[here], f"{here} must not import {target}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_outside_world_has_one_door_each(path: Path) -> None:
    relative = path.relative_to(ROOT).as_posix()
    for dotted in imports(path):
        top = dotted.split(".")[0]
        door = ONLY_IMPORTER.get(top)
        if door is not None and not relative.startswith(f"{top}/"):
            assert door == relative, f"only {door} may import {top}"
