import ast
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

import abs_audit
from abs_audit.analyses.score import advice
from abs_audit.cli.commands import app
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import Verdict
from tests.support import builders as b

SOURCES = Path(abs_audit.__file__).parent
VERDICTS = [
    *(b.method("a b", verdict) for verdict in (Verdict.MISSED, Verdict.UNREACHED)),
    *(b.method("a b", Verdict.NO_VERDICT, explanation=Explanation(cause=cause)) for cause in Cause),
]


def parse(command: str) -> None:
    """Raise unless the command line understands it; executes nothing."""
    program, name, *options = shlex.split(command)
    assert program == "abs-audit"
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    group.commands[name].make_context(name, options)


@pytest.mark.parametrize("method", VERDICTS, ids=lambda method: f"{method.verdict} {method.cause}")
def test_every_command_that_is_advised_exists(method) -> None:  # type: ignore[no-untyped-def]
    parse(advice.next_command(method, b.score(method, b.method("n"))))


def test_every_command_that_a_report_prints_exists() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*") if path.suffix in {".py", ".j2"}]
    found = {
        command
        for text in texts
        for words in re.findall(r"advised\(((?:([\"'])[^\"']+\2(?:, )?)+)\)", text)
        for command in [f"abs-audit {' '.join(ast.literal_eval(f'[{words[0]}]'))}"]
    }
    assert len(found) > 12
    for command in found:
        parse(command)


def test_a_detected_method_needs_no_command() -> None:
    assert advice.next_command(b.method("m"), b.score(b.method("m"))) == ""
    assert advice.plan(b.score(b.method("m"))) == []


@pytest.mark.parametrize(("others", "helps"), [(["n"], "score"), ([], "inject")])
def test_what_probes_change_is_asked_without_those_of_others(others: list[str], helps: str) -> None:
    """Of stats thirteen benchmarks were 2 to 6 times as slow with 188 methods probed."""
    changed = b.method("m", Verdict.NO_VERDICT, explanation=Explanation(cause=Cause.CHANGED_BY_PROBE))
    score = b.score(changed, *(b.method(name) for name in others), slowdown=0.4)
    ((command, purpose),) = advice.plan(score)
    assert command.startswith(f"abs-audit {helps} --method m --slowdown 0.4")
    assert purpose.endswith(" 1 method")


def test_a_command_for_one_method_stands_for_those_of_others() -> None:
    """Of stats thirteen stood below each other."""
    explanation = Explanation(cause=Cause.CHANGED_BY_PROBE)
    methods = [b.method(name, Verdict.NO_VERDICT, explanation=explanation) for name in ("m.a", "m.b")]
    ((command, purpose),) = advice.plan(b.score(*methods))
    assert "--method m.a" in command
    assert purpose.endswith(" about the first of 2 methods")


def test_only_where_benchmarks_may_fail_people_are_sent_to_look_for_failures() -> None:
    sent = {
        cause
        for cause in Cause
        for method in [b.method("m", Verdict.NO_VERDICT, explanation=Explanation(cause=cause))]
        if advice.next_command(method, b.score(method)) == "abs-audit list"
    }
    assert Cause.FAILED in sent
    assert set() == {Cause.UNCERTAIN_SHARE, Cause.OTHER_THREADS, Cause.OTHER_PROCESSES, Cause.NOISY} & sent
