"""What recorders leave behind: where it lies, and how it adds up, the same in all languages."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import DownstreamCounts
from abs_audit.model.experiment import Execution, Workspace

KINDS = ("direct", "internal", "other")
"""Who calls: the downstream itself, the library, a third library."""
FETCHING = "fetching what the downstream needs"
TESTING = "running the unit tests"
TEST_LIMIT_S = 1800.0
"""How long they may take in a language whose test runner cannot be told when to end."""
LAST_LINES = 8


def records(workspace: Workspace) -> Path:
    """Return the folder that recorders write to; it exists then."""
    folder = workspace.results / "calls"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def last_lines(said: Iterable[str]) -> str:
    """Return the end of what a test run said, indented."""
    return "\n".join(f"    {line}" for line in list(said)[-LAST_LINES:])


def tests_told(suites: Iterable[Element]) -> tuple[int, int, int]:
    """Return how many tests there were, failed and were skipped, by the suites of reports as JUnit's are."""
    every = list(suites)
    total, failed, skipped = (
        sum(int(suite.get(name, 0)) for suite in every for name in names)
        for names in (("tests",), ("failures", "errors"), ("skipped",))
    )
    return total, failed, skipped


def none_ran(execution: Execution, said: Iterable[str]) -> ControlFailedError:
    """Return the error of a test run in which not a single test ran."""
    ending = "ran into its time limit" if execution.timed_out else f"exit code {execution.exit_code}"
    return ControlFailedError(f"none of its unit tests ran ({ending}); the last it said:\n{last_lines(said)}")


class RecordedCalls:
    """Adds up calls and the texts of their arguments."""

    def __init__(self) -> None:
        self._calls: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self._texts: dict[str, Counter[str]] = {}

    def count(self, method: str, numbers: Iterable[int]) -> None:
        """Add calls of a method, in the order of `KINDS`."""
        for kind, number in zip(KINDS, numbers, strict=True):
            self._calls[kind][method] += number

    def saw(self, method: str, texts: Iterable[str] | Mapping[str, int]) -> None:
        """Add argument lists as source texts: each one seen, or text → times."""
        self._texts.setdefault(method, Counter()).update(texts)

    def counts(self, passed: int, failed: int, ended_after_s: float | None = None) -> DownstreamCounts:
        """Return the sums, methods that nobody called left out."""
        return DownstreamCounts(
            **{kind: dict(+calls) for kind, calls in self._calls.items()},
            tests_passed=passed,
            tests_failed=failed,
            arguments={
                method: tuple(text for text, _ in texts.most_common())
                for method, texts in self._texts.items()
                if texts
            },
            ended_after_s=ended_after_s,
        )
