"""What the toolchains of all languages are found by."""

from dataclasses import dataclass
from pathlib import Path

from abs_audit.interfaces import BuildSettings
from abs_audit.model.experiment import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A toolchain and the variables under which a workspace's subject is built and run."""

    workspace: Workspace
    settings: BuildSettings

    def fetched(self, name: str) -> Path:
        """Return where a tool keeps what it fetched or compiled for all workspaces.

        A container shares nothing: what it makes must not get into what others execute.
        """
        return (self.workspace.root if self.settings.image else self.workspace.root.parents[1]) / name
