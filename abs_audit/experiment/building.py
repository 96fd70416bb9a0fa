"""Builds the copy of a project, with probes or without, and nothing twice."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit import __version__
from abs_audit.errors import ControlFailedError
from abs_audit.execution.workspace import refresh
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime, execute_all
from abs_audit.experiment.stamps import Stamps
from abs_audit.experiment.watch import Phase
from abs_audit.model.experiment import Command, Workspace

STAMPS = "stamps.json"


def build_copy(project: Project, runtime: Runtime, opened: Workspace, changed: Mapping[str, str]) -> float:
    """Build the probed copy and return the seconds; skip what is done already.

    What the plain copy needs is fetched before, and what takes long only if the build fails without it.
    """
    stamps, spent_s = Stamps(opened.beside(STAMPS)), 0.0
    build = _composed(project, opened, changed)
    is_fetched = not build.fetching or build.fetched == stamps.read("fetched")
    if not is_fetched and not all(command.if_needed for command in build.fetching):
        fetching = _composed(project, opened, {}).fetching
        at_once = [command for command in fetching if not command.if_needed]
        spent_s, is_fetched = execute_all(runtime, at_once), at_once == fetching
        build = _composed(project, opened, changed)
    try:
        spent_s += _compile(runtime, stamps, build)
    except ControlFailedError:
        # What could not be fetched may be the reason: that is tried again, now or next time.
        stamps.write("fetched", "")
        if is_fetched:
            raise
        spent_s += execute_all(runtime, _composed(project, opened, {}).fetching)
        spent_s += _compile(runtime, stamps, _composed(project, opened, changed))
    stamps.write("fetched", build.fetched)
    return spent_s


def _plain(project: Project) -> str:
    """Return what tells a copy without probes apart; another release of ours may ask for other packages."""
    told = f"{project.checkout.digest}{project.settings.build()!r}{__version__}"
    return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """What makes benchmarks of a copy, and what stands for its outcome."""

    fetching: Sequence[Command]
    building: Sequence[Command]
    fetched: str
    """The sources as they are, and how what they need is fetched."""
    built: str
    """The copy with all that is changed in it, and how it is built."""


def _composed(project: Project, opened: Workspace, changed: Mapping[str, str]) -> _Build:
    """Make the copy what the checkout is, with these files in it, and return how it is built."""
    plain, state = _plain(project), refresh(opened, project.checkout, changed)
    commands = project.framework.suite.prepare(opened, project.settings.build())
    parts = [[command for command in commands if command.network is network] for network in (True, False)]
    # Another state of the program may fetch and build in another way.
    told = [hashlib.sha256(repr([command.argv for command in part]).encode()).hexdigest() for part in parts]
    return _Build(
        fetching=parts[0], building=parts[1], fetched=plain + told[0], built=plain + state + told[1]
    )


def _compile(runtime: Runtime, stamps: Stamps, build: _Build) -> float:
    """Build the copy, unless that was the last thing built; return the seconds."""
    if stamps.read("built") == build.built:
        return 0.0
    # A build that ends early has changed what another state's build left, which is none from now on.
    stamps.write("built", "")
    with runtime.watch.phase(Phase.BUILD):
        build_s = execute_all(runtime, build.building)
    stamps.write("built", build.built)
    return build_s
