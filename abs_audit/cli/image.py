"""`image build`: an image with a language's toolchain, for `--runner container`."""

import contextlib
import sys
from typing import Annotated

import typer

from abs_audit.cli.context import FOR_PEOPLE
from abs_audit.errors import ExitCode
from abs_audit.execution import image as images
from abs_audit.execution.container import Engine
from abs_audit.execution.image import Wishes
from abs_audit.execution.local import LocalExecutor

app = typer.Typer(help="Make container images to execute suites in.", no_args_is_help=True)


@app.command("build")
def build(
    language: Annotated[str, typer.Argument(help=f"One of {', '.join(images.known())}.")],
    tag: Annotated[str | None, typer.Option("--tag", help="Name of the image.", metavar="NAME")] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", help="Build on this image instead of the official one.", metavar="NAME"),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Without a registry: bootstrap a Debian and import it.")
    ] = False,
    packages: Annotated[
        list[str] | None,
        typer.Option("--with", help="--offline: a further Debian package; repeat it.", metavar="PACKAGE"),
    ] = None,
    release: Annotated[
        str, typer.Option("--release", help="--offline: the Debian release.", metavar="NAME")
    ] = images.RELEASE,
    mirror: Annotated[
        str | None, typer.Option("--mirror", help="--offline: where Debian comes from.", metavar="URL")
    ] = None,
) -> int:
    """Build an image on the official one of the language, or from a Debian bootstrap; print its name."""
    name = tag or f"abs-audit-{language}:latest"
    folder = images.folder(language)
    if offline:
        wishes = Wishes(packages=tuple(packages or ()), release=release, mirror=mirror)
        _bootstrap(language, name, wishes)
    else:
        FOR_PEOPLE.print(f"building {name}")
        with contextlib.closing(Engine()) as engine:
            engine.build(folder, name, {"BASE": base} if base else {})
    sys.stdout.write(f"{name}\n")
    return ExitCode.DONE


def _bootstrap(language: str, name: str, wishes: Wishes) -> None:
    # A missing engine is better known before the minutes that a bootstrap takes.
    Engine().close()
    FOR_PEOPLE.print(f"bootstrapping a Debian {wishes.release} for {language}")
    archive = images.bootstrap(language, wishes, LocalExecutor())
    try:
        with contextlib.closing(Engine()) as engine:
            engine.take(archive, name, images.recipe(language).environment)
    finally:
        archive.unlink(missing_ok=True)


@app.callback()
def _group() -> None:
    """Make container images to execute suites in."""
