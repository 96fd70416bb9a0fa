"""A suite and an executor that answer from invented trials: no process, no clock."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from abs_audit.experiment.harness import Harness
from abs_audit.experiment.session import Session
from abs_audit.interfaces import BuildSettings
from abs_audit.languages import python
from abs_audit.model.experiment import Arm, Block, Command, Execution, Mode, Workspace
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from abs_audit.model.subject import Discovery
from tests.support.executions import ended

BUILD = "build"
Invented = Callable[[Block, int, Arm], Trial | None]
"""Block, position and arm → the trial; None: the process says nothing about it."""


def trial(block: Block, position: int, arm: Arm, value: float = 1.0) -> Trial:
    """Return a good trial of one value, with the tally that its arm must leave."""
    calls = 1000
    tally = Tally(
        build_id=BUILD,
        methods={
            method: MethodTally(
                calls=calls, injected_s=calls * arm.delay_ns / 1e9 if arm.mode is Mode.DELAY else 0.0
            )
            for method in arm.methods
        },
    )
    return Trial(
        block=block.id,
        position=position,
        status=Status.OK,
        reason="",
        invocations=1,
        values=(value,),
        tally=tally,
        wall_s=value,
    )


@dataclass
class FakeSuite:
    """Writes blocks into commands and reads them back."""

    invented: Invented
    asked: list[Block] = field(default_factory=list)
    executing: tuple[str, ...] = ()
    """Ids of the blocks asked for last."""
    name: str = "fake"

    def detect(self, root: Path) -> bool:
        return True

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        return ()

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        raise NotImplementedError

    def discovery(self, execution: Execution) -> Discovery:
        raise NotImplementedError

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        self.asked.extend(blocks)
        self.executing = tuple(block.id for block in blocks)
        return (
            Command(
                argv=("fake",),
                cwd=workspace.root,
                env={},
                limit_s=1,
                results=None,
                network=False,
                purpose="fake",
            ),
        )

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        made = (
            self.invented(block, position, step.arm)
            for block in blocks
            for position, step in enumerate(block.steps)
        )
        return [trial for trial in made if trial is not None]

    def filter(self, benchmarks: Iterable[str]) -> str:
        return json.dumps(list(benchmarks))


@dataclass
class FakeExecutor:
    """Ends every command the same way."""

    place: ClassVar[str] = ""

    width: int = 1
    exit_code: int = 0
    timed_out: bool = False
    log: str = ""
    host: str = ""

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        return replace(ended(self.exit_code, log=self.log, timed_out=self.timed_out), host=self.host)


def speaking(harness: Harness, **traits: Any) -> Harness:
    """Return a harness of a language with other traits."""
    return replace(harness, language=replace(harness.language, **traits))


def harness(folder: Path, suite: FakeSuite, executor: FakeExecutor | None = None) -> Harness:
    """Return a harness over a fresh or an existing session in `folder`."""
    return Harness(
        suite=suite,
        workspace=Workspace(root=folder),
        settings=BuildSettings(interpreter=None, requirements=(), paths=(), environment={}),
        executor=executor or FakeExecutor(),
        session=Session(folder / "session.db"),
        context="context",
        build_id=BUILD,
        progress=lambda _purpose, _done, _planned: None,
        language=python.language(),
        longest_s=60.0,
    )
