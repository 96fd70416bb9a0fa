"""What a command that reads a checkout has open: settings, session, executor, progress."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, TextIO, TypeVar

from abs_audit.cli.began import BEGAN
from abs_audit.cli.declaring import overrides
from abs_audit.cli.options import Budget, Common, Reading
from abs_audit.errors import AbsAuditError, ControlFailedError, NothingChosenError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from abs_audit.config import Settings
    from abs_audit.experiment.projects import Project
    from abs_audit.experiment.runtime import Runtime
    from abs_audit.model.accepted import AcceptList
    from abs_audit.model.cost import CommandCost
    from abs_audit.report.document import Document

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """An open session and the projects of the checkout."""

    common: Common
    settings: "Settings"
    runtime: "Runtime"
    projects: "list[Project]"
    failures: list[AbsAuditError] = field(default_factory=list)
    """Of suites without a result: where others have one, they are told after those."""

    @property
    def accepting(self) -> "AcceptList":
        """What the project lives with, today."""
        from abs_audit.model.accepted import AcceptList

        return AcceptList(entries=self.settings.accept, today=date.today())

    def of_each(self, measure: "Callable[[Project], Result]") -> "Iterator[tuple[Project, Result]]":
        """Yield each suite that has a result with it; raise where none has."""
        for project in self.runtime.watch.in_turn(self.projects):
            try:
                result = self._of(project, measure)
            except (ControlFailedError, UsageError) as failure:
                self.failures.append(failure)
            else:
                yield project, result
        if len(self.failures) == len(self.projects):
            self.fail(self.failures)

    def _of(self, project: "Project", measure: "Callable[[Project], Result]") -> Result:
        """Return the result of a suite; patterns that mean benchmarks of other suites leave it alone."""
        from abs_audit.experiment.suite_patterns import with_its_patterns

        try:
            return measure(project)
        except NothingChosenError:
            others = [other for other in self.projects if other is not project]
            narrowed = with_its_patterns(project, others, self.runtime)
            if narrowed is None:
                raise
        return measure(narrowed)

    @staticmethod
    def fail(failures: Sequence[AbsAuditError]) -> None:
        """Raise what kept suites from a result, if anything did; the first one says how it ends."""
        if failures:
            raise type(failures[0]).of([str(failure) for failure in failures]) from failures[0]


@contextlib.contextmanager
def open_context(common: Common, reading: Reading, *others: object) -> Iterator[CommandContext]:
    """Open everything for one command and close it again; `others`: its further groups of options."""
    from abs_audit import config
    from abs_audit.cli.executor import runner
    from abs_audit.cli.progress import progress
    from abs_audit.experiment.projects import open_projects
    from abs_audit.experiment.runtime import Runtime
    from abs_audit.experiment.session import Session
    from abs_audit.experiment.watch import Watch

    given = overrides((common, reading, *others))
    settings, _ = config.load(reading.subject, common.config, given)
    for name in ("image", "memory"):
        if given.get(name) and settings.runner == "local":
            raise UsageError(f"--{name}: for containers only; add --runner container")
    with contextlib.ExitStack() as open_things:
        executor, settings = open_things.enter_context(runner(settings))
        projects = open_projects(reading.subject, settings)
        session = open_things.enter_context(contextlib.closing(Session(common.session)))
        watch = Watch(
            next((group.budget_time for group in others if isinstance(group, Budget)), None), BEGAN.get(None)
        )
        shown = open_things.enter_context(
            contextlib.closing(progress(common, lambda: watch.total_s, watch.left_s))
        )
        runtime = Runtime(
            executor=executor, session=session, progress=shown, watch=watch, announce=shown.announce
        )
        context = CommandContext(common=common, settings=settings, runtime=runtime, projects=projects)
        yield context
        # Benchmarks that are chosen by name are of one suite, mostly.
        context.fail([it for it in context.failures if not isinstance(it, NothingChosenError)])


def each_suite(
    context: CommandContext,
    measure: "Callable[[Project], Result]",
    text: "Callable[[Result], RenderableType]",
    document: "Callable[[Result], Document]",
) -> dict[str, Result]:
    """Return framework → result for each suite; people read each at once, machines all at the end."""
    from abs_audit.experiment.watch import Phase

    results, documents = {}, []
    watch = context.runtime.watch
    for project, result in context.of_each(measure):
        results[project.subject.framework] = result
        with watch.phase(Phase.RENDER):
            if context.common.json:
                documents.append(document(result))
            else:
                say(text(result))
        if documents:
            documents[-1] = billed(documents[-1], watch.cost)
    if context.common.json:
        print_documents(documents)
    return results


def billed(document: "Document", cost: "CommandCost") -> "Document":
    """Return the document with what its command took up to now, where it tells that at all."""
    told = getattr(document, "cost", None)
    return document.model_copy(update={"cost": told.billed(cost)}) if told else document


def answer(common: Common, text: "Callable[[], RenderableType]", document: "Callable[[], Document]") -> None:
    """Print the one answer of an analysis: a document, its first line, or all of it."""
    if common.json:
        print_documents([document()])
    else:
        say(text(), only_first_line=common.quiet)


def say(content: "RenderableType", *, only_first_line: bool = False, stream: TextIO | None = None) -> None:
    """Print to people; on standard output where no other stream is named."""
    import io

    from abs_audit.report.text import show

    if not only_first_line:
        show(content, stream or sys.stdout)
        return
    whole = io.StringIO()
    show(content, whole)
    sys.stdout.write(whole.getvalue().split("\n\n", 1)[0].rstrip("\n") + "\n")


def print_documents(documents: "Sequence[Document]") -> None:
    """Print the one JSON document of a command; several suites are reported apart, in a list within it."""
    from abs_audit.report.document import dumps

    sys.stdout.write(dumps(*documents) + "\n")


def remark(common: Common, text: str) -> None:
    """Tell on standard error, with --verbose only."""
    if common.verbose:
        from abs_audit.report.names import visible

        sys.stderr.write(f"{visible(text)}\n")
