from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.golden import check


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept-golden", action="store_true", help="take what the program says now as what it should say"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name beside the test."""
    folder = Path(request.path).parent / "golden"
    accept = bool(request.config.getoption("--accept-golden"))
    return lambda name, actual: check(folder / name, actual, accept=accept)
