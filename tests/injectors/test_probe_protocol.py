"""The protocol between the program and its probes: one set of names and constants on all sides."""

import re
from pathlib import Path

import pytest

from abs_audit.languages.probe_protocol import (
    BASELINE,
    INTERRUPTION_NS,
    Setting,
    probe_settings,
    probe_settings_in_turns,
)
from abs_audit.model.experiment import UNPROBED, Arm, Mode

ROOT = Path(__file__).parents[2]
LANGUAGES = ("python", "go", "java")
CONTROL = Arm(mode=Mode.CONTROL, methods=("a", "b"), slowed=None, delay_ns=0.0, batch=7, label="control")
SLOWED = Arm(mode=Mode.DELAY, methods=("a",), slowed="a", delay_ns=2.5, batch=7, label="", control_s=1.5)


def texts(folder: str) -> list[str]:
    """Return the sources below a folder, without what Python compiled of them."""
    suffixes = {".py", ".go", ".java"}
    return [path.read_text("utf-8") for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]


def spoken(*folders: str) -> set[str]:
    return {
        name
        for folder in folders
        for text in texts(folder)
        for name in re.findall(r'"(ABS_PROBE_[A-Z_]*[A-Z])"', text)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_probes_and_drivers_use_no_other_names(language: str) -> None:
    names = spoken(f"injectors/{language}/probe", f"abs_audit/languages/{language}/suites/driver")
    assert names <= set(Setting)
    assert {Setting.MODE, Setting.METHODS, Setting.SLOWED, Setting.BATCH, Setting.TALLY} <= names


def test_the_page_tells_every_name() -> None:
    page = (ROOT / "docs/probe-protocol.md").read_text("utf-8")
    assert set(Setting) <= set(re.findall(r"`(ABS_PROBE_[A-Z_]*[A-Z])`", page))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_interruption_counts_as_much_in_every_probe(language: str) -> None:
    numbers = [
        float(number)
        for text in texts(f"injectors/{language}/probe")
        for number in re.findall(r"(?i)interruption_?ns += (\S+?);?\n", text)
    ]
    assert [INTERRUPTION_NS] == numbers


def test_an_arm_is_told_what_its_mode_needs() -> None:
    assert {"ABS_PROBE_MODE": "off"} == probe_settings(UNPROBED)
    assert {
        "ABS_PROBE_MODE_3": "delay",
        "ABS_PROBE_METHODS_3": "a",
        "ABS_PROBE_SLOWED_3": "a",
        "ABS_PROBE_DELAY_NS_3": "2.5",
        "ABS_PROBE_BATCH_3": "7",
        "ABS_PROBE_CONTROL_NS_3": "1500000000.0",
    } == probe_settings(SLOWED, 3)


def test_arms_in_turns_are_told_apart_by_their_number() -> None:
    told = probe_settings_in_turns([CONTROL, SLOWED], [BASELINE, 0, 1, 1, 0])
    assert {
        "ABS_PROBE_TURNS": "- 0 1 1 0",
        "ABS_PROBE_MODE_0": "control",
        "ABS_PROBE_METHODS_0": "a\nb",
        "ABS_PROBE_BATCH_0": "7",
    } | probe_settings(SLOWED, 1) == told
