"""Numbers that users spell are read in one place, and nonsense is refused in options and settings alike."""

from pathlib import Path

import pytest

from abs_audit import config, quantities
from abs_audit.errors import UsageError
from abs_audit.quantities import Kind

NUMBERS = {
    "slowdown": quantities.SLOWDOWN,
    "duration": quantities.DURATION,
    "ratio": quantities.RATIO,
    "percentage": quantities.PERCENTAGE,
    "count": quantities.COUNT,
    "runs": quantities.RUNS,
    "seed": quantities.SEED,
    "counts": quantities.COUNTS,
    "percentiles": quantities.PERCENTILES,
    "cpus": quantities.CPUS,
    "memory": quantities.MEMORY,
}
NONSENSE = [
    "nan",
    "-nan",
    "inf",
    "-inf",
    "infinity",
    "-1",
    "1e400",
    "9" * 40,
    "٣",
    "１",
    "",
    " ",
    "0x10",
    "1_0",
    "1,,2",
]


@pytest.mark.parametrize("kind", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_no_number_of_any_kind(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected "):
        kind.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (quantities.SLOWDOWN, ".5", 0.5),
        (quantities.SLOWDOWN, "2", 2.0),
        (quantities.AUTO_SLOWDOWN, "auto", "auto"),
        (quantities.DURATION, "90", 90.0),
        (quantities.DURATION, "10m", 600.0),
        (quantities.DURATION, "1.5 h", 5400.0),
        (quantities.DURATION, "250ms", 0.25),
        (quantities.RATIO, "5%", 0.05),
        (quantities.RATIO, "0", 0.0),
        (quantities.PERCENTAGE, "70%", 70.0),
        (quantities.PERCENTAGE, "100", 100.0),
        (quantities.SEED, "0", 0),
        (quantities.COUNTS, "1, 3,5,3", (1, 3, 5)),
        (quantities.PERCENTILES, "5/50/95", (5.0, 95.0)),
        (quantities.CPUS, "0, 2", "0,2"),
    ],
)
def test_a_spelling_has_one_value(kind: Kind, text: str, value: object) -> None:
    assert value == kind.read(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (quantities.SLOWDOWN, "0"),
        (quantities.SLOWDOWN, "1001"),
        (quantities.DURATION, "0"),
        (quantities.DURATION, "10 weeks"),
        (quantities.DURATION, "400d"),
        (quantities.RATIO, "1"),
        (quantities.RATIO, "100%"),
        (quantities.PERCENTAGE, "100.1"),
        (quantities.COUNT, "0"),
        (quantities.COUNT, "1.5"),
        (quantities.PERCENTILES, "60/90"),
        (quantities.MEMORY, "15m"),
        (quantities.SLOWDOWN, True),
    ],
)
def test_a_number_out_of_its_range_is_refused(kind: Kind, text: object) -> None:
    with pytest.raises(ValueError, match=r"^expected "):
        kind.read(text)


@pytest.mark.parametrize("key", ["slowdown", "iteration_s", "timeout_s", "top", "seed"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "'٣'", "true", "1e300"])
def test_a_setting_refuses_what_its_option_refuses(tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "abs-audit.toml").write_text(f"{key} = {value}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"{key} = .*: expected "):
        config.load(tmp_path, None, {})
