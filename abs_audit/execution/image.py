"""Makes container images with a language's toolchain: on official images, or from a Debian bootstrap."""

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution.workspace import cache_root
from abs_audit.interfaces import Executor
from abs_audit.model.experiment import Command, Execution

RECIPES = Path(__file__).parent / "images"
RELEASE = "bookworm"
BOOTSTRAP_LIMIT_S = 1800.0
QUESTION_LIMIT_S = 60.0


class Copied(BaseModel):
    """A toolchain of this machine that goes into the image."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: tuple[str, ...]
    """Prints the toolchain's folder."""
    target: str


class Recipe(BaseModel):
    """What makes a plain Debian an image for a language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    packages: tuple[str, ...]
    environment: Mapping[str, str] = {}
    copied: Copied | None = None


def known() -> list[str]:
    """Return the languages that there are images for."""
    return sorted(path.name for path in RECIPES.iterdir() if path.is_dir())


def folder(language: str) -> Path:
    """Return where a language's Dockerfile and recipe lie; raise UsageError where it has none."""
    if language not in known():
        raise UsageError(f"image build {language}: no such image; expected one of {', '.join(known())}")
    return RECIPES / language


def recipe(language: str) -> Recipe:
    """Return the recipe of a language."""
    return Recipe.model_validate(
        tomllib.loads((folder(language) / "recipe.toml").read_text(encoding="utf-8"))
    )


def bootstrap(
    language: str,
    executor: Executor,
    packages: Sequence[str] = (),
    release: str = RELEASE,
    mirror: str | None = None,
) -> Path:
    """Make the file system of an image, as an archive; the caller deletes it.

    `packages`: further ones of Debian. `mirror`: where Debian comes from; None: the bootstrap's own default.

    Raise UnfitEnvironmentError where this machine cannot.
    """
    wanted = recipe(language)
    archive = cache_root() / "images" / f"{language}.tar"
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.unlink(missing_ok=True)
    included = ",".join(dict.fromkeys((*wanted.packages, *packages)))
    hooks = _copying(wanted.copied, executor) if wanted.copied else ()
    argv = ["mmdebstrap", "--variant=minbase", f"--include={included}", *hooks, release, str(archive)]
    argv += [mirror] if mirror else []
    done = _executed(executor, argv, BOOTSTRAP_LIMIT_S, "bootstrapping a Debian")
    if done.exit_code or done.timed_out:
        archive.unlink(missing_ok=True)
        last = "\n".join(f"    {line}" for line in done.log.strip().splitlines()[-8:])
        raise UnfitEnvironmentError(f"bootstrapping a Debian failed; the last it said:\n{last}")
    return archive


def _copying(copied: Copied, executor: Executor) -> Sequence[str]:
    done = _executed(executor, copied.command, QUESTION_LIMIT_S, "looking for the toolchain to copy")
    source = Path(done.output.strip())
    if done.exit_code or not source.is_dir():
        raise UnfitEnvironmentError(
            f"{' '.join(copied.command)}: expected the folder of a toolchain, found {done.output.strip()!r}; "
            "install one, or build on an official image without --offline"
        )
    return (
        f'--customize-hook=mkdir -p "$1{copied.target}"',
        f"--customize-hook=sync-in {shlex.quote(str(source))} {copied.target}",
    )


def _executed(executor: Executor, argv: Sequence[str], limit_s: float, purpose: str) -> Execution:
    try:
        return executor.execute(
            Command(
                argv=tuple(argv),
                cwd=cache_root() / "images",
                env={},
                limit_s=limit_s,
                network=True,
                purpose=purpose,
            )
        )
    except UnfitEnvironmentError as error:
        raise UnfitEnvironmentError(f"{error}; as root: apt-get install {argv[0]}") from error
