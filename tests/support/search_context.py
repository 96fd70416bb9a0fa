"""Searches over real commits that are only pretended to be measured."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from abs_audit.analyses.rootcause.commits.rules import MidpointRule, Rule
from abs_audit.analyses.rootcause.measure import measure
from abs_audit.analyses.rootcause.measuring.case import Case, overlay
from abs_audit.analyses.rootcause.model import RootCause
from abs_audit.config import Settings
from abs_audit.execution.commits import period
from abs_audit.execution.workspace import checkout
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.languages.language import Framework
from abs_audit.languages.table import languages
from abs_audit.model.subject import Subject
from tests.support.pretended import BENCHMARK, PretendedExecutor, PretendedSuite


@dataclass
class CommandContext:
    """Opens cases over one session."""

    folder: Path
    executor: PretendedExecutor = field(default_factory=PretendedExecutor)
    suite: PretendedSuite = field(default_factory=PretendedSuite)

    def case(
        self, root: Path, good: str, bad: str, rule: Rule | None = None, laid: Sequence[str] = ()
    ) -> Case:
        language = replace(
            languages()[0],
            frameworks=(Framework(suite=self.suite, stubs=languages()[0].frameworks[0].stubs),),
        )
        project = Project(
            subject=Subject(
                name=root.name, root=root, language=language.name, framework="pretended", commit=None
            ),
            language=language,
            framework=language.frameworks[0],
            checkout=checkout(root),
            settings=Settings(),
        )
        runtime = Runtime(
            executor=self.executor,
            session=Session(self.folder / "session.db"),
            progress=lambda _purpose, _done, _planned: None,
        )
        return Case(
            project=project,
            runtime=runtime,
            period=period(root, good, bad),
            benchmark=BENCHMARK,
            rule=rule or MidpointRule(),
            most=3,
            overlay=overlay(project, laid),
        )

    def measure(self, root: Path, good: str, bad: str, rule: Rule | None = None) -> RootCause:
        return measure(self.case(root, good, bad, rule))
