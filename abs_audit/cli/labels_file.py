"""Reads which counters of a run are known to be bad: one name a line, or a CSV with a column that says."""

import csv
import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.formats.given_text import entries, given_text
from abs_audit.quantities import echoed

YES, NO = frozenset({"1", "yes", "true", "bad"}), frozenset({"0", "no", "false", "good", ""})


def read(path: Path, charted: Collection[str]) -> frozenset[str]:
    """Return the counters labelled bad; raise UsageError naming the line of a name that is not charted.

    Plain text: one bad counter a line, `#` starts a comment. CSV: columns `counter` and `bad` (yes or no).
    """
    text = given_text(path, "labels")
    lines, bad = text.splitlines(), set()
    is_csv = bool(lines) and [cell.strip() for cell in next(csv.reader(lines[:1]))] == ["counter", "bad"]
    for number, name in _from_csv(path, lines) if is_csv else entries(text):
        if name not in charted:
            close = difflib.get_close_matches(name, charted, n=1)
            hint = f"did you mean {close[0]!r}?" if close else "it is not among the charted counters"
            raise UsageError(f"{path}:{number}: unknown counter {echoed(repr(name))}; {hint}")
        bad.add(name)
    return frozenset(bad)


def _from_csv(path: Path, lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(csv.reader(lines[1:]), start=2):
        if not row:
            continue
        name, label = (*(cell.strip() for cell in row), "")[:2]
        if label.lower() not in YES | NO:
            raise UsageError(f"{path}:{number}: expected yes or no under `bad`, found {echoed(repr(label))}")
        if label.lower() in YES:
            yield number, name
