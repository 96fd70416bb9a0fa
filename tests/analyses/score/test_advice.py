import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

import abs_audit
from abs_audit.analyses.score import advice
from abs_audit.cli.main import app
from abs_audit.model.verdict import NoVerdictReason, Verdict
from tests.support import builders as b

SOURCES = Path(abs_audit.__file__).parent
VERDICTS = [
    *(b.method("a b", verdict) for verdict in (Verdict.MISSED, Verdict.UNREACHED)),
    *(b.method("a b", Verdict.NO_VERDICT, reason=reason.value) for reason in NoVerdictReason),
]


def parse(command: str) -> None:
    """Raise unless the command line understands it; executes nothing."""
    program, name, *options = shlex.split(command)
    assert program == "abs-audit"
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    group.commands[name].make_context(name, options)


@pytest.mark.parametrize("method", VERDICTS, ids=lambda method: f"{method.verdict} {method.reason}")
def test_every_command_that_is_advised_exists(method) -> None:  # type: ignore[no-untyped-def]
    parse(advice.next_command(method, 0.4))


def test_every_command_that_a_report_prints_exists() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*") if path.suffix in {".py", ".j2"}]
    found = {
        command.replace("%g", "60")
        for text in texts
        for command in re.findall(r'"(abs-audit [a-z]+(?: [^"{}]+)?)["]', text)
    }
    assert len(found) > 5
    for command in found:
        parse(command)


@pytest.mark.parametrize("reason", NoVerdictReason)
def test_the_reason_is_found_wherever_the_sentence_names_it_first(reason: NoVerdictReason) -> None:
    assert advice.no_verdict_reason(f"{reason}: it unfailed, then failed") is reason
    assert advice.no_verdict_reason(f"no verdict on 2 of 4 benchmarks (1 {reason}, 1 failed)") is reason


def test_a_reason_that_is_not_known_is_none() -> None:
    assert advice.no_verdict_reason("the noisy-neighbour problem") is None


def test_a_detected_method_needs_no_command() -> None:
    assert advice.next_command(b.method("m"), 0.4) == ""
    assert advice.plan([b.method("m")], 0.4) == []


def test_a_missed_method_with_a_large_share_is_not_explained_by_its_share() -> None:
    sentence = advice.why(b.method("m", Verdict.MISSED, best_share=0.8), 0.4)
    assert sentence == "no benchmark showed it in every run, though up to 80% of one's time is spent in it"


def test_a_missed_method_with_a_small_share_is_explained_by_arithmetic() -> None:
    sentence = advice.why(b.method("m", Verdict.MISSED, best_share=0.22), 0.4)
    assert sentence == (
        "at most 22% of a benchmark's time is spent in it, so being 40% slower "
        "changes no benchmark by more than 8.8%; 20% are needed"
    )
