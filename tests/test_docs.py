"""The documentation tells the truth: what it types is understood, what it names is there, its Python runs."""

import ast
import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

import abs_audit
from abs_audit import scripting
from abs_audit.analyses.score.document import CellPart
from abs_audit.cli.command import _read, groups
from abs_audit.cli.commands import app
from abs_audit.experiment.session import Session
from abs_audit.formats.sample import Sample
from abs_audit.model.verdict import Verdict
from abs_audit.report.exports.tables import PLAIN_COLUMNS
from docs import reference
from tests.support.builders import cell
from tests.support.recorded_scores import record, session

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").iterdir())]
GENERATED = {"commands.md"}
NAVIGATION = re.findall(r"^ +- (?:.*: )?([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
NAMES = "|".join(dict.fromkeys(name.split()[0] for name in reference.works()))
LINE = re.compile(rf"^(?:\s*|\$ |\s*- run: )(abs-audit (?:{NAMES})(?: .*)?)$")
CODE = re.compile(rf"`(abs-audit (?:{NAMES})(?: [^`]*)?)`")
PLACEHOLDER = re.compile(r"[A-Z][A-Z_/…|]*…?$")
PROGRAM: Any = typer.main.get_command(app)


def command_lines() -> list[Any]:
    """Return every command line of every page, without comments and what a shell does with its output."""
    found = []
    for page in PAGES:
        text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
        for line in text.split("\n"):
            typed = [match[1] for match in [LINE.match(line)] if match] or CODE.findall(line)
            for each in typed if page.name not in GENERATED else ():
                words = shlex.split(re.split(r"\s(?:#|>|\||&&|\|\|)\s?|;", each)[0])
                found.append(pytest.param(words, id=f"{page.name}: {' '.join(words)}"))
    return found


def parsed(words: list[str]) -> tuple[Any, dict[str, Any]]:
    """Return the command that a line calls, and the options that it gives; raise where it is nonsense."""
    group, rest = PROGRAM, words[1:]
    while hasattr(group, "commands"):
        command = group.commands.get(rest[0])
        assert command is not None, f"no command {rest[0]}"
        group, rest = command, rest[1:]
    name = " ".join(words[1 : len(words) - len(rest)])
    return reference.works()[name], group.make_context(name, list(rest)).params


@pytest.mark.parametrize("words", command_lines())
def test_the_program_understands_every_command_line(words: list[str]) -> None:
    command, given = parsed([word for word in words if word != "…"])
    complaints: list[str] = []
    for group in groups(command):
        _read(group, given, complaints)
    # A word in capitals stands for a value; a command named by itself need not be whole.
    options = [said for said in complaints if said.startswith("-")]
    assert [] == [said for said in options if not PLACEHOLDER.search(said.split(":")[0])]


def test_a_wrong_command_line_would_be_seen() -> None:
    with pytest.raises(Exception, match="No such option: --slow"):
        parsed(["abs-audit", "score", "--slow", "3"])
    assert len(command_lines()) > 20


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_what_the_program_says(name: str) -> None:
    told = reference.PAGES[name]()
    assert told == (ROOT / "docs" / name).read_text(encoding="utf-8"), "anew: python docs/reference.py"


def test_every_page_stands_in_the_navigation_of_the_site_once() -> None:
    docs = ROOT / "docs"
    names = [path.relative_to(docs) for suffix in ("md", "ipynb") for path in docs.rglob(f"*.{suffix}")]
    pages = [name.with_suffix(".md").as_posix() for name in names if name.parts[0] != "decisions"]
    assert sorted(pages) == sorted(NAVIGATION)


def test_every_link_of_a_page_leads_somewhere() -> None:
    assert [] == [
        f"{page.relative_to(ROOT)}: {target}"
        for page in [*PAGES, *(ROOT / "docs").rglob("*.ipynb")]
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not leads(page, target)
    ]


def leads(page: Path, target: str) -> bool:
    """Tell whether a relative link leads to a file and, where it names a heading, to that one."""
    path, _, heading = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists() or not heading:
        return file.exists()
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-") for text in headings}


def test_a_link_that_leads_nowhere_would_be_seen() -> None:
    page = ROOT / "docs" / "schemas.md"
    assert [True, False, False] == [
        leads(page, target) for target in ("#score", "#no-such-document", "no-such-page.md")
    ]


def test_the_site_loads_nothing_from_elsewhere() -> None:
    """Unless told not to, mkdocs-material asks a font service, and a host of scripts for `offline`."""
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "\n  font: false\n" in told
    (script,) = re.findall(r"polyfills: \[(.*iframe-worker.*)\]", told)
    assert (ROOT / "docs" / script).is_file()


def test_every_function_that_the_methods_name_is_there() -> None:
    named = re.findall(
        r"`((?:[a-z_0-9]+\.)+\w+)`", (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    )
    assert len(named) > 50
    assert [] == [name for name in named if not is_there(name.split("."))]


def is_there(parts: list[str]) -> bool:
    """Tell whether a dotted name is a module of ours, or something that one defines."""
    for length in range(len(parts), 0, -1):
        path = Path(abs_audit.__file__).parent.joinpath(*parts[:length])
        if path.with_suffix(".py").is_file():
            body: Any = ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))
            for name in parts[length:]:
                inside = [node for node in ast.walk(body) if getattr(node, "name", None) == name]
                if not inside:
                    return False
                body = inside[0]
            return True
    return False


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a session where the pages open one."""
    monkeypatch.chdir(tmp_path)
    path = session(
        tmp_path / ".abs-audit" / "session.db",
        record(cell("lib.render", "a"), cell("lib.parse", "a", Verdict.MISSED)),
    )
    opened = Session(path)
    opened.add_samples("x.csv", [Sample(benchmark="a", values=(1.0, 2.0))])
    opened.close()


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_was_executed_and_its_code_runs(path: Path) -> None:
    """Cells that need pandas are executed where it is; elsewhere the columns that they name are looked up."""
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (4, True) == (book["nbformat"], path.stat().st_size < 200_000)
    parts = [part for part in book["cells"] if part["cell_type"] == "code"]
    assert list(range(1, len(parts) + 1)) == [part["execution_count"] for part in parts]
    assert [] == [output for part in parts for output in part["outputs"] if output["output_type"] == "error"]
    names: dict[str, Any] = {}
    for part in parts:
        code = "".join(part["source"])
        if "pandas" not in part["metadata"].get("tags", ()) or importlib.util.find_spec("pandas"):
            exec(code, names)
        else:
            assert set() == columns_of(code) - {*CellPart.model_fields, *PLAIN_COLUMNS}
    assert {"session", "cells", "values"} <= set(names)


def columns_of(code: str) -> set[str]:
    """Return the names in brackets, without those that the code itself gives."""
    nodes = list(ast.walk(ast.parse(code)))
    inside = [part for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)]
    given = {node.arg for node in nodes if isinstance(node, ast.keyword)}
    return {part.value for part in inside if isinstance(part, ast.Constant)} - given


@pytest.mark.usefixtures("recorded")
def test_the_python_of_the_documentation_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[dict[str, Any]] = []
    monkeypatch.setattr(scripting, "call", lambda _, options: called.append(options) or 0)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})
    (options,) = called
    assert {"subject": ".", "slowdown": 0.5} == {name: options[name] for name in ("subject", "slowdown")}
