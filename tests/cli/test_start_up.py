"""`--help` waits for nothing that only work needs."""

import subprocess
import sys

import pytest

HEAVY = frozenset(
    "scipy numpy libcst networkx docker pydantic tree_sitter rich git distributed pyarrow jinja2 jsonschema "
    "ijson psutil sqlite3 asyncio".split()
)
PROGRAM = """
import sys
sys.argv = ["abs-audit", *{arguments!r}]
try:
    from abs_audit.cli.main import main
    main()
except SystemExit:
    pass
print("modules", *sorted({{name.partition(".")[0] for name in sys.modules}}))
print("ours", *sorted(name for name in sys.modules if name.startswith("abs_audit.")))
"""
OURS = ("abs_audit.advising", "abs_audit.cli", "abs_audit.errors", "abs_audit.quantities", "abs_audit.report")
"""What may be imported for help; of `report` its names of formats, for the rest needs rich."""


def imported(*arguments: str) -> tuple[set[str], set[str]]:
    """Return the top-level modules, and those of ours, that a command line imports."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, modules, ours = done.stdout.splitlines()
    return set(modules.split()[1:]), set(ours.split()[1:])


PARSER = frozenset({"pydantic"})
"""What typer itself imports to read the options of a command."""


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [(("--version",), frozenset()), (("--help",), frozenset()), (("score", "--help"), PARSER)],
)
def test_help_imports_the_options_of_commands_but_not_their_work(
    arguments: tuple[str, ...], allowed: frozenset[str]
) -> None:
    modules, ours = imported(*arguments)
    assert set() == (modules & HEAVY) - allowed
    assert set() == {name for name in ours if not name.startswith(OURS)}


def test_the_version_does_not_even_wait_for_the_parser() -> None:
    assert "typer" not in imported("--version")[0]


LISTING = """
import sys
from abs_audit.analyses.stability import measure
from abs_audit.experiment import preparation
from abs_audit.languages.table import languages
languages()
print(*sys.modules)
"""


def test_benchmarks_are_listed_without_what_only_statistics_need() -> None:
    """Half of the time of a `list` that was kept went into it."""
    done = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, check=True)
    assert set() == {"scipy", "networkx", "pandas"} & set(done.stdout.split())
