"""Every option does something: its command reads it, or it overrules a setting that is read."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_audit.analyses.compare.model import Correction
from abs_audit.analyses.compare.replication import Unit
from abs_audit.analyses.rootcause.commits.investigation import MOST_REGRESSIONS
from abs_audit.analyses.stop.rules.catalogue import RULES
from abs_audit.cli import compare, configuration, image, import_results, options, report, rootcause
from abs_audit.cli.commands import COMMANDS
from abs_audit.cli.declaring import options_of
from abs_audit.cli.options import Common
from abs_audit.config import Settings
from abs_audit.execution.image import RELEASE
from abs_audit.formats.reading import READERS
from abs_audit.model.experiment import Sandbox
from abs_audit.report.exports.formats import FORMATS

WORKS = {
    **{name: vars(command)["work"] for name, command in COMMANDS.items()},
    "config show": vars(configuration.show)["work"],
    "image build": vars(image.build)["work"],
}
ROOT = Path(options.__file__).parent.parent
SOURCES = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py") if path.name != "config.py"}
OPEN_CONTEXT = {"subject", "session", "config", "quiet", "verbose", "budget_time"}
"""What `open_context` reads for all commands."""


def groups(name: str) -> list[type]:
    return [parameter.annotation for parameter in inspect.signature(WORKS[name]).parameters.values()]


def attributes(name: str) -> set[str]:
    """Return what the file of a command reads of anything, and what those read that take groups whole."""
    module = inspect.getmodule(WORKS[name])
    assert module is not None
    source = inspect.getsource(module)
    read = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    takers = {
        "open_context(": OPEN_CONTEXT,
        "remark(": {"verbose"},
        "advised(": {"session"},
        "each_suite(": {"json"},
        "answer(": {"json", "quiet"},
        "result_files.seed(": {"config"},
        "result_files.instances(": {"source", "session", "verbose"},
        "result_files.samplings(": {"instances", "trials"},
        "methods_of(": {"methods"},
        "_promises(": {"session"},
    }
    for call, fields in takers.items():
        read |= fields if call in source else set()
    return read


def overruling(name: str) -> Iterator[str]:
    for group in groups(name):
        yield from (option.name for option in options_of(group) if option.overrules)


@pytest.mark.parametrize("name", WORKS)
def test_a_command_reads_each_of_its_options(name: str) -> None:
    declared = {option.name for group in groups(name) for option in options_of(group) if not option.overrules}
    assert set() == declared - attributes(name)


@pytest.mark.parametrize("name", WORKS)
def test_a_command_hands_on_the_settings_that_its_options_overrule(name: str) -> None:
    source = inspect.getsource(WORKS[name])
    if name == "init":
        assert "overrides((checkout, common))" in source
    elif any(overruling(name)) and "seed(common)" not in source:
        assert re.search(r"overrides\(\(|open_context\(", source)


def test_every_setting_is_read_somewhere() -> None:
    unread = [
        key
        for key in Settings.model_fields
        if not any(f"settings.{key}" in text or f'"{key}"' in text for text in SOURCES.values())
    ]
    own = (ROOT / "config.py").read_text(encoding="utf-8")
    assert [] == [key for key in unread if f"self.{key}" not in own]


def test_every_overruled_key_is_one_of_the_configuration() -> None:
    assert set() == {key for name in WORKS for key in overruling(name)} - set(Settings.model_fields)


def test_all_commands_that_measure_or_analyse_know_the_common_options() -> None:
    without = {name for name in WORKS if Common not in groups(name)}
    assert {"worker", "cache", "merge", "import", "export", "config show", "image build"} == without


def test_names_that_options_spell_are_those_that_work_knows() -> None:
    assert tuple(RULES) == options.STOPPING_RULES
    assert set(READERS) == set(import_results.FORMATS)
    assert tuple(FORMATS) == report.FORMATS
    assert tuple(unit.value for unit in Unit) == compare.UNITS
    assert tuple(correction.value for correction in Correction) == compare.CORRECTIONS
    assert tuple(level.value for level in Sandbox) == options.SANDBOX.choices
    assert (RELEASE, MOST_REGRESSIONS) == (image.RELEASE, rootcause.MOST_REGRESSIONS)
