"""How many benchmarks are learnt of for the smallest noticed slowdown of a method."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.score.record import Request
from abs_audit.analyses.sensitivity import measure as sensing
from abs_audit.analyses.sensitivity.model import Sensitivity
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan
from abs_audit.experiment.preparation import Prepared
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.watch import Watch
from tests.support.fake_executor import FakeSuite, harness
from tests.support.known_shares import EndsAt, Suite, World, injection

ONE_SUFFICES: Suite = {"half": {"m": 0.5}, "whole": {"m": 0.9}, "third": {"m": 0.3}, "other": {"n": 0.95}}
NONE_SUFFICES: Suite = {"half": {"m": 0.5}, "most": {"m": 0.6}, "third": {"m": 0.3}, "other": {"n": 0.95}}


def answered(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    suite: Suite,
    watch: Callable[[World], Watch] = lambda _: Watch(),
) -> tuple[World, Sensitivity]:
    """Ask about two methods of a suite that nobody executes."""
    world = World(suite)
    timed = replace(harness(folder, FakeSuite(world.trial)), watch=watch(world))
    plan = ProfilePlan(benchmarks=tuple(suite), methods=("m", "n"), target_s=0.02, seed=1)

    @contextlib.contextmanager
    def prepare(*_: object) -> Iterator[Prepared]:
        yield cast(Prepared, SimpleNamespace(harness=timed))

    unslowed = SimpleNamespace(of_benchmarks=lambda *_: SimpleNamespace(spreads=()))
    for name, value in {
        "prepare": prepare,
        "profiler_of": lambda _, plain: Profiler(timed, plan),
        "injection": lambda *_: injection("sensitivity", settle_all=True),
        "stability": unslowed,
    }.items():
        monkeypatch.setattr(sensing, name, value)
    session = SimpleNamespace(load=lambda *_: None, store=lambda *_: None)
    request = Request(methods=("m", "n"), source="", slowdown=0.5, protocol="switched", settle_all=False)
    scored = SimpleNamespace(newest=(), request=request, result=SimpleNamespace(slowdown=0.5))
    result = sensing.measure(
        cast(Project, SimpleNamespace(digest="d")),
        cast(Runtime, SimpleNamespace(session=session, watch=timed.watch)),
        cast(Any, scored),
    )
    return world, result


def test_where_a_share_leaves_nothing_to_be_found_no_other_benchmark_is_learnt_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four benchmarks two are learnt of, at the price of three blocks each."""
    world, result = answered(tmp_path, monkeypatch, ONE_SUFFICES)
    assert world.made_of("calibration/") == ["whole", "other"]
    learning = {block.id for block in world.made if block.id.startswith(("calibration/", "shares/"))}
    assert len(learning) == 6
    assert [("n", "other", True), ("m", "whole", True)] == [
        (method.method, method.benchmark, method.confirmed) for method in result.methods
    ]


def test_where_none_does_all_that_call_a_method_are_learnt_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, result = answered(tmp_path, monkeypatch, NONE_SUFFICES)
    assert set(world.made_of("calibration/")) == set(NONE_SUFFICES)
    assert ("m", "most", True) == (
        result.methods[1].method,
        result.methods[1].benchmark,
        result.methods[1].confirmed,
    )


def test_what_a_budget_left_out_may_notice_sooner_and_nothing_is_confirmed_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, result = answered(
        tmp_path, monkeypatch, NONE_SUFFICES, lambda world: EndsAt(world, "calibration/look 0/half")
    )
    said = {method.method: method for method in result.methods}
    assert said["m"].benchmark == "most"
    assert not said["m"].confirmed
    assert said["m"].reason.endswith("; not known of 2 benchmarks more")


def test_a_share_that_cannot_be_believed_leaves_open_whether_a_method_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method of a nanosecond, all of its benchmark, "could become arbitrarily slow unnoticed"."""

    def believed(_: object, profiles: CellProfiles, __: object) -> CellProfiles:
        shares = {cell: share for cell, share in profiles.shares.items() if cell[0] == "m"}
        return replace(profiles, shares=shares)

    monkeypatch.setattr(sensing, "believed", believed)
    _, result = answered(tmp_path, monkeypatch, ONE_SUFFICES)
    said = {method.method: method for method in result.methods}
    assert (False, False) == (said["n"].known, said["n"].never)
    assert "its share is not known in 1 benchmark calling it" == said["n"].reason
