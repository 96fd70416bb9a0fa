"""Measures JMH benchmarks of Maven projects: each step is a fork of its own."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.suites.plan import plan_of
from abs_audit.languages.java.suites.steps import trials, why
from abs_audit.languages.java.toolchain import gradle, reactor
from abs_audit.languages.records import records
from abs_audit.model.experiment import Block, Command, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery

NO_LIST = (
    "its annotation processor made no list of them; the build has to have jmh-generator-annprocess, and must "
    "not turn annotation processors off (-proc:none)"
)
_PARAMETER = re.compile(r'^\s+param "(.+?)" = \{(.*)\}\s*$')


class JmhSuite:
    """The suite door for JMH."""

    name = "jmh"

    def detect(self, root: Path) -> bool:
        """Tell whether a module depends on JMH."""
        return bool(reactor.benchmark_modules(root) or gradle.benchmark_modules(root))

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the build of the modules with benchmarks and all that they need, and of the driver."""
        return tuple(plan_of(workspace, settings).preparation())

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        """Compose what lists the benchmarks with their parameters."""
        return plan_of(workspace, settings).discovery()

    def discovery(self, execution: Execution) -> Discovery:
        """Read JMH's own listing; raise ControlFailedError where a module has none."""
        by_id: dict[str, Benchmark] = {}
        broken: dict[str, BrokenBenchmark] = {}
        told = list(records(execution.output))
        if not told:
            said = execution.log.strip()[-500:]
            raise ControlFailedError(f"JMH lists no benchmarks (exit code {execution.exit_code}): {said}")
        for record in told:
            module, _, foreign = record["key"].partition("\n")
            if record["exit"]:
                said = why(record["log"]) or record["log"][-500:]
                said = NO_LIST if "/META-INF/BenchmarkList" in said else said
                raise ControlFailedError(f"{module}: JMH cannot list its benchmarks: {said}")
            for benchmark in listed(record["log"]):
                if foreign:
                    broken[benchmark.id] = BrokenBenchmark(id=benchmark.id, reason=foreign)
                else:
                    by_id[benchmark.id] = benchmark
        return Discovery(benchmarks=tuple(by_id.values()), broken=tuple(broken.values()))

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks in their order."""
        return tuple(plan_of(workspace, settings).executions(blocks))

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        """Read what the forks measured and tallied."""
        by_id = {block.id: block for block in blocks}
        return tuple(trial for record in records(output) for trial in trials(by_id, record))

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return a regular expression for JMH's command line; parameters are given apart, with -p."""
        names = dict.fromkeys(benchmark.partition(":")[0] for benchmark in benchmarks)
        return "^(" + "|".join(re.escape(name) for name in names) + ")$"


def listed(text: str) -> Iterator[Benchmark]:
    """Yield the benchmarks of JMH's listing `-lp`, one for each combination of parameters."""
    name, parameters = "", dict[str, list[str]]()
    for line in itertools.dropwhile(lambda line: not line.startswith("Benchmarks:"), text.splitlines()):
        parameter = _PARAMETER.match(line)
        if parameter:
            parameters[parameter[1]] = parameter[2].split(", ")
        elif re.fullmatch(r"[\w.$]+", line.strip()) and "." in line:
            yield from _combinations(name, parameters)
            name, parameters = line.strip(), {}
    yield from _combinations(name, parameters)


def _combinations(name: str, parameters: Mapping[str, Sequence[str]]) -> Iterator[Benchmark]:
    if not name:
        return
    for values in itertools.product(*parameters.values()):
        chosen: dict[str, Any] = dict(zip(parameters, values, strict=True))
        text = ",".join(f"{key}={value}" for key, value in chosen.items())
        yield Benchmark(id=f"{name}:{text}" if text else name, parameters=chosen)
