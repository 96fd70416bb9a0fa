"""Reads under which names a checkout declares the packages that its tests and benchmarks need."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from configparser import SectionProxy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.dependency_groups import resolve_dependency_groups
from packaging.requirements import InvalidRequirement, Requirement

from abs_audit.grouping import grouped
from abs_audit.languages.python.toolchain.environment import members, project_table, setup_table, toml_table
from abs_audit.languages.python.toolchain.syntax import parsed

REQUIREMENT_FILES = (
    "*requirements*.txt",
    "requirements*/*.txt",
    "*/requirements*.txt",
    "*/*/requirements*.txt",
)
LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock")
# Of packages that are the project itself, or not from the index.
LOCAL_SOURCES = frozenset({"editable", "virtual", "directory", "path", "git", "url"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Packages that a project declares together, under a name of its own."""

    name: str
    """As the project writes it: an extra, a group, an environment, a file without its suffix."""
    arguments: tuple[str, ...]
    """What to hand to pip for all of it."""
    requirements: tuple[str, ...] = ()
    """Its single requirements, as far as they can be read."""


def declared_parts(tree: Path) -> tuple[Part, ...]:
    """Return every extra, group, environment and requirement file of a checkout, in no order of merit."""
    table = project_table(tree)
    tool = table.get("tool", {})
    packages = {**_groups(table), **_groups_of_tools(tool)}
    parts = [*_extras(tree, table), *(_listed(name, entries) for name, entries in packages.items())]
    environments = [*_hatch(tool), *_tox(tree), *_nox(tree)]
    resolved = {part.name: part for part in parts}
    parts += [_environment(tree, name, wishes, resolved) for name, wishes in environments]
    files = dict.fromkeys(path for pattern in REQUIREMENT_FILES for path in sorted(tree.glob(pattern)))
    parts += [_file(tree, path) for path in files if "site-packages" not in path.parts]
    return tuple(part for part in parts if part.arguments)


def readable(lines: Iterable[object]) -> tuple[str, ...]:
    """Return the lines that are requirements as PEP 508 has them; comments and pip's own options go."""
    kept: list[str] = []
    for line in lines:
        text = re.split(r"(?:^|\s)#|\s--|\s*\\$", str(line), maxsplit=1)[0].strip()
        try:
            kept.append(str(Requirement(text)))
        except InvalidRequirement:
            continue
    return tuple(kept)


def is_installable(tree: Path) -> bool:
    """Tell whether there is a package to build; a pyproject.toml may hold nothing but tool settings.

    Nor is there where uv is told so of the root of a workspace: its members are what there is.
    """
    table = project_table(tree)
    if members(tree) and not table.get("tool", {}).get("uv", {}).get("package", "build-system" in table):
        return False
    described = "project" in table or "build-system" in table or "poetry" in table.get("tool", {})
    return described or any((tree / name).is_file() for name in ("setup.py", "setup.cfg"))


def locked_versions(tree: Path) -> tuple[str, ...]:
    """Return `name==version` of each package that uv, poetry or PDM locked to one version of the index."""
    versions = grouped(
        (package["name"], package["version"])
        for name in LOCK_FILES
        for package in toml_table(tree / name).get("package", [])
        if "version" in package and not LOCAL_SOURCES & set(package.get("source", {}))
    )
    return tuple(f"{name}=={wanted[0]}" for name, wanted in sorted(versions.items()) if len({*wanted}) == 1)


def _listed(name: str, entries: Iterable[object]) -> Part:
    requirements = readable(entries)
    return Part(name=name, arguments=requirements, requirements=requirements)


def _extras(tree: Path, table: Mapping[str, Any]) -> Iterator[Part]:
    declared: dict[str, Sequence[str]] = dict.fromkeys(_extras_of_script(tree), ())
    if setup_table(tree).has_section("options.extras_require"):
        declared |= {k: v.splitlines() for k, v in setup_table(tree).items("options.extras_require")}
    declared |= _extras_of_poetry(table.get("tool", {}).get("poetry", {}))
    declared |= table.get("project", {}).get("optional-dependencies", {})
    for name, entries in declared.items() if is_installable(tree) else ():
        yield Part(name=name, arguments=(f"{tree}[{name}]",), requirements=readable(entries))


def _extras_of_poetry(poetry: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    wishes = poetry.get("dependencies", {})
    return {
        extra: [_from_poetry(package, wishes.get(package, "*")) for package in packages]
        for extra, packages in poetry.get("extras", {}).items()
    }


def _extras_of_script(tree: Path) -> Iterator[str]:
    """Yield the names of extras that a setup.py writes down; what they hold may have to be computed."""
    nodes = list(ast.walk(_parsed(tree / "setup.py")))
    named = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)]
    tables = {
        target.id: node.value for node in named for target in node.targets if isinstance(target, ast.Name)
    }
    for keyword in (node for node in nodes if isinstance(node, ast.keyword)):
        if keyword.arg == "extras_require":
            value = keyword.value
            table = tables.get(value.id) if isinstance(value, ast.Name) else value
            keys = table.keys if isinstance(table, ast.Dict) else []
            yield from (
                key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )


def _parsed(path: Path) -> ast.Module:
    """Return the syntax of a script; of one that is not there or cannot be read that of an empty one."""
    module = parsed(path.read_bytes()) if path.is_file() else None
    return module or ast.Module(body=[], type_ignores=[])


def _groups(table: Mapping[str, Any]) -> dict[str, Iterable[object]]:
    """Return the dependency groups of PEP 735, without those that are not well formed."""
    groups = table.get("dependency-groups", {})
    resolved: dict[str, Iterable[object]] = {}
    for name in groups:
        try:
            resolved[name] = resolve_dependency_groups(groups, name)
        except (ExceptionGroup, ValueError, LookupError, TypeError):
            continue
    return resolved


def _groups_of_tools(tool: Mapping[str, Any]) -> dict[str, Iterable[object]]:
    """Return the groups that uv, PDM and poetry had before there was a standard for them."""
    poetry = tool.get("poetry", {})
    tables = {name: group.get("dependencies", {}) for name, group in poetry.get("group", {}).items()}
    tables["dev"] = {**tables.get("dev", {}), **poetry.get("dev-dependencies", {})}
    groups: dict[str, Iterable[object]] = {
        name: [_from_poetry(package, wish) for package, wish in packages.items()]
        for name, packages in tables.items()
        if packages
    }
    groups |= tool.get("pdm", {}).get("dev-dependencies", {})
    older = tool.get("uv", {}).get("dev-dependencies", [])
    return groups | ({"dev": older} if older else {})


def _from_poetry(package: str, wish: object) -> str:
    """Return poetry's own form of a requirement in that of PEP 508; its caret is a lower bound here."""
    table: dict[str, Any] = wish if isinstance(wish, dict) else {"version": wish}
    version = re.sub(r"[\^](?=\d)", ">=", str(table.get("version", "*"))).replace(" ", "")
    version = re.sub(r"~(?=\d)", ">=", version)
    bounds = "" if version == "*" else version if re.match(r"[<>=!~]", version) else f"=={version}"
    extras = f"[{','.join(table['extras'])}]" if table.get("extras") else ""
    markers = f"; {table['markers']}" if table.get("markers") else ""
    return f"{package}{extras}{bounds}{markers}"


def _hatch(tool: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for name, table in tool.get("hatch", {}).get("envs", {}).items():
        wishes = [*table.get("dependencies", []), *table.get("extra-dependencies", [])]
        names = [*table.get("features", []), *table.get("dependency-groups", [])]
        yield name, [*wishes, *(f"part:{part}" for part in names)]


def _tox(tree: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield environments of tox with what they want; the one without a name is for tests."""
    legacy = setup_table(tree, "tox.ini")
    for section in legacy.sections():
        kind, _, name = section.partition(":")
        if kind == "testenv":
            yield name or "test", _tox_wishes(legacy[section])
    table = project_table(tree).get("tool", {}).get("tox", {})
    for name, entry in {**table.get("env", {}), "test": table.get("env_run_base", {})}.items():
        parts = [*entry.get("extras", []), *entry.get("dependency_groups", [])]
        yield name, [*map(str, entry.get("deps", [])), *(f"part:{part}" for part in parts)]


def _tox_wishes(section: SectionProxy) -> list[str]:
    # A line may be for some factors only (`py311: tomli`): what it installs is wanted all the same.
    bare = [re.sub(r"^\s*[\w.,!{}-]+:\s+", "", line) for line in section.get("deps", "").splitlines()]
    named = f"{section.get('extras', '')}\n{section.get('dependency_groups', '')}"
    parts = re.findall(r"(?:^|[\s,])([\w-]+)(?=$|[\s,])", named.replace(",", "\n"), re.MULTILINE)
    return [line.replace("{toxinidir}/", "") for line in bare] + [f"part:{part}" for part in parts]


def _nox(tree: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the sessions of a noxfile with the constants that they install."""
    for function in _parsed(tree / "noxfile.py").body:
        if not isinstance(function, ast.FunctionDef):
            continue
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        installs = [call for call in calls if getattr(call.func, "attr", "") == "install"]
        words = [word.value for call in installs for word in call.args if isinstance(word, ast.Constant)]
        joined = " ".join(map(str, words))
        files = re.findall(r"-r\s*(\S+)", joined)
        extras = re.findall(r"\.\[([\w,-]+)\]", joined)
        parts = [f"part:{name}" for group in extras for name in group.split(",")]
        plain = [str(word) for word in words if word not in files and not str(word).startswith((".", "-"))]
        yield function.name, [*(f"-r {file}" for file in files), *plain, *parts]


def _environment(tree: Path, name: str, wishes: Iterable[str], parts: Mapping[str, Part]) -> Part:
    """Return an environment as a part: its files, its packages and the parts that it names."""
    arguments: list[str] = []
    requirements: list[str] = []
    for wish in wishes:
        text = wish.strip()
        file = re.match(r"-r\s*(\S+)", text)
        if file and (tree / file[1]).is_file():
            arguments += ["-r", str(tree / file[1])]
        else:
            named = parts.get(text.removeprefix("part:")) if text.startswith("part:") else None
            part = named or _listed(name, [text])
            arguments += part.arguments
            requirements += part.requirements
    return Part(name=name, arguments=tuple(arguments), requirements=tuple(requirements))


def _file(tree: Path, path: Path) -> Part:
    text = path.read_text(encoding="utf-8", errors="replace")
    name = path.relative_to(tree).with_suffix("").as_posix()
    return Part(name=name, arguments=("-r", str(path)), requirements=readable(text.splitlines()))
