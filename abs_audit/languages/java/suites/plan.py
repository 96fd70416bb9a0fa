"""Writes the plans that the JMH driver executes, and composes the commands that build and start it."""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.batching import digest, portions, purpose, results_of, step_limit_s
from abs_audit.languages.java.suites.benchmark_list import SHOT, Entry, about, entries, mode_of
from abs_audit.languages.java.toolchain import gradle, reactor
from abs_audit.languages.java.toolchain.class_path import foreign
from abs_audit.languages.java.toolchain.gradle import GradleEnvironment
from abs_audit.languages.java.toolchain.maven import MavenEnvironment
from abs_audit.languages.java.toolchain.plain import PlainEnvironment
from abs_audit.languages.probe_protocol import Setting, probe_settings, probe_settings_in_turns
from abs_audit.model.experiment import Arm, Block, BlockKind, Command, Mode, Step, Workspace

_FOLDER = Path(__file__).parent / "driver"
SOURCES = tuple(
    _FOLDER / f"{name}.java" for name in ("Driver", "Host", "Archive", "Reachability", "ClassFile")
)
PROFILERS = tuple(_FOLDER / f"{name}.java" for name in ("Turns", "Stacks", "Processor", "Chosen"))
PACKAGE = "abs_audit_driver_"
SHORT_LIVED = "-XX:TieredStopAtLevel=1"
# A command that is executed until it ended well once, and the file which tells that.
ONCE = '[ -e "$0" ] || { "$@" && : > "$0"; }'
DRIVER_LIMIT_S = 120.0
DISCOVERY_LIMIT_S = 300.0
START_LIMIT_S = 60.0
LEAST_STEP_S = 10.0
# A fork reaches its steady state in some tenths of a second: after .3 one in some hundreds still took several
# times as long as the others. Shorter iterations measure the clock.
WARMUP_ITERATIONS = 3
WARMUP_S = 0.13
LEAST_ITERATION_S = 0.1
# Of several values in a row each may be shorter: five of 100 ms told as much of protostuff's runs as ten did.
LEAST_OF_SEVERAL_S = 0.05
# A lone value is the median of so many iterations: one that lost the processor must not stand for its fork.
ITERATIONS_A_VALUE = 3
# What is compared within a fork has more and shorter ones, so that all of it meets the same moments; JMH
# itself takes some .4 ms for each. With four of 30 ms after half of the warm-up slowdowns were a seventh
# larger than requested.
TURNS_A_VALUE = 8
A_TURN = 0.15
# The same in every arm, so that neither heap nor collector differs. Forks inherit them from their host; what
# `@Fork(jvmArgs = …)` says is what its benchmark gets instead.
# New objects have room that the processor's cache holds: else the memory, which others use, too, makes turns
# vary twice as much.
JVM_OPTIONS = ("-Xms512m", "-Xmx512m", "-Xmn32m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
# Old JMH asks the console for its encoding, which modules forbid otherwise.
OPEN_CONSOLE = "--add-opens=java.base/java.io=ALL-UNNAMED"
# JMH and what it depends on: the same in every fork, so that forks may share what they load of it.
_JMH = re.compile(r"(jmh-core|jopt-simple|commons-math3)-[^/]*\.jar")
_NONE = "^$"


@dataclass(frozen=True, slots=True, kw_only=True)
class JmhPlan:
    """What is asked of the driver in one workspace."""

    environment: MavenEnvironment | GradleEnvironment

    @property
    def _driver(self) -> Path:
        """Folder of the compiled driver; its name changes with its source."""
        texts = b"".join(path.read_bytes() for path in (*SOURCES, *PROFILERS))
        return self.environment.workspace.root / "driver" / sha256(texts).hexdigest()[:16]

    def modules(self) -> list[str]:
        """Return the modules whose benchmarks are audited."""
        wanted = [path.strip("/") or "." for path in self.environment.settings.paths]
        return [
            module
            for module in self.environment.modules()
            if not wanted or any(module == path or module.startswith(f"{path}/") for path in wanted)
        ]

    def preparation(self) -> Iterator[Command]:
        """Yield the build of the project and that of the driver."""
        if not self.modules():
            raise UsageError("no module depends on JMH where `paths` in abs-audit.toml says that they lie")
        yield from self.environment.building()
        self._driver.mkdir(parents=True, exist_ok=True)
        options = (f"-J{SHORT_LIVED}", "-d", str(self._driver), *map(str, SOURCES))
        yield Command(
            argv=("sh", "-c", ONCE, str(self._driver / "complete"), self.environment.tool("javac"), *options),
            cwd=self.environment.workspace.root,
            env=self.environment.environment(),
            limit_s=DRIVER_LIMIT_S,
            purpose="building the driver",
        )

    def discovery(self) -> Command:
        """Compose what lists the benchmarks of every module.

        The key of each says, on a second line, why the module measures something else than this checkout.
        """
        lines = []
        for module in self.modules():
            key = f"{module}\n{foreign(self.environment.workspace, self._class_path(module))}"
            lines.append(self._host(module) + self._step(key, DISCOVERY_LIMIT_S, _told("arg", ["-lp"])))
        return self._command("discover", lines, DISCOVERY_LIMIT_S * len(lines), "listing the JMH benchmarks")

    def may_call(self) -> Command:
        """Compose what tells, of benchmarks that call the same in any JVM, to which probes they may lead."""
        lines = list[str]()
        for module in self.modules():
            lines.append(f"path {self.environment.class_path(module)}\n")
            alike = (entry for entry in self._listed(module) if entry.leads_alike)
            lines += [f"root {entry.generated} {entry.benchmark}\n" for entry in alike]
        return self._command(
            "may-call", lines, DRIVER_LIMIT_S, "looking what benchmarks lead to", "Reachability"
        )

    def executions(self, blocks: Sequence[Block]) -> Iterator[Command]:
        """Yield what executes the blocks, in their order, some tens of seconds a command."""
        lists = {module: self._listed(module) for module in self.modules()}
        for group in portions(blocks):
            lines = list(self._steps(group, lists))
            limit_s = START_LIMIT_S + sum(
                step_limit_s(block, LEAST_STEP_S) * len(block.steps) for block in group
            )
            yield self._command("execute", lines, limit_s, purpose(group))

    def _class_path(self, module: str) -> list[str]:
        return self.environment.class_path(module).split(os.pathsep)

    def _listed(self, module: str) -> list[Entry]:
        return list(entries(self._class_path(module)))

    def _steps(self, blocks: Sequence[Block], lists: Mapping[str, Sequence[Entry]]) -> Iterator[str]:
        """Yield the steps of blocks, and before those of a module the host that executes them."""
        current = None
        for block in blocks:
            name = block.benchmark.partition(":")[0]
            listed = {module: about(name, lines) for module, lines in lists.items()}
            module = next((module for module, lines in listed.items() if lines), next(iter(lists)))
            if module != current:
                yield self._host(module)
                current = module
            yield from self._forks(block, listed[module])

    def _forks(self, block: Block, listed: Sequence[Entry]) -> Iterator[str]:
        """Yield the steps of one block: those that share a fork together."""
        # In a process that other benchmarks share, which ends with the first that comes to a probe.
        together = block.kind is BlockKind.FIRST_LOOK and block.steps[0].arm.mode is Mode.COUNT
        mode = mode_of(listed)
        named = _named(block.benchmark)
        if together and not all(entry.in_any_jvm for entry in listed):
            named = (_NONE,)  # What it calls in a JVM of its own would be overlooked: nothing is executed.
        for fork in forks(block):
            key = f"{block.id}\n{','.join(map(str, fork))}"
            folder = self._folder(key)
            result = ("-rf", "json", "-rff", str(folder / "result.json"))
            steps = [block.steps[position] for position in fork]
            options = (*named, *_options(steps, mode, forks=int(not together)), *result)
            tally = None if together else folder / "tally"
            settings = _settings([step.arm for step in steps], tally, once=mode == SHOT)
            limit_s = step_limit_s(block, LEAST_STEP_S) * len(fork)
            words = [*(["together"] if together else []), *_told("set", settings), *_told("arg", options)]
            yield self._step(key, limit_s, words)

    def _host(self, module: str) -> str:
        # Among the results, since the host itself writes there, whoever it runs under.
        turns = self.environment.workspace.results / "turns" / f"{self._driver.name}-{digest(module)}"
        turns.mkdir(parents=True, exist_ok=True)
        entries = self._class_path(module)
        # What is to be shared comes first: the class path must begin with it.
        jmh = [entry for entry in entries if _JMH.fullmatch(Path(entry).name)]
        own = (str(self._driver), str(turns), *self.environment.stack_profiler())
        path = (*jmh, *(entry for entry in entries if entry not in jmh), *own)
        jars = os.pathsep.join(jmh)
        archives = self.environment.workspace.results / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        command = (
            *(self.environment.tool("java"), *JVM_OPTIONS, OPEN_CONSOLE),
            *("-cp", os.pathsep.join(path), f"{PACKAGE}.Host"),
            *map(str, (*PROFILERS, turns)),
        )
        begin = f"host {_encoded(str(archives / digest(jars)))} {_encoded(jars)}"
        return "\n".join([begin, *_told("arg", command), "end\n"])

    def _folder(self, key: str) -> Path:
        return self.environment.workspace.results / "steps" / digest(key)

    def _step(self, key: str, limit_s: float, words: Iterable[str]) -> str:
        """Return a step for the plan; `words`: what it is told, a line each."""
        begin = f"step {_encoded(key)} {limit_s} {_encoded(str(self._folder(key)))}"
        return "\n".join([begin, *words, "end\n"])

    def _command(
        self, task: str, lines: Sequence[str], limit_s: float, why: str, main: str = "Driver"
    ) -> Command:
        text = "".join(lines)
        results = results_of(self.environment.workspace, f"jmh-{task}", text)
        plan = results.with_suffix(".plan")
        plan.write_text(text, encoding="utf-8")
        java = (self.environment.tool("java"), "-Xmx256m", SHORT_LIVED, "-cp", str(self._driver))
        return Command(
            argv=(*java, f"{PACKAGE}.{main}", str(plan), str(results)),
            cwd=self.environment.workspace.tree,
            env=self.environment.environment(),
            limit_s=limit_s,
            results=results,
            purpose=why,
        )


def plan_of(workspace: Workspace, settings: BuildSettings) -> JmhPlan:
    """Return the plan of a workspace.

    It follows what the user says of sources; else it is Gradle's where only that knows of JMH, or Maven's.
    """
    tree = workspace.tree
    environment: MavenEnvironment | GradleEnvironment
    if settings.java is not None:
        environment = PlainEnvironment(workspace=workspace, settings=settings, build=settings.java)
    elif not reactor.benchmark_modules(tree) and gradle.benchmark_modules(tree):
        environment = GradleEnvironment(workspace=workspace, settings=settings)
    else:
        environment = MavenEnvironment(workspace=workspace, settings=settings)
    return JmhPlan(environment=environment)


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def _told(kind: str, words: Iterable[str]) -> Iterator[str]:
    return (f"{kind} {_encoded(word)}" for word in words)


def _named(benchmark: str) -> tuple[str, ...]:
    """Return the arguments that choose one benchmark with its parameters."""
    name, _, parameters = benchmark.partition(":")
    # A comma before what reads like a name is one between two values.
    pairs = re.split(r",(?=[\w$]+=)", parameters) if parameters else ()
    return (f"^{re.escape(name)}$", *(word for pair in pairs for word in ("-p", pair)))


def forks(block: Block) -> list[tuple[int, ...]]:
    """Return the positions of the steps that share a fork in the order of their turns.

    Which probes are active is a constant for the compiler, so arms take turns in a fork where they differ by
    who has which delay alone; then what the compiler made of a fork is the same for all of them. Counting
    goes on in the fork in which it began: what invocations call does not depend on the compiler.
    """
    together: dict[object, list[int]] = {}
    for position, step in enumerate(block.steps):
        arm = step.arm
        delayed = arm.mode in (Mode.CONTROL, Mode.DELAY)
        counting = (arm.mode, arm.methods) if arm.mode is Mode.COUNT else position
        kind = (arm.methods, arm.batch, step.iterations) if delayed else counting
        together.setdefault(kind, []).append(position)
    return [tuple(positions) for positions in together.values()]


def baseline_turns(arms: Sequence[Arm], once: bool) -> int:
    """Return how many baseline turns come before those of arms that share a fork: one or none.

    The probes are active in it, without a delay. It tells how fast the fork is, which one shot does not, and
    where calls are counted nothing is in proportion to it.
    """
    return int(len(arms) > 1 and not once and arms[0].mode is not Mode.COUNT)


def _options(steps: Sequence[Step], mode: str, forks: int = 1) -> list[str]:
    step = steps[0]
    # Of a whole invocation, whatever number of operations its author counts in it: calls are counted so, too.
    common = ["-f", str(forks), "-foe", "true", "-tu", "ns", "-opi", "1"]
    if len(steps) > 1:
        common += ["-prof", f"{PACKAGE}.Turns"]
    if step.arm.mode is Mode.COUNT:
        in_number = step.invocations or mode == SHOT
        lasting = ("-r", f"{round(1000 * step.target_s)}ms")
        length = ("-bm", SHOT, "-bs", str(batch(steps))) if in_number else ("-bm", mode, *lasting)
        return [*common, *length, "-wi", "0", "-i", str(step.iterations * len(steps))]
    if step.arm.mode is Mode.SAMPLE:
        common += ["-prof", f"{PACKAGE}.Stacks"]
    if step.arm.mode in (Mode.TIME, Mode.SAMPLE):
        common += ["-prof", f"{PACKAGE}.Processor"]
    if mode == SHOT:
        return [
            *common,
            *("-bm", SHOT, "-wi", str(WARMUP_ITERATIONS), "-i", str(step.iterations * len(steps))),
        ]
    turns = len(steps) + baseline_turns([step.arm for step in steps], once=False)
    compared = turns > 1 or step.arm.mode is Mode.TIME
    turn = A_TURN if compared else 1.0
    least_s = LEAST_OF_SEVERAL_S if step.iterations > 1 else LEAST_ITERATION_S
    iteration_ms = round(1000 * turn * max(least_s, step.target_s))
    warmups = WARMUP_ITERATIONS if step.warmup else 0
    lone = 1 if step.arm.mode is Mode.SAMPLE else TURNS_A_VALUE if compared else ITERATIONS_A_VALUE
    iterations = step.iterations if step.iterations > 1 else lone
    return [
        *common,
        *("-bm", mode),
        *("-wi", str(warmups), "-w", f"{round(1000 * WARMUP_S)}ms"),
        *("-i", str(iterations * turns), "-r", f"{iteration_ms}ms"),
    ]


def batch(steps: Sequence[Step]) -> int:
    """Return the invocations of each iteration that counts: as many as any needs: JMH has one number."""
    return max(step.invocations or 1 for step in steps)


def turns(arms: int) -> tuple[int, ...]:
    """Return the order of turns, over and over: the first arm begins, the others come there and back."""
    others = range(1, arms)
    return (0, *others, 0, *reversed(others))


def _settings(arms: Sequence[Arm], tally: Path | None, once: bool) -> Iterator[str]:
    """Yield what the probe is told; one shot differs too much from the next to be in proportion to it."""
    told: dict[str, str] = {}
    if len(arms) == 1:
        told = probe_settings(replace(arms[0], control_s=None))
    elif baseline_turns(arms, once):
        baseline = replace(arms[0], mode=Mode.CONTROL, slowed=None, delay_ns=0.0)
        told = probe_settings_in_turns([baseline, *arms], turns(len(arms) + 1))
    else:
        told = probe_settings_in_turns([replace(arm, control_s=None) for arm in arms], turns(len(arms)))
    if arms[0].mode is not Mode.OFF:
        told |= {Setting.SWITCH: f"{PACKAGE}.Turns"}
        told |= {Setting.TALLY: str(tally)} if tally else {}
        yield from (f"{name}={value}" for name, value in told.items())
