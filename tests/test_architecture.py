"""Arrows point down only: who may import whom, and who alone may touch the outside world."""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parent.parent
FOREIGN = {"driver", "recorder", "probe"}
"""Folders of sources that execute in the audited project's own interpreter."""
MODULES = sorted(
    path
    for package in ("abs_audit", "injectors", "tracers")
    for path in (ROOT / package).rglob("*.py")
    if not FOREIGN & set(path.parts) and not any(parent.is_symlink() for parent in path.parents)
)
LAYERS: list[set[str]] = [
    {"scripting"},
    {"cli"},
    {"answers"},
    {"report", "experiment", "execution", "table", "config"},
    {"analyses", "suites", "stubs", "lint", "formatting", "wing", "injectors", "tracers"},
    {"stats", "formats", "interfaces", "toolchain", "languages", "patterns"},
    {"advising", "model", "errors", "grouping", "quantities", "tables", "templates", "wording"},
]
"""Rooms from top to bottom. `analyses` are their computing modules, `answers` the modules that measure or
render (by file name); a wing's `__init__` is `wing`."""
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
ANSWERING = {
    "record",
    "combining",
    "shards",
    "since",
    "markdown",
    "further",
    "slowdown",
    "measure",
    "document",
    "text",
    "page",
    "advice",
    "blame",
    "cell_map",
    "formatting",
    "findings",
    "registry",
}
# Inside a row the loop may use what carries it out, and a wing's `__init__` names what is in the wing.
SIDEWAYS = {
    ("advising", "errors"),
    ("experiment", "table"),
    ("experiment", "execution"),
    ("experiment", "config"),
    ("stubs", "suites"),
    ("languages", "interfaces"),
    ("model", "grouping"),
    ("model", "tables"),
    ("model", "wording"),
    ("toolchain", "languages"),
    ("wing", "suites"),
    ("wing", "stubs"),
    ("wing", "lint"),
    ("wing", "formatting"),
    ("wing", "injectors"),
    ("wing", "tracers"),
}
ONLY_IMPORTER = {
    "docker": "abs_audit/execution/container.py",
    "distributed": "abs_audit/execution/cluster.py",
    "git": "abs_audit/execution/repository.py",
    "subprocess": "abs_audit/execution/supervised.py",
    "sqlite3": "abs_audit/experiment/session.py",
}


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "abs_audit" else ("abs_audit", *parts))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if is_module(module) else str(node.module)


def is_module(name: str) -> bool:
    folder = ROOT.joinpath(*name.split("."))
    return folder.with_suffix(".py").is_file() or folder.is_dir()


def room(name: str) -> str | None:
    """Return the room of a module of ours; None for the package itself and for others' modules."""
    top, *parts = name.split(".")
    if top != "abs_audit" or not parts or parts == ["__init__"]:
        return None
    match parts:
        case ["analyses", *_, ("measuring" | "rules"), _] | ["analyses", *_, _] if (
            "measuring" in parts or parts[-1] in ANSWERING
        ):
            return "answers"
        case ["languages", ("python" | "go" | "java"), kind, *_] if kind != "__init__":
            return kind
        case ["languages", ("python" | "go" | "java"), *_]:
            return "wing"
        case ["languages", "table"]:
            return "table"
        case _:
            return parts[0]


def test_arrows_point_down_only() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} ({here}) must not import {target} ({there})"
        for path in MODULES
        if (here := room(dotted(path))) is not None
        for target in imports(path)
        if (there := room(target)) is not None
        and there != here
        and (here, there) not in SIDEWAYS
        and RANK[there] <= RANK[here]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other_round() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for path in MODULES:
        # The package itself says what Python's users import, when they ask for it.
        targets = {target for target in imports(path) if room(target) is not None}
        graph.add_edges_from((dotted(path).removesuffix(".__init__"), target) for target in targets)
    assert [] == [sorted(round_) for round_ in nx.strongly_connected_components(graph) if len(round_) > 1]


def test_the_outside_world_has_one_door_each() -> None:
    wrong = [
        f"only {door} may import {target}, not {path.relative_to(ROOT)}"
        for path in MODULES
        for target in imports(path)
        if (door := ONLY_IMPORTER.get(target.split(".")[0])) is not None
        and path.relative_to(ROOT).as_posix() != door
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_table_names_a_language() -> None:
    wings = ("python", "go", "java")
    wrong = [
        f"{path.relative_to(ROOT)} imports {target}"
        for path in MODULES
        for target in imports(path)
        if target.startswith(tuple(f"abs_audit.languages.{wing}" for wing in wings))
        and not path.relative_to(ROOT)
        .as_posix()
        .startswith(("abs_audit/languages/", "injectors/", "tracers/"))
    ]
    assert not wrong, "\n".join(wrong)
