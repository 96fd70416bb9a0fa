"""The reference of commands and the manual page, from the declarations that the program itself reads."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from abs_audit import __version__
from abs_audit.cli import configuration, image
from abs_audit.cli.command import groups
from abs_audit.cli.commands import COMMANDS
from abs_audit.cli.declaring import Declared, options_of
from abs_audit.errors import ExitCode

EXITS = {
    ExitCode.DONE: "done",
    ExitCode.GATE_FAILED: "a gate failed",
    ExitCode.USAGE: "usage or configuration",
    ExitCode.CONTROL_FAILED: "the unslowed suite does not build or run",
    ExitCode.INCOMPLETE: "incomplete: some cells have no verdict",
    ExitCode.MISMATCH: "results do not match each other or the sources",
    ExitCode.UNFIT: "this machine lacks something",
    ExitCode.BUG: "a bug of abs-audit; the log file is named",
    ExitCode.INTERRUPTED: "interrupted; the same command goes on from there",
    ExitCode.UNREAD: "nobody reads the output any more",
    ExitCode.TERMINATED: "terminated; the same command goes on from there",
}
ABOUT = "Would your benchmark suite notice if a method that your users depend on became slower?"


def works() -> dict[str, Callable[..., int]]:
    """Return every command by its whole name."""
    return {**COMMANDS, "config show": configuration.show, "image build": image.build}


def options(command: Callable[..., int]) -> Iterator[tuple[Declared, str]]:
    """Yield each option of a command with its default as help shows it; arguments first."""
    declared = [each for group in groups(command) for each in options_of(group)]
    for _, option, default in sorted(declared, key=lambda each: bool(each[1].flags)):
        shown = option.shown or ("" if default in (None, (), False) else str(default))
        yield option, shown


def spelled(option: Declared) -> str:
    """Return how an option is written: its flags and what follows them."""
    value = "" if option.kind is None else option.metavar or option.kind.metavar
    return " ".join(filter(None, (", ".join(option.flags.split()), value)))


def markdown() -> str:
    """Return the reference."""
    parts = [
        "# Commands\n",
        "Written by `make docs` from the program itself; `abs-audit COMMAND --help` says the same.\n",
    ]
    for name, command in works().items():
        parts += [
            f"## abs-audit {name}\n",
            f"{_summary(command)}\n",
            "| option | meaning | default |",
            "|---|---|---|",
        ]
        parts += [
            f"| `{_cell(spelled(option))}` | {_cell(option.help)} | {f'`{_cell(shown)}`' if shown else ''} |"
            for option, shown in options(command)
        ]
        parts.append("")
    parts += ["## Exit codes\n", "| code | meaning |", "|---|---|"]
    parts += [f"| {code.value} | {meaning} |" for code, meaning in EXITS.items()]
    return "\n".join(parts) + "\n"


def manual() -> str:
    """Return the manual page, for `man`."""
    lines = [f'.TH ABS-AUDIT 1 "" "abs-audit {__version__}"', ".SH NAME", f"abs-audit \\- {_roff(ABOUT)}"]
    lines += [".SH SYNOPSIS", ".B abs-audit", "COMMAND [SUBJECT] [options]", ".SH COMMANDS"]
    for name, command in works().items():
        lines += [f".SS {_roff(name)}", _roff(_summary(command))]
        for option, shown in options(command):
            told = f"{option.help} (default: {shown})" if shown else option.help
            lines += [".TP", f".B {_roff(spelled(option))}", _roff(told)]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXITS.items():
        lines += [".TP", f".B {code.value}", _roff(meaning)]
    return "\n".join(lines) + "\n"


def _summary(command: Callable[..., int]) -> str:
    return (command.__doc__ or "").strip().split("\n")[0]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _roff(text: str) -> str:
    """Return text that roff does not read as a request."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def main() -> None:
    """Write both below the folder that is named."""
    folder = Path(sys.argv[1])
    (folder / "commands.md").write_text(markdown(), encoding="utf-8")
    (folder / "abs-audit.1").write_text(manual(), encoding="utf-8")


if __name__ == "__main__":
    main()
