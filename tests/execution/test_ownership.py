"""A container is abandoned once its owner is dead or its lease is over, and not before."""

import os
import subprocess
import sys

import pytest

from abs_audit.execution.ownership import EXPIRES, GRACE_S, OWNER, is_abandoned, labels, owner

NOW_S = 1000.0


def marks(identity: object, expires_s: float = NOW_S + 1) -> dict[str, str]:
    return {OWNER: str(identity), EXPIRES: str(int(expires_s))}


def test_the_container_of_a_living_process_is_not_abandoned() -> None:
    assert not is_abandoned(marks(owner()), NOW_S)


def test_a_lease_that_is_over_frees_even_what_a_living_process_owns() -> None:
    assert is_abandoned(marks(owner(), NOW_S - 1), NOW_S)


def test_the_owner_is_dead_once_its_process_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = owner(process.pid)
    alive = is_abandoned(marks(identity), NOW_S)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    zombie = is_abandoned(marks(identity), NOW_S)
    process.communicate()

    assert [False, True, True] == [alive, zombie, is_abandoned(marks(identity), NOW_S)]


def test_a_later_process_with_the_same_number_is_not_the_owner() -> None:
    host, pid, _ = owner().rsplit("/", 2)

    assert is_abandoned(marks(f"{host}/{pid}/0"), NOW_S)


@pytest.mark.parametrize("identity", ["another-start/pid:[1]/1/1", "", "nonsense"])
def test_of_owners_elsewhere_nothing_is_known_but_their_lease(identity: str) -> None:
    assert not is_abandoned(marks(identity), NOW_S)
    assert is_abandoned(marks(identity, NOW_S - 1), NOW_S)


def test_a_lease_outlasts_the_limit_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: NOW_S)

    assert {OWNER: owner(), EXPIRES: str(int(NOW_S + 5 + GRACE_S))} == labels(5.0)
