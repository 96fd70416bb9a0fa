"""What executes and records, and what is said of a command that fails."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from abs_audit.errors import ControlFailedError
from abs_audit.experiment.harness import Progress
from abs_audit.experiment.session import Session
from abs_audit.experiment.watch import Watch
from abs_audit.interfaces import Executor
from abs_audit.model.experiment import Command, Execution
from abs_audit.model.subject import Discovery, Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What executes and records: the same for every project of a command."""

    executor: Executor
    session: Session
    progress: Progress
    watch: Watch = field(default_factory=Watch)
    announce: Callable[[str], None] = field(default=lambda _: None)
    """Tells people one line at once."""
    audits: bool = False
    """Whether the other answers of an audit come after the score."""
    listed: dict[str, Discovery] = field(default_factory=dict)
    """Context of a build → what it listed in this command; digest of a project → what all its builds list."""
    patches: dict[tuple[str, tuple[str, ...]], Patch] = field(default_factory=dict)
    """(digest of a project, methods) → its sources with probes in them; of the last ones only."""

    def execute(self, command: Command) -> Execution:
        """Execute a command that measures nothing, in the time that is left, and say what it is for."""
        self.progress(command.purpose, 0, 0)
        execution = self.executor.execute(self.watch.bounded(command))
        self.watch.check(execution)
        return execution


def execute_all(runtime: Runtime, commands: Sequence[Command]) -> float:
    """Execute in order and return the seconds it took; raise ControlFailedError at the first that fails."""
    return sum(execute(runtime, command).wall_s for command in commands)


def execute(runtime: Runtime, command: Command) -> Execution:
    """Execute one command that has to end well; raise ControlFailedError where it does not."""
    execution = runtime.execute(command)
    if execution.exit_code or execution.timed_out or execution.out_of_memory:
        ending = "ran into its time limit" if execution.timed_out else f"exit code {execution.exit_code}"
        ending = "ran out of memory" if execution.out_of_memory else ending
        raise ControlFailedError(
            f"{command.purpose} failed ({ending}); it said:\n{last_lines(execution.log)}"
            f"{command.advice and chr(10)}{command.advice}",
            execution.log,
        )
    return execution


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FRAME = re.compile(r"\s+(at [\w.$/@]+\.[\w$<>]+\(|\.\.\. \d+ more)")
_ERROR = re.compile(
    r"^([\d:.,]+ )?\[ERROR\]|^\* What went wrong:|^Unrecognized |\berror(\[\w+\])?:|\bError\b"
)
# pip's headlines, and what went on all the same.
_UNTELLING = re.compile(
    r"error: (subprocess-exited-with-error|metadata-generation-failed)|^\W*warning:|\[(INFO|WARNING)\]"
)
TELLING, LAST, LONGEST = 6, 15, 400


def last_lines(log: str) -> str:
    """Return what a log says of a failure, indented, for a message.

    Tools explain themselves after their first error, so its lines come first; without any, the end.
    """
    lines = _lines(log)
    first = next((at for at, line in enumerate(lines) if _is_error(line)), None)
    chosen = lines[-LAST:] if first is None else lines[first : first + TELLING]
    return "\n".join(f"    {line}" for line in chosen) or "    (nothing)"


def complaints(log: str, names: Collection[str]) -> dict[str, str]:
    """Return name of a file → the first that a log complains of it, without the folders before its name.

    Where no line is marked as an error, as compilers of Go mark none, all of them are.
    """
    lines = _lines(log)
    errors = [line for line in lines if _is_error(line)] or lines
    told: dict[str, str] = {}
    for name in names:
        written = re.compile(rf"(?<![\w$-]){re.escape(name)}\b.*")
        naming = (line for line in errors if name in line)
        first = next((match[0] for line in naming if (match := written.search(line))), None)
        if first is not None:
            told[name] = first
    return told


def _lines(log: str) -> list[str]:
    plain = _COLOUR.sub("", log).expandtabs(4).splitlines()
    return [line.rstrip()[:LONGEST] for line in plain if line.strip() and not _FRAME.match(line)]


def _is_error(line: str) -> bool:
    return bool(_ERROR.search(line)) and not _UNTELLING.search(line)
