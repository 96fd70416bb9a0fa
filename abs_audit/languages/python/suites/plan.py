"""Writes the plans that the in-process driver executes, and composes the commands that start it."""

import json
import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.batching import digest, portions, purpose, results_of
from abs_audit.languages.probe_protocol import block_of_plan
from abs_audit.languages.python.toolchain.environment import PythonEnvironment, source_roots
from abs_audit.languages.python.toolchain.requirements import for_benchmarks
from abs_audit.languages.records import read_discovery, read_trials
from abs_audit.model.experiment import Block, Command, Execution, Mode, Shared, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery

DRIVER = Path(__file__).parent / "driver" / "driver.py"
DISCOVERY_LIMIT_S = 900.0
# Starting the interpreter, importing the suite, fixtures: what a command needs besides its blocks.
START_LIMIT_S = 300.0
# Module → distribution of what a suite may import although another framework measures it.
PLUGINS = {"pytest_codspeed": "pytest-codspeed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPlan:
    """What one framework asks of the driver, in one workspace."""

    framework: str
    environment: PythonEnvironment

    def preparation(
        self, framework: Sequence[str], files: Iterable[Path], preferred: Sequence[str] = ()
    ) -> tuple[Command, ...]:
        """Compose the installation, and the copying of generated files into the tree.

        `framework` are the framework's own packages, `files` the sources that hold the benchmarks, and
        `preferred` versions to have if they can be had.
        """
        tree = self.environment.workspace.tree
        sources = list(files)
        declared = for_benchmarks(tree, sources)
        # Be it only for annotations.
        texts = [path.read_text("utf-8", "replace") for path in sources]
        plugins = [package for name, package in PLUGINS.items() if any(name in text for text in texts)]
        required = [*declared.required, *framework, *plugins, *self.environment.settings.requirements]
        details = {"task": "complete", "source_roots": [str(path) for path in source_roots(tree)]}
        completion = self._command(details, START_LIMIT_S, "copying generated files into the tree")
        return (*self.environment.installation(required, declared.optional, preferred), completion)

    def discovery(self, details: Mapping[str, Any]) -> Command:
        """Compose what lists the benchmarks."""
        why = f"listing the {self.framework} benchmarks"
        return self._command({"task": "discover", **details}, DISCOVERY_LIMIT_S, why)

    def executions(self, blocks: Sequence[Block], details: Mapping[str, Any]) -> tuple[Command, ...]:
        """Compose what executes the blocks, in their order, some tens of seconds a command."""
        return tuple(self._execution(group, details) for group in portions(blocks))

    def _execution(self, group: Sequence[Block], details: Mapping[str, Any]) -> Command:
        """Compose what executes some blocks; those of a benchmark may be told of together."""
        task = {"task": "execute", "blocks": [block_of_plan(block) for block in group], **details}
        limits_s = Counter[str]()
        for block in group:
            limits_s[block.benchmark] += math.ceil(block.limit_s)
        command = self._command(task, START_LIMIT_S + limits_s.total(), purpose(group))
        return replace(
            command, silence_s=START_LIMIT_S + max(limits_s.values()), shared=self._shared(group, details)
        )

    def _shared(self, group: Sequence[Block], details: Mapping[str, Any]) -> Shared:
        """Return which processes serve: those that import the same, and count the same while they do.

        Modules are imported when a plan needs them; paths are known when a process begins.
        """
        paths = frozenset(details.get("paths") or ("",))
        arms = [step.arm for block in group for step in block.steps]
        counted = sorted({name for arm in arms if arm.mode is Mode.COUNT for name in arm.methods})
        told = [self.framework, {**details, "paths": (), "modules": ()}, counted]
        return Shared(kind=digest(json.dumps(told, sort_keys=True)), needs=paths)

    def _command(self, task: Mapping[str, Any], limit_s: float, why: str) -> Command:
        plan = {"framework": self.framework, "root": str(self.environment.workspace.tree), **task}
        name = f"{self.framework}-{plan['task']}"
        results = results_of(self.environment.workspace, name, json.dumps(plan, sort_keys=True))
        path = results.with_suffix(".plan.json")
        path.write_text(json.dumps({**plan, "results": str(results)}), encoding="utf-8")
        return Command(
            argv=(self.environment.executable, str(DRIVER), str(path)),
            cwd=self.environment.workspace.tree,
            env=self.environment.environment(),
            limit_s=limit_s,
            results=results,
            purpose=why,
        )


class DrivenSuite:
    """What all suites have in common whose framework executes in the driver's own process."""

    name: str
    ids_name_files = True
    """Whether a benchmark's id is its file, two colons and its name there."""

    def details(self, workspace: Workspace, settings: BuildSettings) -> Mapping[str, Any]:
        """Return what the driver has to know of the suite besides."""
        raise NotImplementedError

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        """Compose the listing of what can be timed."""
        return self._plan(workspace, settings).discovery(self.details(workspace, settings))

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks in their order."""
        if self.ids_name_files:
            files = dict.fromkeys(block.benchmark.split("::")[0] for block in blocks)
            settings = replace(settings, paths=tuple(files))
        return self._plan(workspace, settings).executions(blocks, self.details(workspace, settings))

    def discovery(self, execution: Execution) -> Discovery:
        """Read the listing."""
        return read_discovery(execution, self.name)

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        """Read the driver's records."""
        return read_trials(blocks, output)

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return the ids, each quoted for a shell."""
        return shlex.join(benchmarks)

    def _plan(self, workspace: Workspace, settings: BuildSettings) -> DriverPlan:
        environment = PythonEnvironment(workspace=workspace, settings=settings)
        return DriverPlan(framework=self.name, environment=environment)
