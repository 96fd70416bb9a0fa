"""The files that projects copy for their CI: steps are executed as a service would, but for measuring."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from abs_audit.config import Settings
from abs_audit.experiment.projects import open_projects
from tests.cli.conftest import checkout
from tests.support.repositories import git
from tests.test_docs_executed import MISSED, NOTICED, keep

__all__ = ["checkout"]  # a fixture

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "examples/gitlab-ci.yml").read_text(encoding="utf-8"))
PRETENDED = """\
#!/bin/sh
if [ "$1" = score ]; then printf '%s\\n' "$@" > "$ASKED"; exit "$SCORED"; fi
exec PROGRAM "$@"
"""
VENV = """\
#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\\necho "$@" > "$INSTALLED"\\n' > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""
"""Makes environments whose pip notes down what it is to install."""
GH = """\
#!/bin/sh
case "$*" in *--jq*) [ -z "$BEFORE" ] || printf '%s\\n' $BEFORE; exit 0 ;; esac
printf '%s\\n' "$@" > "$COMMENTED"
exit "$REFUSED"
"""
"""Knows the comments of a pull request, and notes down what becomes of which."""

Steps = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def execute(checkout: Path, tmp_path: Path) -> Steps:
    """Execute a script in a checkout that has a session, with a program that only pretends to score."""
    git(checkout, "init", "-q")
    (project,) = open_projects(checkout, Settings())
    keep(project, checkout / ".abs-audit/session.db", NOTICED, MISSED)
    for number in (1, 2):
        keep(project, checkout / f"shards/{number}.db", NOTICED, MISSED, shard=f"{number}/2")
    programs = tmp_path / "abs-audit" / "bin"
    programs.mkdir(parents=True)
    for name, text in {"abs-audit": PRETENDED, "python3": VENV, "gh": GH}.items():
        (programs / name).write_text(text.replace("PROGRAM", str(Path(sys.executable).parent / "abs-audit")))
        (programs / name).chmod(0o755)

    def run(script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            **{"SCORED": "0", "BEFORE": "", "REFUSED": "0"},
            "ABS_AUDIT_CACHE": str(tmp_path / "cache"),
            **{name: str(tmp_path / name) for name in ("ASKED", "INSTALLED", "COMMENTED")},
            **variables,
        }
        shell = ["bash", "-eo", "pipefail", "-c", script]
        return subprocess.run(
            shell, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )

    return run


def filled(text: str, known: Mapping[str, str]) -> str:
    """Return a text of a workflow with its expressions filled in: the first alternative that is not empty."""
    return re.sub(
        r"\$\{\{ (.*?) \}\}",
        lambda match: next(filter(None, (known[name] for name in match[1].split(" || "))), ""),
        text,
    )


def act(execute: Steps, tmp_path: Path, scored: str, **inputs: str) -> dict[str, Any]:
    """Execute the steps of the action one after the other, and return what they left."""
    known = {f"inputs.{name}": str(given.get("default", "")) for name, given in ACTION["inputs"].items()}
    known |= {f"inputs.{name}": value for name, value in inputs.items()}
    known |= {"github.action_path": "/the/action", "github.token": "t", "github.repository": "us/lib"}
    known |= {"github.event.pull_request.number": "5"}
    services = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    codes = {}
    for step in ACTION["runs"]["steps"]:
        if "run" in step:
            given = {name: filled(value, known) for name, value in step["env"].items()}
            (tmp_path / "GITHUB_OUTPUT").write_text("")
            done = execute(step["run"], RUNNER_TEMP=str(tmp_path), SCORED=scored, **services, **given)
            codes[step["name"]] = done.returncode
            for line in (tmp_path / "GITHUB_OUTPUT").read_text().splitlines():
                name, _, value = line.partition("=")
                known[f"steps.{step['id']}.outputs.{name}"] = value
    outputs = {name: filled(output["value"], known) for name, output in ACTION["outputs"].items()}
    return {"codes": codes, **outputs}


@pytest.mark.parametrize(("scored", "gate"), [("3", 3), ("4", 0)])
def test_the_action_scores_reports_and_fails_by_its_gate_alone(
    execute: Steps, checkout: Path, tmp_path: Path, scored: str, gate: int
) -> None:
    left = act(
        execute, tmp_path, scored, methods="my methods.txt", since="origin/main", options="--goal score"
    )
    assert {"Install": 0, "Score": 0, "Report": 0, "Comment": 0, "Gate": gate} == left["codes"]
    assert "install --quiet /the/action" == (tmp_path / "INSTALLED").read_text().strip()
    asked = ["score", ".", "--methods", "my methods.txt", "--slowdown", "0.5", "--since", "origin/main"]
    assert [*asked, "--goal", "score"] == (tmp_path / "ASKED").read_text().splitlines()
    assert "2.1.0" == json.loads((checkout / left["sarif"]).read_text())["version"]
    assert "<h1>" in (checkout / left["page"]).read_text(encoding="utf-8")
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text().startswith("<!-- abs-audit")


@pytest.mark.parametrize(
    ("before", "refused", "target"),
    [
        ("", "0", ["api", "repos/us/lib/issues/5/comments"]),
        ("77 78", "1", ["api", "--method", "PATCH", "repos/us/lib/issues/comments/77"]),
    ],
)
def test_a_comment_takes_the_place_of_the_one_before_and_fails_nothing(
    execute: Steps, tmp_path: Path, before: str, refused: str, target: list[str]
) -> None:
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == "Comment")
    given = {"SUBJECT": ".", "GH_TOKEN": "t", "REPOSITORY": "us/lib", "NUMBER": "5"}
    assert set(given) == set(step["env"])
    done = execute(step["run"], RUNNER_TEMP=str(tmp_path), BEFORE=before, REFUSED=refused, **given)
    assert (0, refused == "1") == (done.returncode, "::warning::" in done.stdout), done.stderr
    text = tmp_path / "abs-audit.md"
    assert [*target, "-F", f"body=@{text}"] == (tmp_path / "COMMENTED").read_text().splitlines()
    assert text.read_text(encoding="utf-8").startswith("<!-- abs-audit")


def test_the_workflow_of_github_gives_the_action_inputs_that_it_has() -> None:
    workflow = yaml.safe_load((ROOT / "examples/github.yml").read_text(encoding="utf-8"))
    steps = {step.get("id", ""): step for step in workflow["jobs"]["audit"]["steps"]}
    assert set(steps["audit"]["with"]) <= set(ACTION["inputs"])
    named = re.findall(r"steps\.audit\.outputs\.(\w+)", json.dumps(workflow))
    assert set() < set(named) <= set(ACTION["outputs"])


def test_the_jobs_of_gitlab_measure_a_part_each_and_put_them_together(
    execute: Steps, checkout: Path, tmp_path: Path
) -> None:
    (measure,) = GITLAB["measure"]["script"]
    assert 0 == execute(measure, CI_NODE_INDEX="2", CI_NODE_TOTAL="2").returncode
    asked = (tmp_path / "ASKED").read_text().split()
    assert ["--shard", "2/2", "--session", "shards/2.db"] == asked[-4:]
    done = execute("\n".join(GITLAB["report"]["script"]))
    assert 0 == done.returncode, done.stderr
    artifacts = GITLAB["report"]["artifacts"]
    quality = json.loads((checkout / artifacts["reports"]["codequality"]).read_text())
    assert ["pkg.parse"] == [re.findall(r"pkg\.\w+", issue["description"])[0] for issue in quality]
    assert all((checkout / path).is_file() for path in artifacts["paths"])


@pytest.mark.parametrize(("scored", "code"), [("1", 1), ("4", 0)])
def test_the_plain_script_fails_by_its_gates_alone(
    execute: Steps, checkout: Path, tmp_path: Path, scored: str, code: int
) -> None:
    done = execute(f"sh {ROOT}/examples/plain.sh methods.txt shards/1.db", SCORED=scored)
    assert code == done.returncode, done.stderr
    asked = (tmp_path / "ASKED").read_text().split()
    assert ["--fail-under", "50", "--fail-if-worse-than", "shards/1.db"] == asked[-4:]
    assert "<h1>" in (checkout / "abs-audit.html").read_text(encoding="utf-8")
