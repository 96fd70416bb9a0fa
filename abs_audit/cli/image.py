"""`image build`: an image with a language's toolchain, for `--runner container`."""

import contextlib
import sys
from dataclasses import dataclass

from abs_audit.cli.command import command, command_group
from abs_audit.cli.declaring import argument, option, switch

RELEASE = "bookworm"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """Which image is made, and on what."""

    language: str = argument(
        "Whose toolchain the image has, such as python.",
        metavar="LANGUAGE",
        required="for which language? Name one: abs-audit image build LANGUAGE",
    )
    tag: str | None = option("Name of the image.", metavar="NAME")
    base: str | None = option("Build on this image instead of the official one.", metavar="NAME")
    offline: bool = switch("Without a registry: bootstrap a Debian and import it.")
    packages: tuple[str, ...] = option(
        "--offline: a further Debian package.", word="with", metavar="PACKAGE", repeated=True
    )
    release: str = option("--offline: the Debian release.", default=RELEASE, metavar="NAME")
    mirror: str | None = option("--offline: where Debian comes from.", metavar="URL")


@command()
def build(asked: BuildOptions) -> None:
    """Build an image on the official one of the language, or from a Debian bootstrap; print its name."""
    from abs_audit.execution import image as images
    from abs_audit.execution.container import Engine

    name = asked.tag or f"abs-audit-{asked.language}:latest"
    folder = images.folder(asked.language)
    if asked.offline:
        _bootstrap(asked, name)
    else:
        sys.stderr.write(f"building {name}\n")
        with contextlib.closing(Engine()) as engine:
            engine.build(folder, name, {"BASE": asked.base} if asked.base else {})
    sys.stdout.write(f"{name}\n")


def _bootstrap(asked: BuildOptions, name: str) -> None:
    from abs_audit.execution import image as images
    from abs_audit.execution.container import Engine
    from abs_audit.execution.local import LocalExecutor

    # A missing engine is better known before the minutes that a bootstrap takes.
    Engine().close()
    sys.stderr.write(f"bootstrapping a Debian {asked.release} for {asked.language}\n")
    archive = images.bootstrap(asked.language, LocalExecutor(), asked.packages, asked.release, asked.mirror)
    try:
        with contextlib.closing(Engine()) as engine:
            engine.take(archive, name, images.recipe(asked.language).environment)
    finally:
        archive.unlink(missing_ok=True)


app = command_group("Make container images to execute suites in.", "build", build)
