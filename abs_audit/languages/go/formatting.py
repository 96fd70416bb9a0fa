"""Formats Go sources as every Go repository does: with the gofmt of its toolchain."""

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.go.toolchain.commands import GoEnvironment
from abs_audit.languages.language import Formatter
from abs_audit.model.experiment import Command, Workspace

LIMIT_S = 60.0
# The toolchain of the wheel comes without it, but with its sources.
SCRIPT = """
gofmt="$("$0" env GOROOT)/bin/gofmt"
if [ -x "$gofmt" ]; then "$gofmt"; else "$0" run cmd/gofmt; fi < "$2"
"""


def gofmt(workspace: Workspace, settings: BuildSettings) -> Formatter:
    """Return gofmt; raise UnfitEnvironmentError where there is no toolchain."""
    go = GoEnvironment(workspace=workspace, settings=settings)
    return Formatter(
        name="gofmt",
        fetching=(),
        printing=Command(
            argv=("sh", "-c", SCRIPT, go.executable),
            cwd=workspace.root,
            env=go.environment(),
            limit_s=LIMIT_S,
            purpose="formatting the proposed benchmarks",
        ),
    )
