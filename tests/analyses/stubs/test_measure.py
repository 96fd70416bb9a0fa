"""What becomes of proposed benchmarks: of those that spoil others, and of those that have no time left."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.analyses.stubs.text import answer, stages
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.detection import Decision
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.preparation import Prepared
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.interfaces import Stub
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import Benchmark, BrokenBenchmark
from abs_audit.model.verdict import Verdict
from tests.support.builders import cell
from tests.support.fake_executor import FakeSuite, harness
from tests.support.known_shares import EndsAt, World, injection
from tests.support.recorded_scores import record

NOBODY = cast(Any, None)


def proposed(name: str) -> Stub:
    return Stub(method=name, path=f"p/{name}_test.go", text=name, benchmark=f"m/p.Benchmark{name}", reason="")


class Build:
    """Stands for the building of copies: refuses what is told, in the way that is told."""

    def __init__(self, refused: Mapping[str, str], raises: bool) -> None:
        self.refused, self.raises = refused, raises
        self.files: list[list[str]] = []

    @contextlib.contextmanager
    def prepare(
        self, _: Project, __: Runtime, ___: Sequence[str], files: Mapping[str, str]
    ) -> Iterator[Prepared]:
        self.files.append(sorted(files.values()))
        complaints = [message for name, message in self.refused.items() if name in files.values()]
        bad = complaints[0] if complaints else ""
        if bad and self.raises:
            raise ControlFailedError(bad, "\n".join(complaints))
        broken = (BrokenBenchmark(id="m/p.BenchmarkTheirs", reason=bad),) if bad else ()
        yield cast(Prepared, SimpleNamespace(discovery=SimpleNamespace(benchmarks=(), broken=broken)))


def tried(build: Build, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[tuple[str, str]]:
    """Return method and reason of each proposal as it comes to its trial."""

    monkeypatch.setattr(stubbing, "prepare", build.prepare)
    monkeypatch.setattr(stubbing, "_try", lambda *_: None)
    trial = stubbing._Trial(stubs=[proposed(name) for name in names], spec=NOBODY)
    stubbing._make(NOBODY, NOBODY, (), trial)
    return [(stub.method, trial.refused.get(stub.path, "")) for stub in trial.stubs]


MESSAGES = {name: f"/tree/p/{name}_test.go:7:2: undefined: x" for name in ("Bad", "Worse")}


def test_what_spoils_others_is_left_out_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build(MESSAGES, raises=False)
    expected = [("Good", ""), *MESSAGES.items()]
    assert tried(build, monkeypatch, "Good", "Bad", "Worse") == expected
    assert build.files == [["Bad", "Good", "Worse"], ["Good", "Worse"], ["Good"]]


def test_all_that_one_build_complains_of_is_left_out_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build(MESSAGES, raises=True)
    expected = [("Good", ""), *((name, f"{name}_test.go:7:2: undefined: x") for name in MESSAGES)]
    assert tried(build, monkeypatch, "Good", "Bad", "Worse") == expected
    assert build.files == [["Bad", "Good", "Worse"], ["Good"]]


def test_a_control_that_fails_without_proposals_stays_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build({"Good": "the disk is full"}, raises=True)
    with pytest.raises(ControlFailedError, match="the disk is full"):
        tried(build, monkeypatch, "Good")


def test_a_proposal_that_breaks_only_itself_is_tried_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (BrokenBenchmark(id="m/p.BenchmarkBad", reason="panics in ./Bad_test.go:9"),)
    assert stubbing._spoiling(broken, [proposed("Bad")], ["p/Bad_test.go"]) == {}


def test_a_complaint_names_a_file_by_its_whole_name() -> None:
    broken = (BrokenBenchmark(id="m/p.BenchmarkOwn", reason="panics in ./VeryBad_test.go:9"),)
    files = ["p/Bad_test.go", "p/VeryBad_test.go"]
    assert stubbing._spoiling(broken, [], files) == {"p/VeryBad_test.go": broken[0].reason}


@pytest.mark.parametrize("executed", [True, False])
def test_a_proposal_that_breaks_down_when_it_is_executed_compiles(executed: bool) -> None:
    stub, why = proposed("Bad"), "panic: nil (Bad_test.go:9)"
    broken = (BrokenBenchmark(id="m/p.BenchmarkBad", reason=why, executed=executed),)
    listed = SimpleNamespace(discovery=SimpleNamespace(benchmarks=(), broken=broken))
    trial = stubbing._Trial(stubs=[stub], spec=NOBODY, prepared=cast(Prepared, listed))
    assert told([stubbing._outcome(trial, stub)]) == {"Bad": ((executed, False, None), why)}


SHARES = {
    "m/p.BenchmarkA": {"A": 0.9, "B": 0.5},
    "m/p.BenchmarkB": {"B": 0.8, "A": 0.1},
    "m/p.BenchmarkC": {"C": 0.1},
    "m/p.BenchmarkD": {"A": 0.9},
}
Outcomes = Mapping[str, tuple[tuple[bool | None, bool | None, bool | None], str]]


class Audit:
    """A subject with four proposals, of known shares, that nobody builds."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.world, self.watch = World(SHARES), Watch()
        self.stored: list[tuple[StubOutcome, ...]] = []
        self.before: Callable[[Block], None] = lambda _: None
        self.builds: Callable[[], None] = lambda: None
        self.fails: Callable[[Block], bool] = lambda _: False
        self.asked: list[str] = []
        self._folder, self._monkeypatch = folder, monkeypatch

    def _written(self, methods: Sequence[str]) -> list[Stub]:
        """Propose each once, and what is asked for again once more."""
        self.asked.append("".join(methods))
        return [proposed(method) for method in methods if sum(method in names for names in self.asked) <= 2]

    def _trial(self, block: Block, position: int, arm: Arm) -> Trial:
        self.before(block)
        trial = self.world.trial(block, position, arm)
        if not self.fails(block):
            return trial
        return replace(trial, status=Status.FAILED, reason=f"failed in build {len(self.asked)}", values=())

    @contextlib.contextmanager
    def _prepare(self, *_: object) -> Iterator[Prepared]:
        self.builds()
        folder = self._folder / str(len(self.asked))
        folder.mkdir(exist_ok=True)
        prepared = SimpleNamespace(
            discovery=SimpleNamespace(
                benchmarks=[Benchmark(id=name, parameters={}) for name in SHARES], broken=()
            ),
            harness=replace(harness(folder, FakeSuite(self._trial)), watch=self.watch),
            patch=SimpleNamespace(instrumented=("A", "B", "C", "D")),
            iteration_s=0.02,
            project=SimpleNamespace(settings=SimpleNamespace(seed=1)),
        )
        yield cast(Prepared, prepared)

    def tried(self) -> stubbing.Tried:
        for name, value in {
            "prepare": self._prepare,
            "_Proposals": lambda *_: SimpleNamespace(write=self._written),
            "injection": lambda *_: injection("stubs", settle_all=True),
        }.items():
            self._monkeypatch.setattr(stubbing, name, value)
        session = SimpleNamespace(store=lambda _, __, outcomes: self.stored.append(outcomes))
        return stubbing.measure(
            cast(Project, SimpleNamespace(digest="d")),
            cast(Runtime, SimpleNamespace(session=session)),
            record(*(cell(method, "b", Verdict.UNREACHED) for method in "ABCD")),
        )


def told(outcomes: Sequence[StubOutcome]) -> Outcomes:
    return {outcome.method: (stages(outcome), outcome.reason) for outcome in outcomes}


def test_of_a_proposal_the_share_of_its_own_method_alone_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = Audit(tmp_path, monkeypatch)
    outcomes = told(audit.tried().outcomes)
    timed = {
        (block.benchmark[-1], method)
        for block in audit.world.made
        for step in block.steps
        for method in step.arm.methods
        if step.arm.mode is Mode.TIME
    }
    assert timed == {("A", "A"), ("B", "B"), ("C", "C")}
    assert {(True, True, True)} == {outcomes[method][0] for method in "AB"}
    # Too small a share is told without slowing it down.
    assert outcomes["C"] == ((True, True, False), "its share is too small: it would have to be about ½")
    assert outcomes["D"] == ((True, True, False), "it runs, but does not call the method in its timed loop")
    assert not any("BenchmarkC" in block.id for block in audit.world.made if block.id.startswith("stubs/"))


@pytest.mark.parametrize("works", [True, False])
def test_what_does_not_run_is_written_in_another_way(
    works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no way runs, the first is shown: it is the usual one."""
    audit = Audit(tmp_path, monkeypatch)
    audit.fails = lambda block: block.benchmark.endswith("B") and not (works and len(audit.asked) > 1)
    outcomes = told(audit.tried().outcomes)
    assert audit.asked == (["ABCD", "B", ""] if works else ["ABCD", "B", "B"])
    assert outcomes["A"][0] == (True, True, True)
    assert outcomes["B"] == (
        ((True, True, True), "") if works else ((True, False, None), "failed: failed in build 1")
    )


@pytest.mark.parametrize(
    ("cause", "asked"), [(Cause.NOISY, ["ABCD", "B", ""]), (Cause.UNCERTAIN_SHARE, ["ABCD", ""])]
)
def test_what_is_too_short_to_be_known_is_not_written_again(
    cause: Cause, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle = stubbing.settle

    def settling(*given: Any) -> Iterator[tuple[Pair, Decision]]:
        for pair, decision in settle(*given):
            opened = replace(
                decision.verdict, verdict=Verdict.NO_VERDICT, explanation=Explanation(cause=cause)
            )
            first = pair.cell.method == "B" and len(audit.asked) == 1
            yield pair, replace(decision, verdict=opened) if first else decision

    audit = Audit(tmp_path, monkeypatch)
    monkeypatch.setattr(stubbing, "settle", settling)
    outcomes = told(audit.tried().outcomes)
    assert audit.asked == asked
    assert (True, True, True if cause is Cause.NOISY else None) == outcomes["B"][0]


@pytest.mark.parametrize(
    ("share", "ends_at", "clear", "other"),
    [(0.4, "stubs/1/run1/6", True, None), (0.28, "stubs/1/run1/5", None, False)],
    ids=["a clear answer has its second run at once", "a no takes none"],
)
def test_a_budget_that_ends_keeps_what_is_decided_beside_what_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
    ends_at: str,
    clear: bool | None,
    other: bool | None,
) -> None:
    audit = Audit(tmp_path, monkeypatch)
    audit.world.suite = {**SHARES, "m/p.BenchmarkC": {"C": share}}
    audit.watch = EndsAt(audit.world, ends_at, budget_s=1e6)
    outcomes = told(audit.tried().outcomes)
    assert {(True, True, clear)} == {outcomes[method][0] for method in "AB"}
    assert (True, True, other) == outcomes["C"][0]
    assert {stubbing.UNTRIED} == {reason for (_, _, noticed), reason in outcomes.values() if noticed is None}


def test_a_budget_that_ends_keeps_what_is_known_of_each_proposal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = Audit(tmp_path, monkeypatch)
    audit.watch = EndsAt(audit.world, "calibration/look 0/m/p.BenchmarkC")
    made = audit.tried()
    outcomes = told(made.outcomes)
    assert outcomes["A"][0] == (True, True, True)
    assert outcomes["B"] == outcomes["C"] == ((True, True, None), stubbing.UNTRIED)
    assert outcomes["D"][0] == (True, True, False)
    assert [False, True, True, False] == [not outcome.finished for outcome in made.outcomes]
    assert "1 of 4 proposed benchmarks notices a slowdown" in answer(made.outcomes)
    assert answer(made.outcomes).endswith("; 2 not tried to the end.")
    assert audit.stored == [made.outcomes]
    assert set(made.proven) == {"p/A_test.go"}


def test_what_takes_least_is_tried_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 176 proposals for tidwall's btree one with a set-up of 1.7 s was the first, and 13 were tried."""
    audit = Audit(tmp_path, monkeypatch)
    monkeypatch.setattr(stubbing, "costs_s", lambda _: {name: 1e6 + 1e7 * ("A" in name) for name in SHARES})
    audit.watch = EndsAt(audit.world, "calibration/look 0/m/p.BenchmarkA")
    outcomes = told(audit.tried().outcomes)
    assert outcomes["A"] == ((True, True, None), stubbing.UNTRIED)
    assert [True, False] == [outcomes[method][0][2] for method in "BC"]


def test_a_budget_that_ends_while_proposals_are_built_still_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = Audit(tmp_path, monkeypatch)

    def ended() -> None:
        raise BudgetEndedError

    audit.builds = ended
    assert told(audit.tried().outcomes) == dict.fromkeys("ABCD", ((None, None, None), stubbing.UNTRIED))


@pytest.mark.parametrize(
    ("begins", "known"),
    [
        ("reach/", {"A": (True, None, None), "D": (True, None, None)}),
        ("calibration/", {"A": (True, True, None), "D": (True, True, False)}),
    ],
)
def test_who_interrupts_is_shown_how_far_the_proposals_came(
    begins: str, known: Mapping[str, tuple[bool | None, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = Audit(tmp_path, monkeypatch)

    def interrupted(block: Block) -> None:
        if block.id.startswith(begins):
            raise KeyboardInterrupt

    audit.before = interrupted
    made = audit.tried()
    assert made.interrupted
    assert known == {method: told(made.outcomes)[method][0] for method in "AD"}
    assert audit.stored == [made.outcomes]
