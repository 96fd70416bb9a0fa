"""Downstream projects are traced in threads; what those leave is the affair of whoever waits for them."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.trace import measure
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.model.experiment import Workspace
from abs_audit.model.trace import Ranking

GO_ON_S = 30.0


class Tracer:
    """Traces two projects at once: the one is interrupted when the other is at work."""

    side_by_side = True

    def __init__(self) -> None:
        self.at_work = threading.Event()
        self.ends = threading.Event()
        self.opened = list[Workspace]()

    def release(self, opened: Workspace, given: str, settings: object) -> Sequence[Any]:
        self.opened.append(opened)
        return ()

    def prepare(self, opened: Workspace, *_: object) -> Sequence[Any]:
        if opened.tree.joinpath("interrupted").exists():
            assert self.at_work.wait(GO_ON_S)
            raise KeyboardInterrupt
        self.at_work.set()
        assert self.ends.wait(GO_ON_S)
        return ()


def test_an_interruption_clears_the_workspaces_of_all_that_are_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path))
    tracer = Tracer()

    @contextmanager
    def prepared(*_: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(
            remark="", project=project, harness=SimpleNamespace(settings=None, workspace=here)
        )

    def brought(given: str, tree: Path) -> SimpleNamespace:
        (tree / given).touch()
        return SimpleNamespace(name=given, digest="")

    here = Workspace(root=tmp_path / "library")
    injector = SimpleNamespace(api_methods=lambda _: SimpleNamespace(methods=()))
    project = SimpleNamespace(
        language=SimpleNamespace(tracer=tracer, injector=injector),
        settings=SimpleNamespace(runner="local", cluster=None),
        subject=SimpleNamespace(root=tmp_path),
        digest="",
        sources=dict,
    )
    session = SimpleNamespace(load=lambda *_: None)
    runtime = SimpleNamespace(session=session, progress=lambda *_: None)
    monkeypatch.setattr(measure, "prepare", prepared)
    monkeypatch.setattr(measure.origin, "bring", brought)
    monkeypatch.setattr(measure.os, "cpu_count", lambda: 2)
    with pytest.raises(KeyboardInterrupt):
        measure.measure(
            cast(Project, project), cast(Runtime, runtime), ["interrupted", "other"], cast(Ranking, None)
        )
    left = [opened.temporary.exists() for opened in tracer.opened]
    tracer.ends.set()
    assert [False, False] == left
