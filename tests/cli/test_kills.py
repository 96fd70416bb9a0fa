"""A sample of `benchmarks.kill_matrix`: nothing is lost, repeated or left where a command is killed."""

import pytest

from benchmarks.kill_matrix import Case, attempt
from benchmarks.kill_stations import MOMENTS, Station

SIGNALS = ("TERM", "INT", "HUP", "KILL", "KILL", "TERM")
"""One for each moment: a kill takes as long as two commands."""


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Station:
    """The fastest command on the subject that is built fastest."""
    made = Station(folder=tmp_path_factory.mktemp("kills") / "python", command="stability")
    made.build()
    return made


@pytest.mark.parametrize(("signal", "moment"), [*zip(SIGNALS, MOMENTS, strict=True)])
def test_a_command_that_was_killed_goes_on_as_if_nothing_had_happened(
    station: Station, signal: str, moment: str
) -> None:
    case = Case(language="python", command="stability", signal=signal, moment=moment, number=1)
    assert [] == attempt(station, case)["problems"]
