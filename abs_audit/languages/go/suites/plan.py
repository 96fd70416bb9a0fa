"""Writes the plans that the Go driver executes, and composes the commands that build and start it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from abs_audit.languages.batching import portions, purpose, results_of, step_limit_s
from abs_audit.languages.go.toolchain.commands import GoEnvironment
from abs_audit.languages.go.toolchain.constraints import ARCHITECTURES, SYSTEMS, tags, with_flags
from abs_audit.languages.probe_protocol import block_of_plan
from abs_audit.model.experiment import Block, Command

SOURCES = Path(__file__).parent / "driver"
DRIVER_LIMIT_S = 600.0
PACKAGE_LIMIT_S = 900.0
"""Time for compiling one package's tests."""
BUILD_LIMIT_S = 3600.0
WHOLE_LIMIT_S = 120.0
"""Time for one invocation of each benchmark of a package."""
ONE_LIMIT_S = 60.0
"""Time for one invocation of one benchmark with its sub-benchmarks."""
DISCOVERY_LIMIT_S = 3600.0
START_LIMIT_S = 60.0
LEAST_STEP_S = 5.0
"""What a step gets however many share their block's limit; the driver reckons likewise."""
PROBE_FILES = "zz_abs_audit*.go"
"""Such files lie in every package that carries a probe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoPlan:
    """What is asked of the driver in one workspace."""

    environment: GoEnvironment

    @property
    def _driver(self) -> Path:
        """The compiled driver, under a name that changes with its sources."""
        digest = sha256(b"".join(path.read_bytes() for path in sorted(SOURCES.iterdir()) if path.is_file()))
        return self.environment.workspace.root / "driver" / digest.hexdigest()[:16]

    def preparation(self) -> tuple[Command, ...]:
        """Compose the fetching of modules, and the building of driver and test binaries."""
        environment = self.environment
        modules = [
            {"dir": module.folder, "env": environment.module_environment(module)}
            for module in environment.modules()
        ]
        driver = Command(
            argv=(environment.executable, "build", "-o", str(self._driver), "."),
            cwd=SOURCES,
            env={**environment.environment(), "GOWORK": "off", "GOFLAGS": "-buildvcs=false"},
            limit_s=DRIVER_LIMIT_S,
            purpose="building the driver",
        )
        details = {
            "go": environment.executable,
            "modules": modules,
            "paths": list(self.environment.settings.paths),
            "apart": [{"record": "behind", **left} for left in environment.apart()],
            "probe": PROBE_FILES,
            "tags": sorted(tags(with_flags({}, environment.settings.environment))),
            "platforms": sorted(SYSTEMS | ARCHITECTURES),
            "package_limit_s": PACKAGE_LIMIT_S,
        }
        build = self._command("build", details, BUILD_LIMIT_S, "compiling the packages with benchmarks")
        return (*environment.fetching(), driver, build)

    def discovery(self) -> Command:
        """Compose what runs every benchmark once."""
        longest_s = self.environment.settings.longest_s
        limits = {
            "whole_limit_s": min(WHOLE_LIMIT_S, 2 * longest_s),
            "one_limit_s": min(ONE_LIMIT_S, longest_s),
        }
        return self._command("discover", limits, DISCOVERY_LIMIT_S, "listing the Go benchmarks")

    def executions(self, blocks: Sequence[Block]) -> tuple[Command, ...]:
        """Compose what executes the blocks, in their order, some tens of seconds a command."""
        return tuple(
            self._command(
                "execute",
                {"blocks": [block_of_plan(block) for block in group]},
                START_LIMIT_S + sum(len(block.steps) * step_limit_s(block, LEAST_STEP_S) for block in group),
                purpose(group),
            )
            for group in portions(blocks)
        )

    def _command(self, task: str, details: Mapping[str, Any], limit_s: float, why: str) -> Command:
        plan = {
            "task": task,
            "root": str(self.environment.workspace.tree),
            "binaries": str(self.environment.workspace.root / "binaries"),
            **details,
        }
        results = results_of(self.environment.workspace, f"go-{task}", json.dumps(plan, sort_keys=True))
        path = results.with_suffix(".plan.json")
        path.write_text(json.dumps({**plan, "results": str(results)}), encoding="utf-8")
        return Command(
            argv=(str(self._driver), str(path)),
            cwd=self.environment.workspace.tree,
            env=self.environment.environment(),
            limit_s=limit_s,
            results=None if task == "build" else results,
            purpose=why,
        )
