"""`doctor` says whether this machine's noise is good or bad, and what to do about it."""

import json
from pathlib import Path

import pytest

from abs_audit.analyses.doctor import measure
from abs_audit.analyses.doctor.model import Noise
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("typical", "largest", "verdict", "advice"),
    [
        (0.005, 0.05, "good", "slowdowns from 5 % on"),
        (0.005, 0.5, "fair", "slowdown of 0.2 or more"),
        (0.05, 0.1, "fair", "slowdown of 0.2 or more"),
        (0.05, 3.0, "bad", "pin with --cpus"),
        (0.3, 0.4, "bad", "pin with --cpus"),
    ],
)
def test_noise_has_a_verdict_and_an_advice(typical: float, largest: float, verdict: str, advice: str) -> None:
    noise = Noise(typical=typical, largest=largest)
    assert (verdict, True) == (noise.verdict, advice in noise.answer)


def test_a_checkout_is_looked_at_too(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_engine", lambda: ("none", {}))
    (tmp_path / "lib").mkdir()
    code, out, _ = run("doctor", "lib", "--json")
    document = json.loads(out)
    assert (0, False) == (code, document["promises"]["the checkout has a suite"])
    assert "no benchmark suite found" in document["subject"]["suites"]


def test_a_suite_that_is_given_as_sources_is_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "_engine", lambda: ("none", {}))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "abs-audit.toml").write_text("[java]\nsources = ['src']\n")
    _, out, _ = run("doctor", "lib", "--json")
    assert json.loads(out)["promises"]["the checkout has a suite"]


def test_quiet_tells_noise_and_what_does_not_hold(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_engine", lambda: ("none", {"suites fly": False}))
    _, out, _ = run("doctor", "-q")
    assert ["Noise", "DOES"] == [line.split()[0] for line in out.splitlines()][:2]
