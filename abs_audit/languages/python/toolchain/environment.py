"""Finds a Python interpreter and composes what makes an environment for a Python subject."""

import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.languages.environment import Environment
from abs_audit.languages.files import file_text
from abs_audit.languages.python.toolchain.compiled import pure_switches
from abs_audit.languages.python.toolchain.layout import PROJECT_FILES, configured_roots
from abs_audit.model.experiment import Command

PROBE = "_abs_audit_probe.py"
VENV_LIMIT_S = 300.0
INSTALL_LIMIT_S = 3600.0
# What images call their interpreter; where it lies is theirs to know.
IMAGE_INTERPRETER = "python3"
# A copy of the sources has no history to derive a version from.
TOLD_VERSION = (
    "SETUPTOOLS_SCM_PRETEND_VERSION PBR_VERSION PDM_BUILD_SCM_VERSION POETRY_DYNAMIC_VERSIONING_BYPASS"
)
PRETENDED = dict.fromkeys(TOLD_VERSION.split(), "999.0.0")
# The first pip that installs into another environment (`--python`), so that each need not carry its own.
PIP_WITH_PYTHON_OPTION = Version("22.3")
PIP_OPTIONS = ("--no-compile", "--disable-pip-version-check", "--quiet")
# Not linked to its cache, which the subject could then change.
UV_OPTIONS = ("--quiet", "--link-mode=copy")
# The machine's own certificates, as older and newer releases of uv are told.
UV_VARIABLES = dict.fromkeys(("UV_NATIVE_TLS", "UV_SYSTEM_CERTS"), "1")
NO_PARTS: Mapping[tuple[str, ...], Sequence[str]] = {}
# Settings of pip that uv would not heed.
PIP_ALONE = re.compile(r"index|constraint", re.IGNORECASE)
# Builds of sources that import what later releases of setuptools do not hold.
OLD_SETUPTOOLS = "setuptools<81\n"
PKG_RESOURCES = re.compile(r"^\s*(?:from|import)\s+pkg_resources\b", re.MULTILINE)
# Scripts around an installation: {call} is the call, $0 the mark of an environment that is complete.
AT_ONCE = '[ -e "$0" ] || {call} && : > "$0" || echo "abs-audit: not all at once; one part after another" >&2'
REQUIRED = '[ -e "$0" ] || {call}'
# Of a part that cannot be had each of its requirements is tried.
ALONE = '[ -e "$0" ] || {call} || {{ echo "abs-audit: could not install: $*" >&2; {singly}; }}'
SINGLY = 'for each in {words}; do install "$each" || echo "abs-audit: nor by itself: $each" >&2; done'
LENIENT = '{call} || echo "abs-audit: could not install: $*" >&2'


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonEnvironment(Environment):
    """The interpreter and the variables under which a workspace's subject runs."""

    @property
    def executable(self) -> str:
        """The interpreter that runs the subject."""
        return self.settings.interpreter or str(self.workspace.root / "env" / "bin" / "python")

    def environment(self) -> dict[str, str]:
        """Return the variables of a subject's process: the tree's own sources come first."""
        roots = source_roots(self.workspace.tree)
        # Compiled files of one build must never be taken for those of another.
        compiled = self.workspace.root / "pycache" / _build(roots)
        return {
            "HOME": str(self.workspace.home),
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PYTHONPYCACHEPREFIX": str(compiled),
            "PYTHONNOUSERSITE": "1",
            **self.settings.environment,
        }

    def installation(
        self,
        required: Sequence[str],
        optional: Mapping[tuple[str, ...], Sequence[str]] = NO_PARTS,
        constraints: Sequence[str] = (),
    ) -> tuple[Command, ...]:
        """Compose what creates the environment and installs the subject beside what it needs.

        All of it is tried at once, so that versions agree, under `constraints` (options of pip) if there
        are any. Where that fails, the required part has to be installed by itself, and each optional
        part is tried alone: one costs no other. Nor does one package that has to be compiled: of a part
        that cannot be had each of its requirements is tried, the values of `optional`.
        """
        if self.settings.interpreter is not None:
            return ()
        pip = _shared_pip(self._base())
        folder = self.workspace.root / "env"
        create = [self._base(), "-m", "venv", "--clear", *(["--without-pip"] if pip else []), str(folder)]
        everything = [*required, *(word for part in optional for word in part)]
        return (
            self._fetching(create, VENV_LIMIT_S, "creating a Python environment"),
            *([self.addition(AT_ONCE, [*constraints, *everything])] if constraints else []),
            *([self.addition(AT_ONCE, everything)] if optional else []),
            self.addition(REQUIRED, required),
            *(self.addition(ALONE, part, singles) for part, singles in optional.items()),
        )

    def addition(self, script: str, arguments: Sequence[str], singles: Sequence[str] = ()) -> Command:
        """Compose an installation by pip, in one of the scripts above."""
        pip = _shared_pip(self._base())
        prefix = [*pip, "--python", self.executable] if pip else [self.executable, "-m", "pip"]
        installers = [[*prefix, "install", *PIP_OPTIONS]]
        if not self.settings.image and (uv := _uv()):
            options = [*UV_OPTIONS, "--python", self.executable, *self._overrides(arguments)]
            installers.insert(0, [uv, "pip", "install", *options])
        marker = str(self.workspace.root / "env" / ".complete")
        whole = script.format(call=_call(self.workspace.tree), singly=_singly(singles))
        argv = ["sh", "-c", f"{_function(installers)}; {whole}", marker, *arguments]
        return self._fetching(argv, INSTALL_LIMIT_S, "installing the subject and what its suite needs")

    def _overrides(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """Return uv's option by which the subject serves whatever version of it is asked for.

        Pytest asks for a pluggy below 2, and the version that is pretended is above: by itself uv would
        choose a pytest from before that bound.
        """
        tree = self.workspace.tree
        name = project_table(tree).get("project", {}).get("name")
        itself = re.compile(re.escape(str(tree)) + r"(?:\[(.*)\])?")
        wishes = [match[1] for argument in arguments if (match := itself.fullmatch(argument))]
        if not name or not wishes:
            return ()
        override = f"{name}[{','.join(filter(None, wishes))}] @ {tree.resolve().as_uri()}\n"
        self.workspace.results.mkdir(parents=True, exist_ok=True)
        path = self.workspace.results / f"override-{sha256(override.encode()).hexdigest()[:16]}.txt"
        path.write_text(override, encoding="utf-8")
        return "--override", str(path)

    def _base(self) -> str:
        return IMAGE_INTERPRETER if self.settings.image else find_interpreter(self.workspace.tree)

    def _fetching(self, argv: Sequence[str], limit_s: float, purpose: str) -> Command:
        return Command(
            argv=tuple(argv),
            cwd=self.workspace.tree,
            env={**PRETENDED, **UV_VARIABLES, **self._constraints(), **self.settings.environment},
            limit_s=limit_s,
            network=True,
            purpose=purpose,
        )

    def _constraints(self) -> dict[str, str]:
        """Return how pip and uv are told of the setuptools that the subject's setup.py was written for."""
        script = file_text(self.workspace.tree / "setup.py")
        if not PKG_RESOURCES.search(script) or "PIP_CONSTRAINT" in os.environ:
            return {}
        path = self.workspace.results / "build-constraint.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(OLD_SETUPTOOLS, encoding="utf-8")
        # A path would end at its first blank.
        names = ("UV_BUILD_CONSTRAINT", "PIP_BUILD_CONSTRAINT", "PIP_CONSTRAINT")
        return dict.fromkeys(names, path.resolve().as_uri())


def _singly(singles: Sequence[str]) -> str:
    """Return what installs the single requirements of a part, one after another, where it has several."""
    return SINGLY.format(words=shlex.join(singles)) if len(singles) > 1 else ":"


def _call(tree: Path) -> str:
    """Return how a script installs: once more without the library's extension where it has a switch."""
    switches = pure_switches(tree)
    without = " ".join(f"{name}=1" for name in switches)
    return f'{{ install "$@" || (export {without}; install "$@"); }}' if switches else 'install "$@"'


def _function(installers: Sequence[Sequence[str]]) -> str:
    """Return the shell's function that installs by the first installer that can; the last tells why not."""
    *quiet, last = (f'{shlex.join(installer)} "$@"' for installer in installers)
    return f"install() {{ {' || '.join([*(f'{call} 2>/dev/null' for call in quiet), last])}; }}"


def project_table(tree: Path) -> dict[str, Any]:
    """Return the contents of pyproject.toml, empty where there is none."""
    return toml_table(tree / "pyproject.toml")


def toml_table(path: Path) -> dict[str, Any]:
    """Return the contents of a TOML file, empty where there is none; raise UsageError for anything else."""
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected valid TOML, found: {error}; correct the file") from error


def setup_table(tree: Path, name: str = "setup.cfg") -> ConfigParser:
    """Return the contents of setup.cfg or another file of its format; empty where there is none."""
    parser = ConfigParser(interpolation=None)
    try:
        parser.read(tree / name, encoding="utf-8")
    except ConfigError:
        return ConfigParser()
    return parser


def members(tree: Path) -> tuple[Path, ...]:
    """Return the projects that uv joins in a workspace below its root, as folders; none where it has none."""
    joined = project_table(tree).get("tool", {}).get("uv", {}).get("workspace", {})
    listed, apart = (
        {folder for pattern in joined.get(key, []) for folder in tree.glob(pattern)}
        for key in ("members", "exclude")
    )
    return tuple(sorted(folder for folder in listed - apart if (folder / "pyproject.toml").is_file()))


def enclosing(folder: Path) -> Path:
    """Return the root of the workspace that a project is a member of, which has its siblings; else itself."""
    return next((above for above in folder.parents if folder in members(above)), folder)


def source_roots(tree: Path) -> tuple[Path, ...]:
    """Return the folders that the subject's packages are imported from; the checkout itself comes last."""
    patched = [path.parent for pattern in ("*/", "*/*/") for path in sorted(tree.glob(pattern + PROBE))]
    told = configured_roots({name: file_text(tree / name) for name in PROJECT_FILES})
    named = [tree / name for name in (*told, "src")]
    roots = [path.resolve() for path in (*patched, *named) if path.is_dir()]
    for member in members(tree):
        *apart, itself = source_roots(member)
        roots += apart or [itself]
    return tuple(dict.fromkeys([*(path for path in roots if path != tree.resolve()), tree.resolve()]))


def _build(roots: Sequence[Path]) -> str:
    """Return what tells builds of a tree apart: the probe that it carries."""
    for probe in (root / PROBE for root in roots):
        if probe.is_file():
            return sha256(probe.read_bytes()).hexdigest()[:16]
    return "unprobed"


def find_interpreter(tree: Path) -> str:
    """Return an interpreter that the subject supports: our own version, or the nearest to it.

    What a suite pins may have been built for no newer one. Raise UnfitEnvironmentError where none of this
    machine's will do.
    """
    wanted = project_table(tree).get("project", {}).get("requires-python", "")
    try:
        supported = SpecifierSet(wanted)
    except InvalidSpecifier as error:
        raise UsageError(
            f"{tree / 'pyproject.toml'}: requires-python is {wanted!r}, no version specifier; correct it"
        ) from error
    for version, path in sorted(_interpreters(), key=_distance):
        if supported.contains(version, prereleases=True):
            return path
    raise UnfitEnvironmentError(
        f"the subject requires Python {wanted}, which was not found on this machine; "
        "install it, or name one with `interpreter` in abs-audit.toml"
    )


def _distance(interpreter: tuple[str, str]) -> int:
    # A version manager calls one without a lock 3.13.0t, which is no version.
    _, minor, *_ = re.findall(r"\d+", interpreter[0])
    return abs(int(minor) - sys.version_info.minor)


def _interpreters() -> Iterator[tuple[str, str]]:
    """Yield version and path of what this machine has: our own, then the newest first."""
    yield "{}.{}.{}".format(*sys.version_info[:3]), _own_base()
    for minor in range(30, 7, -1):
        # A version manager's shim may refuse to start whatever its name promises.
        path = shutil.which(f"python3.{minor}")
        if path and "shims" not in Path(path).parts:
            yield f"3.{minor}.99", path
    managed = (Path.home() / ".pyenv" / "versions").glob("3.*/bin/python3")
    for executable in sorted(
        managed, key=lambda path: [int(part) for part in re.findall(r"\d+", path.parts[-3])], reverse=True
    ):
        yield executable.parts[-3], str(executable)


def _own_base() -> str:
    """Return the interpreter behind the environment that abs-audit itself runs in."""
    base: str | None = getattr(sys, "_base_executable", None)
    return base or sys.executable


def _uv() -> str | None:
    """Return uv where it is installed, beside the program or on the PATH, and pip has no settings of its own.

    It installs what pip would in a tenth of the time.
    """
    shared = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    own = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    files = [
        *(Path(folder) / "pip" / "pip.conf" for folder in (*shared.split(os.pathsep), own)),
        *(Path(folder) / "pip.conf" for folder in ("/etc", Path.home() / ".pip", sys.prefix)),
        Path(os.environ.get("PIP_CONFIG_FILE") or os.devnull),
    ]
    settings = [name for name in os.environ if name.startswith("PIP_")]
    settings += map(file_text, files)
    if any(map(PIP_ALONE.search, settings)):
        return None
    return shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")


def _shared_pip(base: str) -> list[str]:
    """Return how to start our own pip where it serves the environment too, else nothing."""
    try:
        suitable = Version(installed_version("pip")) >= PIP_WITH_PYTHON_OPTION
    except PackageNotFoundError:
        return []
    return [sys.executable, "-m", "pip"] if suitable and base == _own_base() else []
