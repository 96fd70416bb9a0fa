import pytest


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether examples are to take what rewriting yields now."""
    return bool(request.config.getoption("--accept-golden"))
