"""A score that detected nothing: there is nothing to be redundant, or to choose, and nothing is executed."""

import json
from pathlib import Path

from abs_audit.model.verdict import Verdict
from tests.cli.conftest import Run
from tests.support.recorded_scores import keep
from tests.support.schemas import validate


def test_what_notices_nothing_is_answered_at_once(run: Run, checkout: Path) -> None:
    keep(checkout, Verdict.MISSED)
    for words in (("redundancy",), ("select", "--budget", "10s")):
        code, out, err = run(words[0], str(checkout), *words[1:], "--json")
        assert 0 == code, err
        validate(json.loads(out))
        # Whatever is executed needs a copy.
        assert not Path("cache").exists()
