"""What is searched: a period, a benchmark, a rule, and the keys under which its results are kept."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from abs_audit.analyses.rootcause.commits.rules import Rule
from abs_audit.errors import UsageError
from abs_audit.execution.commits import Period
from abs_audit.execution.workspace import Checkout, cache_root
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime

VALUES = 50
"""Iterations of a run: as many as Heger et al. 2013, §3, repeat a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One search."""

    project: Project
    """The user's checkout: it says how to measure; what is measured are commits."""
    runtime: Runtime
    period: Period
    benchmark: str
    rule: Rule
    most: int
    """Regressions to find."""
    overlay: Mapping[str, bytes]
    """Files laid over every commit, relative path → content, so that all carry the same benchmark."""

    @property
    def base(self) -> str:
        """Stands for everything that must be equal for runs of commits to be comparable."""
        return self._key("runs")

    @property
    def question(self) -> str:
        """Stands for this very search."""
        rule = f"{self.rule.name}{' improvement' * self.rule.improvement}"
        return self._key("question", self.period.good.id, self.period.bad.id, rule, str(self.most))

    def of(self, commit: str) -> str:
        """Stands for what is measured of one commit."""
        return self._key("commit", commit)

    def _key(self, *parts: str) -> str:
        digest = hashlib.sha256("\0".join((self.period.folder, self.benchmark, *parts)).encode())
        for path, content in sorted(self.overlay.items()):
            digest.update(f"\0{path}\0".encode() + content)
        root = self.project.subject.root
        return replace(self.project, checkout=Checkout(root=root, files=(), digest=digest.hexdigest())).digest


def overlay(project: Project, paths: Sequence[str]) -> dict[str, bytes]:
    """Read files and folders of the checkout as they stand; raise UsageError for one that is not there."""
    contents: dict[str, bytes] = {}
    for given in paths:
        wanted = PurePosixPath(given)
        inside = [
            path for path in project.checkout.files if PurePosixPath(path.as_posix()).is_relative_to(wanted)
        ]
        if wanted.is_absolute() or not inside:
            raise UsageError(
                f"--overlay {given}: expected a file or folder of {project.subject.root}, relative to it and "
                "not ignored by git; see what there is with: git ls-files --cached --others"
            )
        contents |= {path.as_posix(): (project.subject.root / path).read_bytes() for path in inside}
    return contents


def exports(case: Case) -> Path:
    """Return the folder of ours that holds the files of this search's commits."""
    return cache_root() / "commits" / case.base[:16]
