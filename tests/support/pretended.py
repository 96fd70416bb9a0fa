"""A suite that reads its results from `costs.json` of the measured copy: real commits, no process, no clock.

`costs.json`: `time` in seconds; `methods`: id → `callers` (caller → calls) and `time` a call; `fails`:
"build", "hang", "crash" or "absent", where the commit cannot be measured; `whole`: what was executed in
place of the benchmark, which breaks down alone; `names`: the benchmarks, and `unreadable`: the files that
cannot be read.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from abs_audit.interfaces import BuildSettings
from abs_audit.model.experiment import Arm, Block, Command, Execution, Mode, Workspace
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery
from tests.support.executions import ended

COSTS = "costs.json"
BENCHMARK = "bench"
NOISE = 0.01


@dataclass
class PretendedSuite:
    """Composes commands that name the copy; the answers come from its costs."""

    name: str = "pretended"
    shift: float = NOISE
    """Standard deviation from run to run, relative to the time."""
    silent: bool = False
    """True: no process leaves a result."""

    def detect(self, root: Path) -> bool:
        return (root / COSTS).exists()

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        return (_command(workspace, "build"),)

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        return _command(workspace, "discover")

    def discovery(self, execution: Execution) -> Discovery:
        costs = _costs(execution.output)
        names = ["other"] if costs.get("fails") == "absent" else [BENCHMARK, "other"]
        return Discovery(
            benchmarks=tuple(Benchmark(id=name, parameters={}) for name in costs.get("names", names)),
            broken=tuple(
                BrokenBenchmark(id=name, reason="ImportError") for name in costs.get("unreadable", ())
            ),
        )

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        return tuple(_command(workspace, f"run {block.id}") for block in blocks)

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        costs = _costs(output)
        if self.silent or costs.get("fails") in {"hang", "crash"}:
            return ()
        return [
            _trial(block, position, costs, self.shift)
            for block in blocks
            for position, step in enumerate(block.steps)
        ]

    def filter(self, benchmarks: Iterable[str]) -> str:
        return "pretend " + " ".join(benchmarks)


@dataclass
class PretendedExecutor:
    """Answers every command with the path of its copy; remembers what it was asked for."""

    width: ClassVar[int] = 1
    place: ClassVar[str] = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Folder of the export and purpose, one a command."""
    before: Callable[[str], None] = lambda _purpose: None
    """Called with the purpose of a command before it; may raise."""

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        self.before(command.purpose)
        costs = _costs(str(command.cwd))
        self.asked.append((str(command.cwd), command.purpose))
        fails = costs.get("fails")
        broken = fails == "build" and command.purpose == "build"
        running = command.purpose.startswith("run")
        return ended(
            1 if broken or (running and fails == "crash") else 0,
            str(command.cwd),
            "it does not compile" if broken else "",
            timed_out=running and fails == "hang",
        )

    @property
    def runs(self) -> list[tuple[str, str]]:
        """What was run, without building and listing."""
        return [(place, purpose) for place, purpose in self.asked if purpose.startswith("run")]


def _command(workspace: Workspace, purpose: str) -> Command:
    return Command(
        argv=("pretend",), cwd=workspace.tree, env={}, limit_s=1, results=None, network=False, purpose=purpose
    )


def _costs(tree: str) -> dict[str, Any]:
    costs: dict[str, Any] = json.loads((Path(tree) / COSTS).read_text())
    probe = Path(tree) / "_abs_audit_probe.py"
    costs["build"] = ""
    if probe.exists():
        line = next(text for text in probe.read_text().splitlines() if text.startswith("BUILD_ID"))
        costs["build"] = line.split('"')[1]
    costs["content"] = _content(Path(tree))
    return costs


@cache
def _content(tree: Path) -> str:
    """Return what tells commits apart, wherever they lie: noise must not depend on names of folders."""
    digest = hashlib.sha256()
    for path in sorted(tree.rglob("*")):
        if path.is_file() and not path.name.startswith("_abs_audit"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _trial(block: Block, position: int, costs: dict[str, Any], spread: float) -> Trial:
    step = block.steps[position]
    arm = step.arm
    draw = random.Random(hashlib.sha256(f"{costs['content']}{block.id}{position}".encode()).digest())
    shift = 1 + spread * draw.gauss()
    values = tuple(costs["time"] * shift * (1 + NOISE * draw.gauss()) for _ in range(step.iterations))
    return Trial(
        block=block.id,
        position=position,
        status=Status.OK,
        reason="",
        invocations=step.invocations or 1,
        values=values,
        tally=None if arm.mode is Mode.OFF else _tally(arm, step.invocations or 1, costs, shift),
        wall_s=costs["time"],
        executed_whole=costs.get("whole", ""),
    )


def _tally(arm: Arm, invocations: int, costs: dict[str, Any], shift: float) -> Tally:
    tallies = {}
    for method in arm.methods:
        cost = costs["methods"].get(method, {"callers": {}, "time": 0.0})
        callers = {caller: count * invocations for caller, count in cost["callers"].items()}
        calls = sum(callers.values())
        tallies[method] = MethodTally(
            calls=calls,
            timed_s=calls * cost["time"] * shift if arm.mode is Mode.TIME else 0.0,
            callers=callers if arm.mode is Mode.CALLERS else {},
        )
    return Tally(build_id=costs["build"], methods=tallies)
