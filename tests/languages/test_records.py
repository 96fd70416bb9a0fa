"""Records of the in-process driver: verbatim ones, truncated ones, broken ones."""

from pathlib import Path

import pytest

from abs_audit.errors import MismatchError
from abs_audit.languages.records import read_trials
from abs_audit.model.measurement import Status
from tests.support.python_subjects import block, step

OUTPUTS = Path(__file__).parents[2] / "fixtures" / "outputs" / "python_driver"
BLOCKS = [block("first", "t.py::a", step(), step()), block("second", "t.py::b", step())]


def output(name: str) -> str:
    return (OUTPUTS / name).read_text()


def test_every_whole_line_is_one_trial() -> None:
    trials = read_trials(BLOCKS, output("verbatim.jsonl"))
    assert [(trial.block, trial.position, trial.status) for trial in trials] == [
        ("first", 0, Status.OK),
        ("first", 1, Status.OK),
        ("second", 0, Status.FAILED),
    ]
    assert (trials[0].invocations, trials[0].values) == (2, (5.67e-05, 5.82e-05))
    assert trials[0].tally is None


def test_the_tally_is_read_in_seconds() -> None:
    tally = read_trials(BLOCKS, output("verbatim.jsonl"))[1].tally
    assert tally is not None
    method = tally.methods["wordbook.book.Book.index"]
    assert (tally.build_id, method.calls, method.setup_calls, method.batches) == ("0123abcd", 4, 1, 2)
    assert (method.injected_s, method.timed_s) == pytest.approx((4e-6, 5e-6))


def test_a_last_line_that_was_cut_off_is_no_record_yet() -> None:
    whole = output("verbatim.jsonl")
    for length in range(len(whole)):
        assert len(read_trials(BLOCKS, whole[:length])) in {
            whole[:length].count("\n"),
            # Cut right before the line's end: all of the record is there.
            whole[: length + 1].count("\n"),
        }


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Segmentation fault", "line 1: expected a JSON record, found 'Segmentation fault'"),
        ("[1, 2]", "line 1: expected a JSON record"),
        ('{"record": "trial", "block": "other", "position": 0}', "a step of the blocks at hand"),
        ('{"record": "trial", "block": "first", "position": 2}', "a step of the blocks at hand"),
    ],
)
def test_a_line_of_something_else_is_refused(line: str, found: str) -> None:
    with pytest.raises(MismatchError, match=found.replace("(", r"\(")):
        read_trials(BLOCKS, line + "\n")


@pytest.mark.parametrize("value", ["NaN", "-1.0", "0.0", "Infinity"])
def test_a_time_that_cannot_be_is_refused(value: str) -> None:
    broken = output("verbatim.jsonl").replace("5.67e-05", value)
    with pytest.raises(MismatchError, match=r"t\.py::a: expected times above zero"):
        read_trials(BLOCKS, broken)


def test_a_record_with_values_missing_is_refused() -> None:
    broken = output("verbatim.jsonl").replace("[5.67e-05, 5.82e-05]", "[5.67e-05]")
    with pytest.raises(MismatchError, match=r"t\.py::a: expected 2 values, found '1'"):
        read_trials(BLOCKS, broken)
