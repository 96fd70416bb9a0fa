"""How a command ends, for whoever reads that; and suites whose commands are executed as the harness does."""

from collections.abc import Sequence

from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import BuildSettings, Suite
from abs_audit.model.experiment import Block, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery


def ended(exit_code: int = 0, output: str = "", log: str = "", *, timed_out: bool = False) -> Execution:
    """Make what an executor says of a command that has ended."""
    return Execution(
        exit_code=exit_code,
        timed_out=timed_out,
        out_of_memory=False,
        output=output,
        log=log,
        wall_s=0.0,
        truncated=False,
    )


def listed(suite: Suite, place: Workspace, settings: BuildSettings) -> Discovery:
    """Discover as the harness does."""
    return suite.discovery(LocalExecutor().execute(suite.discover(place, settings)))


def executed(suite: Suite, place: Workspace, settings: BuildSettings, blocks: Sequence[Block]) -> list[Trial]:
    """Execute blocks as the harness does, reading the records while they come."""
    lines: list[str] = []
    trials: list[Trial] = []
    for command in suite.commands(place, settings, blocks):
        execution = LocalExecutor().execute(command, lines.append)
        assert execution.exit_code == 0, execution.log
        trials += suite.trials(blocks, execution.output)
    assert list(suite.trials(blocks, "\n".join(lines))) == trials
    return trials
