"""An image is made by a recipe; what this machine lacks for it is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.execution import image
from abs_audit.execution.local import LocalExecutor
from abs_audit.model.experiment import Command, Execution
from tests.support.executions import ended


class Answering:
    """Ends the commands that it is asked for with prepared outputs, and remembers them."""

    def __init__(self, *endings: tuple[int, str]) -> None:
        self.endings = list(endings)
        self.asked: list[tuple[str, ...]] = []

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        self.asked.append(command.argv)
        code, output = self.endings.pop(0)
        return ended(code, output, output)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("language", image.known())
def test_every_language_has_a_dockerfile_on_any_base_and_a_recipe(language: str) -> None:
    text = (image.folder(language) / "Dockerfile").read_text()

    assert text.index("ARG BASE=") < text.index("FROM ${BASE}")
    assert image.recipe(language).packages


def test_an_unknown_language_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="expected one of go, java, python"):
        image.folder("cobol")


def test_wishes_are_added_to_the_recipe(cache: Path) -> None:
    executor = Answering((0, ""))

    image.bootstrap("python", executor, packages=("gcc",), release="trixie", mirror="https://m.invalid")

    assert [
        (
            "mmdebstrap",
            "--variant=minbase",
            "--include=python3-venv,ca-certificates,gcc",
            "trixie",
            str(cache / "images" / "python.tar"),
            "https://m.invalid",
        )
    ] == executor.asked


def test_a_toolchain_of_this_machine_is_copied(tmp_path: Path) -> None:
    executor = Answering((0, f"{tmp_path}\n"), (0, ""))

    image.bootstrap("go", executor)

    assert ("go", "env", "GOROOT") == executor.asked[0]
    assert f"--customize-hook=sync-in {tmp_path} /usr/local/go" in executor.asked[1]


@pytest.mark.parametrize("answer", [(0, "/no/such/folder\n"), (1, "")])
def test_a_toolchain_that_is_not_there_is_missed(answer: tuple[int, str]) -> None:
    with pytest.raises(UnfitEnvironmentError, match="go env GOROOT: expected the folder of a toolchain"):
        image.bootstrap("go", Answering(answer))


def test_a_bootstrap_that_fails_leaves_no_archive_and_its_last_words(cache: Path) -> None:
    with pytest.raises(UnfitEnvironmentError, match="E: no such release"):
        image.bootstrap("python", Answering((25, "I: trying\nE: no such release\n")))

    assert [] == list((cache / "images").glob("*.tar"))


def test_without_the_bootstrap_program_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UnfitEnvironmentError, match="as root: apt-get install mmdebstrap"):
        image.bootstrap("python", LocalExecutor())
