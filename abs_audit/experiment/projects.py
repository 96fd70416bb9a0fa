"""Which suites does a checkout hold, and by which settings are they measured?"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from abs_audit.config import Settings
from abs_audit.errors import UsageError
from abs_audit.execution import repository
from abs_audit.execution.workspace import Checkout, checkout, source_tree
from abs_audit.experiment.environment import fingerprint
from abs_audit.languages.language import Framework, Language
from abs_audit.languages.table import detect
from abs_audit.model.subject import SourceTree, Subject
from abs_audit.quantities import echoed


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A checkout with one of its suites, read but not copied yet."""

    subject: Subject
    language: Language
    framework: Framework
    checkout: Checkout
    settings: Settings

    @property
    def digest(self) -> str:
        """Stands for sources, framework and settings: the context of results that need no probe."""
        keys = {"interpreter", "requirements", "paths", "environment", "java"}
        # What a container grants changes what is measured in it.
        keys |= {"image", "memory", "cpus"} if self.settings.runner == "container" else set()
        parts = [
            self.checkout.digest,
            self.framework.suite.name,
            self.settings.model_dump_json(include=keys),
            json.dumps(fingerprint(), sort_keys=True),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def within(self, longest_s: float) -> Self:
        """Return it with no more time than so many seconds for each block of a benchmark."""
        timeout_s = min(longest_s, self.settings.timeout_s)
        return replace(self, settings=self.settings.model_copy(update={"timeout_s": timeout_s}))

    def sources(self) -> SourceTree:
        """Read the texts that the language's injector wants to see."""
        texts = source_tree(self.checkout, self.language.suffixes)
        return self.language.as_built(texts, self.settings.environment)


def open_projects(root: Path, settings: Settings) -> list[Project]:
    """Return one project for each suite that the checkout holds."""
    absolute = root.resolve()
    suites = detect(absolute, settings.framework)
    # Where the user says what is compiled, nothing else is needed.
    whole = {
        language.name: absolute if settings.java else language.enclosing(absolute) for language, _ in suites
    }
    checkouts = {folder: checkout(folder) for folder in set(whole.values())}
    projects = [
        Project(
            subject=Subject(
                name=absolute.name,
                root=whole[language.name],
                language=language.name,
                framework=framework.suite.name,
                commit=repository.commit(absolute),
            ),
            language=language,
            framework=framework,
            checkout=checkouts[whole[language.name]],
            settings=_within(settings, absolute.relative_to(whole[language.name])),
        )
        for language, framework in suites
    ]
    complaints = [
        *_absent(absolute, settings.paths),
        *(
            f"--suite {project.framework.suite.name}: no such suite in {project.subject.root}, which has no "
            f"{project.language.suffixes[0]} file"
            for project in projects
            if not any(path.suffix == project.language.suffixes[0] for path in project.checkout.files)
        ),
    ]
    if complaints:
        raise UsageError("\n".join(complaints))
    return projects


def _absent(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """Yield what is said of each of the `paths` that is not there: what lies at the others is not all."""
    for path in paths:
        if not (root / path.partition("::")[0]).exists():
            yield f"paths: {echoed(path)!r} is not in {root}; see why with: abs-audit config show --origin"


def _within(settings: Settings, folder: Path) -> Settings:
    """Return the settings of a folder as those of one that holds it: only its benchmarks are meant."""
    if folder == Path():
        return settings
    paths = tuple((folder / path).as_posix() for path in settings.paths or (".",))
    return settings.model_copy(update={"paths": paths})


def workspace_key(project: Project) -> str:
    """Return what tells the workspace of a project from those of others."""
    return f"{project.subject.root}\0{project.framework.suite.name}\0{project.settings.build()!r}"
