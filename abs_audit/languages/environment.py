"""What the toolchains of all languages are found by."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from abs_audit.interfaces import BuildSettings
from abs_audit.model.experiment import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A toolchain and the variables under which a workspace's subject is built and run."""

    workspace: Workspace
    interpreter: str | None
    """The user's own executable of the language; None: find or make one."""
    variables: Mapping[str, str]
    """The user's own additions."""
    image: str | None = None
    """The container image whose toolchain it is; None: that of this machine."""

    @classmethod
    def of(cls, workspace: Workspace, settings: BuildSettings, **own: Any) -> Self:
        """Return the environment that the user's settings describe; `own` are further fields of its kind."""
        return cls(
            workspace=workspace,
            interpreter=settings.interpreter,
            variables=settings.environment,
            image=settings.image,
            **own,
        )

    def fetched(self, name: str) -> Path:
        """Return where a tool keeps what it fetched or compiled for all workspaces.

        A container shares nothing: what it makes must not get into what others execute.
        """
        return (self.workspace.root if self.image else self.workspace.root.parents[1]) / name
