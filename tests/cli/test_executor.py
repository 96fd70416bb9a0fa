"""Where a suite executes is said in few words; a wrong one is answered with what was expected."""

import pytest

from abs_audit.cli.executor import cpus
from abs_audit.errors import UsageError
from abs_audit.quantities import MEMORY, memory_bytes


@pytest.mark.parametrize(
    ("text", "expected"),
    [("16m", 2**24), ("2g", 2**31), ("2G", 2**31), ("512MB", 2**29), ("33554432", 2**25)],
)
def test_an_amount_of_memory_is_read_in_bytes(text: str, expected: int) -> None:
    assert expected == memory_bytes(MEMORY.read(text))


@pytest.mark.parametrize("text", ["", "much", "-1g", "1t", "15m", "0", "1.5g", "nan"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a size of at least 16m"):
        MEMORY.read(text)


def test_cpus_are_those_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)

    assert [(), (3,), (0, 2)] == [cpus(text) for text in (None, "3", "0,2")]
    for text in ("4", "0,9"):
        with pytest.raises(UsageError, match="this machine has CPUs 0 to 3"):
            cpus(text)
