"""What a command may see, touch and use in its container is decided by its workspace and its purpose."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_audit.execution import confinement
from abs_audit.execution.confinement import Bind, Limits, binds, memory_nodes, options, user
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import Command, Workspace

LIMITS = Limits(cpus=(0,), memory=2**30)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    with workspace("a test") as opened:
        yield opened


def command(
    place: Workspace, *argv: str, network: bool = False, env: dict[str, str] | None = None
) -> Command:
    return Command(
        argv=argv, cwd=place.tree, env=env or {}, limit_s=1.0, results=None, network=network, purpose="a test"
    )


def test_measuring_is_pinned_and_cut_off_and_fetching_is_neither(place: Workspace) -> None:
    measuring, fetching = (options(command(place, network=network), LIMITS) for network in (False, True))

    assert ("none", "0") == (measuring["network_mode"], measuring["cpuset_cpus"])
    assert ("bridge", None) == (fetching["network_mode"], fetching["cpuset_cpus"])


def test_cpus_are_never_given_by_quota_and_memory_never_by_swap(place: Workspace) -> None:
    given = options(command(place), LIMITS)

    assert set() == {"nano_cpus", "cpu_quota", "cpu_period", "cpu_shares"} & set(given)
    assert (2**30, 2**30) == (given["mem_limit"], given["memswap_limit"])


def test_the_own_workspace_is_writable_and_our_notes_in_it_are_not(place: Workspace) -> None:
    (place.root / "manifest.json").write_text("[]")

    found = {bind.path: bind.read_only for bind in binds(command(place))}

    assert (False, True, True) == (
        found[place.root],
        found[place.root / "manifest.json"],
        found[Path(confinement.__file__).parents[1]],
    )


def test_another_workspace_is_seen_where_it_is_named_and_written_to_only_while_fetching(
    place: Workspace,
) -> None:
    with workspace("another") as other, workspace("a third") as third:
        named = {"PYTHONPATH": f"{place.tree}:{other.tree}"}

        measuring, fetching = (binds(command(place, network=network, env=named)) for network in (False, True))

    assert (True, False) == (
        Bind(path=other.root, read_only=True) in measuring,
        Bind(path=other.root, read_only=True) in fetching,
    )
    assert third.root not in [bind.path for bind in measuring]


def test_root_is_nobody_inside_and_everybody_else_is_who_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 0)
    inside = user()
    monkeypatch.setattr("os.getuid", lambda: 1000)
    monkeypatch.setattr("os.getgid", lambda: 100)

    assert ("65532:65532", "1000:100") == (inside, user())


def test_the_users_variables_stay_outside_but_for_those_that_fetching_needs(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    monkeypatch.setenv("PATH", "/mine")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.invalid")

    measuring, fetching = (
        options(command(place, network=network, env={"OWN": "1"}), LIMITS)["environment"]
        for network in (False, True)
    )

    assert {"HOME", "USER", "LANG", "OWN"} == set(measuring)
    assert (str(place.home), "https://index.invalid") == (measuring["HOME"], fetching["PIP_INDEX_URL"])
    assert set() == {"SECRET", "PATH"} & set(fetching)


def test_memory_comes_from_the_nodes_near_to_the_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, cpus in enumerate(["0-3,8", "4-7", ""]):
        (tmp_path / f"node{number}").mkdir()
        (tmp_path / f"node{number}" / "cpulist").write_text(cpus + "\n")
    monkeypatch.setattr(confinement, "NODES", tmp_path)

    assert ["0", "0,1", "1", None] == [memory_nodes(cpus) for cpus in [(8,), (3, 4), (7,), (9,)]]
