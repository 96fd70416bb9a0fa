"""Advice goes on with the question that was asked, not with another one."""

import shlex
from pathlib import Path

from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import Verdict
from tests.analyses.score.test_advice import parse
from tests.cli.conftest import Run
from tests.support.recorded_scores import keep

ALL = ("--session", "my session.db", "--benchmarks", "*render*", "--exclude-benchmarks", "x", "--cpus", "0")


def test_what_changes_the_question_is_repeated(run: Run, checkout: Path) -> None:
    keep(checkout)
    Path(".abs-audit/session.db").rename("my session.db")
    code, out, err = run("redundancy", str(checkout), *ALL)
    assert (0, "") == (code, err)
    advice = next(line for line in out.splitlines() if line.startswith("next")).removeprefix("next").strip()
    parse(advice)
    asked = ["select", str(checkout), "--session", "my session.db", "--cpus", "0", "--benchmarks", "*render*"]
    assert {*asked, "--exclude-benchmarks", "x", "--budget", "60s"} == {*shlex.split(advice)[1:]}


def test_pages_repeat_it_and_leave_out_what_the_advised_command_does_not_take(
    run: Run, checkout: Path
) -> None:
    keep(checkout, Verdict.NO_VERDICT, explanation=Explanation(cause=Cause.BUDGET))
    session = ("--session", ".abs-audit/session.db")
    code, _, err = run("report", str(checkout), *session, "--html", "page.html", "--runner", "local")
    assert (0, "") == (code, err)
    text = Path("page.html").read_text(encoding="utf-8")
    given = f"{checkout} --runner local --session .abs-audit/session.db"
    # What the recorded score asked with is told, too.
    assert f">abs-audit score {given} --slowdown 0.5<" in text
    assert f">abs-audit stubs {given}" not in text


def test_messages_repeat_it(run: Run, checkout: Path) -> None:
    Path("mine.toml").write_text("")
    _, _, err = run("score", str(checkout), "--slowdown", "0.5", "--config", "mine.toml")
    assert err.endswith(f"abs-audit trace {checkout} --config mine.toml --downstream DIR_OR_GIT_URL")
    _, _, err = run("select", str(checkout), "--budget", "9s", "--session", "other.db")
    assert err.endswith(f"abs-audit score {checkout} --session other.db")
