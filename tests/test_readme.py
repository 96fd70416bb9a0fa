"""The README tells the truth: its commands exist, and so does everything that it points at."""

import re
from pathlib import Path

from abs_audit.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_every_command_stands_in_the_readme() -> None:
    named = set(re.findall(r"`([a-z]+)\b[^`]*`", README))
    assert set() == set(COMMANDS) - named


def test_every_link_into_the_project_leads_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", README) if "://" not in target]
    assert [] == [target for target in targets if not (ROOT / target).exists()]


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make (\w+)`|^make (\w+)", README, re.MULTILINE):
        assert f"\n{''.join(target)}:" in makefile
