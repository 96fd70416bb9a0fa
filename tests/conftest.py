"""What all tests share, and how they are dealt out to processes."""

import os
import re
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.golden import check

TESTS = Path(__file__).parent
MEASURING = ("containers/", "cli/test_known")
"""What executes suites until their methods have verdicts, the first of it by one container engine.

Each in one process: the more of them measure at once, the more each has to repeat.
"""
LONGEST = (
    *MEASURING,
    "execution/test_cluster",
    "languages/java/",
    "languages/go/",
    "injectors/java/",
    "tracers/",
    "injectors/go/",
    "languages/python/",
    "cli/test_rootcause.py",
    "test_types.py",
)
"""What takes long, longest first: begun last it would keep one process busy after the others."""

# How long an example takes says what else the machine does.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept-golden", action="store_true", help="take what the program says now as what it should say"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than there are processors.

    What executes real suites waits for processes and containers to start for half of its time.
    """
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Begin with what takes longest; what shares a fixture of a module stays in one process.

    A wrapper, since xdist reads the groups in a hook of its own that comes before every other one.
    """
    items.sort(key=_turn)
    for item in items:
        group = _group(item)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))
    result = yield
    grouped = [item for item in items if _group(item)]
    if config.getoption("loadgroup", False) and any("@" not in item.nodeid for item in grouped):
        raise pytest.UsageError("the groups of tests got lost: this pytest and this pytest-xdist disagree")
    return result


def _turn(item: pytest.Item) -> int:
    place = _place(item)
    return next((number for number, start in enumerate(LONGEST) if place.startswith(start)), len(LONGEST))


def _place(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).as_posix()


def _group(item: pytest.Item) -> str | None:
    """Return what must share a process: what measures, and each file with fixtures of its module."""
    if named := item.get_closest_marker("xdist_group"):
        return str(named.args[0])
    place = _place(item)
    measuring = next((start for start in MEASURING if place.startswith(start)), None)
    if measuring:
        return measuring
    shared = (
        definition
        for definitions in item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]
        for definition in definitions
        if definition.scope != "function" and definition.baseid.startswith("tests/")
    )
    return place if any(shared) else None


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name beside the test."""
    folder = Path(request.path).parent / "golden"
    accept = bool(request.config.getoption("--accept-golden"))

    def compare(name: str, actual: str) -> None:
        # What people read and paste holds nothing that nobody sees.
        assert not name.endswith((".txt", ".md")) or not re.findall(r"[ \t]+$", actual, re.MULTILINE)
        check(folder / name, actual, accept=accept)

    return compare
