"""Measures the benchmarks of Go's testing package: steps are processes of a test binary, or turns of one."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.go.suites.ids import split
from abs_audit.languages.go.suites.listing import discovery
from abs_audit.languages.go.suites.plan import GoPlan
from abs_audit.languages.go.suites.steps import trial, trials_in_turns
from abs_audit.languages.go.toolchain.commands import GoEnvironment
from abs_audit.languages.go.toolchain.modules import benchmark_files
from abs_audit.languages.records import records
from abs_audit.model.experiment import Block, Command, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery


class GoBenchSuite:
    """The suite door for `go test -bench`."""

    name = "go"

    def detect(self, root: Path) -> bool:
        """Tell whether any test file declares a benchmark."""
        return next(benchmark_files(root), None) is not None

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the fetching of modules, and the compiling of every package with benchmarks."""
        return self._plan(workspace, settings).preparation()

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        """Compose a run of every benchmark with one invocation: only that shows the sub-benchmarks."""
        return self._plan(workspace, settings).discovery()

    def discovery(self, execution: Execution) -> Discovery:
        """Read what the benchmarks printed."""
        listed = list(records(execution.output))
        if not listed or listed[-1]["record"] != "end":
            raise ControlFailedError(
                f"the Go benchmarks could not be listed: exit code {execution.exit_code}\n"
                f"{execution.log.strip()}\n"
                "see whether this works: go test -run '^$' -bench . -benchtime 1x ./..."
            )
        return discovery(
            [record for record in listed if record["record"] == "package"],
            [record for record in listed if record["record"] == "behind"],
        )

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks in their order."""
        return self._plan(workspace, settings).executions(blocks)

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        """Read what the processes of the steps printed and tallied."""
        by_id = {block.id: block for block in blocks}
        made: list[Trial] = []
        for record in records(output):
            if record["record"] == "step":
                made.append(trial(by_id, record))
            elif record["record"] == "turns":
                made.extend(trials_in_turns(by_id, record))
        return tuple(made)

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return a regular expression for `go test -run '^$' -bench`."""
        names = dict.fromkeys(split(benchmark)[1] for benchmark in benchmarks)
        return "|".join("/".join(f"^{quoted(part)}$" for part in name.split("/")) for name in names)

    def _plan(self, workspace: Workspace, settings: BuildSettings) -> GoPlan:
        return GoPlan(environment=GoEnvironment(workspace=workspace, settings=settings))


def quoted(text: str) -> str:
    """Return a regular expression of Go for a text; Go knows fewer escapes than Python writes."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)
