"""The pages of the reference and the manual page, from the declarations that the program itself reads."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from abs_audit import __version__
from abs_audit.cli import configuration, image
from abs_audit.cli.command import explanations, groups
from abs_audit.cli.commands import COMMANDS
from abs_audit.cli.declaring import Declared, options_of
from abs_audit.config import PREFIX, Settings
from abs_audit.errors import ExitCode
from abs_audit.model.accepted import AcceptedEntry
from abs_audit.model.subject import SourceBuild

HERE = Path(__file__).parent
SCHEMAS = Path("abs_audit", "report", "schemas")

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
NEXT = {
    ExitCode.DONE: "Every question has an answer, which may be 0 %: only `--fail-under` makes a gate of it.",
    ExitCode.GATE_FAILED: "`--fail-under`, `--fail-if-worse-than` or `--fail-on-regression` was given.",
    ExitCode.USAGE: "The message names the option, key or line, what was expected, and close names.",
    ExitCode.CONTROL_FAILED: "Make the suite run by its own tool first; the message holds what it said.",
    ExitCode.INCOMPLETE: "No pass and no failure: the answer names causes. The same command goes on.",
    ExitCode.MISMATCH: "A truncated or foreign result file, or changed sources: the message names them.",
    ExitCode.UNFIT: "A toolchain, container engine, space or a library is missing: `abs-audit doctor`.",
    ExitCode.BUG: "Please report it, with the log file. What was recorded before is kept.",
    ExitCode.INTERRUPTED: "Ctrl-C. Trials that were complete are recorded.",
    ExitCode.UNREAD: "A pipe was closed early, as by `head`.",
    ExitCode.TERMINATED: "SIGTERM, as at a limit of CI: `--budget-time` ends in time with what is known.",
}
CONFIGURATION = """\
# Configuration

Nothing has to be configured. `abs-audit init` writes `abs-audit.toml` with every key explained. The same
keys may stand in `pyproject.toml` under `[tool.abs-audit]`, but not in both files. An option of the command
line wins over an environment variable (`{prefix}` and the key in capitals; lists with commas), a variable
over the file, the file over the default. `abs-audit config show --origin` says what is in force, and why.
An unknown key is an error, which names a close one.

{settings}

## A JMH suite without Maven or Gradle

`[java]` in `abs-audit.toml`, `[tool.abs-audit.java]` in `pyproject.toml`:

{java}

## Findings and methods to live with

`[[accept]]`, or `[[tool.abs-audit.accept]]`, as often as needed. `id` is what `abs-audit lint` calls the
finding (`RULE:FILE:BENCHMARK`, or `rot:BENCHMARK` for one that does not work), or a method. A method that
is accepted counts in the score as any other, but it is no finding of a review (`report --format`) and fails
no `--fail-if-worse-than`. `until` is the last day on which that holds:

{accept}
"""
DOCUMENTS = """\
# JSON documents

What `--json` prints, from the JSON Schemas that ship in the package. What values mean:
[formats](formats.md). `[]` stands for each entry of a list, `{}` for each value of an object of any keys.
"""
ABOUT = "Would your benchmark suite notice if a method that your users depend on became slower?"


def works() -> dict[str, Callable[..., int]]:
    """Return every command by its whole name."""
    return {**COMMANDS, "config show": configuration.show, "image build": image.build}


def options(command: Callable[..., int]) -> list[Declared]:
    """Return the options of a command; arguments first."""
    declared = [option for group in groups(command) for option in options_of(group)]
    return sorted(declared, key=lambda option: not option.is_argument)


def spelled(option: Declared) -> str:
    """Return how an option is written: its flags and what follows them."""
    value = "" if option.kind is None else option.metavar or option.kind.metavar
    return " ".join(filter(None, (", ".join(option.flags), value)))


def commands() -> str:
    """Return the page of commands."""
    parts = [
        "# Commands\n",
        "Written by `make docs` from the program itself; `abs-audit COMMAND --help` says the same.",
        "What the program ends with: [exit codes](exit-codes.md).\n",
    ]
    for name, command in works().items():
        parts += [
            f"## abs-audit {name}\n",
            f"{_summary(command)}\n",
            "| option | meaning | default |",
            "|---|---|---|",
        ]
        parts += [
            f"| `{_cell(spelled(option))}` | {_cell(option.explained)} "
            f"| {f'`{_cell(option.shown)}`' if option.shown else ''} |"
            for option in options(command)
        ]
        parts.append("")
    return "\n".join(parts)


def exit_codes() -> str:
    """Return the page of exit codes."""
    parts = [
        "# Exit codes\n",
        "The same for every command. A script may rely on them.\n",
        "| code | meaning | and then |",
        "|---|---|---|",
    ]
    parts += [f"| {code.value} | {meaning} | {NEXT[code]} |" for code, meaning in EXITS.items()]
    return "\n".join(parts) + "\n"


def settings() -> str:
    """Return the page of the configuration: every key of the file with its type and default."""
    tables = {"settings": Settings, "java": SourceBuild, "accept": AcceptedEntry}
    return CONFIGURATION.format(
        prefix=PREFIX, **{name: "\n".join(_keys(model)) for name, model in tables.items()}
    )


def _keys(model: type[BaseModel]) -> Iterator[str]:
    """Yield a table of a model's keys, as its JSON Schema has them."""
    schema, overruled = model.model_json_schema(), explanations(COMMANDS.values())
    yield from ("| key | type | default | meaning |", "|---|---|---|---|")
    for key, part in schema["properties"].items():
        kind = _type(part, schema).removesuffix(" or null")
        default = "required" if key in schema.get("required", ()) else _default(part.get("default"))
        meaning = part.get("description") or overruled.get(key, "")
        yield f"| `{key}` | {_cell(kind)} | {default} | {_cell(meaning)} |"


def _default(value: Any) -> str:
    return "" if value in (None, [], {}) else f"`{json.dumps(value)}`"


def documents() -> str:
    """Return the page of the JSON documents: every key of each with its type."""
    parts = [DOCUMENTS]
    for path in sorted((HERE.parent / SCHEMAS).glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        parts += [
            f"## {path.name.removesuffix('.schema.json')}\n",
            f"{schema['title']}. [Schema](../{SCHEMAS}/{path.name}).\n",
            "| key | type |",
            "|---|---|",
            *(f"| `{key}` | {_cell(kind)} |" for key, kind in _flat(schema, schema, "")),
            "",
        ]
    return "\n".join(parts)


def _flat(part: Mapping[str, Any], schema: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    """Yield the keys below a part of a schema, dotted, and what stands there."""
    for key, value in part.get("properties", {}).items():
        path = f"{above}{key}"
        yield path, _type(value, schema)
        for alternative in value.get("anyOf", [value]):
            inner = _resolved(alternative, schema)
            for within, mark in (
                (inner, ""),
                (inner.get("items"), "[]"),
                (inner.get("additionalProperties"), ".{}"),
            ):
                if isinstance(within, dict):
                    yield from _flat(_resolved(within, schema), schema, f"{path}{mark}.")


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference within the schema stands for; a reference to another file as it is."""
    name = str(part.get("$ref", "")).removeprefix("#/$defs/")
    resolved: Mapping[str, Any] = schema.get("$defs", {}).get(name, part)
    return resolved


def _type(part: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return in words what a value may be."""
    if "anyOf" in part:
        return " or ".join(_type(alternative, schema) for alternative in part["anyOf"])
    reference = str(part.get("$ref", ""))
    if reference.endswith(".schema.json"):
        return f"[{reference.removesuffix('.schema.json')}](#{reference.removesuffix('.schema.json')})"
    part = _resolved(part, schema)
    if "enum" in part or "const" in part:
        return ", ".join(f"`{value}`" for value in part.get("enum", [part.get("const")]))
    kind = str(part.get("type", "any"))
    if kind == "array":
        return f"list of {_type(part['items'], schema)}" if "items" in part else "list"
    return kind


def manual() -> str:
    """Return the manual page, for `man`."""
    lines = [f'.TH ABS-AUDIT 1 "" "abs-audit {__version__}"', ".SH NAME", f"abs-audit \\- {_roff(ABOUT)}"]
    lines += [".SH SYNOPSIS", ".B abs-audit", "COMMAND [SUBJECT] [options]", ".SH COMMANDS"]
    for name, command in works().items():
        lines += [f".SS {_roff(name)}", _roff(_summary(command))]
        for option in options(command):
            told = f"{option.explained} (default: {option.shown})" if option.shown else option.explained
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


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands,
    "configuration.md": settings,
    "exit-codes.md": exit_codes,
    "schemas.md": documents,
    "abs-audit.1": manual,
}


def main() -> None:
    """Write all of them beside this file."""
    for name, text in PAGES.items():
        (HERE / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
