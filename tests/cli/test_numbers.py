"""An option that takes a number refuses what is none, by its name."""

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--fail-under"),
        ("audit", "--fail-under"),
        ("score", "--slowdown"),
        ("score", "--timeout"),
        ("score", "--seed"),
        ("stability", "--runs"),
        ("select", "--budget"),
        ("trace", "--top"),
        ("compare", "a", "b", "--threshold"),
        ("detectable", "--regression"),
        ("detectable", "--instances"),
        ("chart", "--limits"),
        ("stop", "--cap"),
        ("rootcause", "--most"),
        ("inject", "--slowdown"),
    ],
)
@pytest.mark.parametrize("value", ["nan", "-inf", "-1", "٣"])
def test_an_option_that_is_no_number_ends_with_its_name(
    run: Run, arguments: tuple[str, ...], value: str
) -> None:
    code, out, err = run(*arguments, value)
    assert (2, "", True) == (code, out, f"{arguments[-1]} {value}: expected " in err)
