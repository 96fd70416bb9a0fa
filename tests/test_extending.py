"""What something new costs: a dummy of each kind is added, and the files that it takes are counted.

A dummy is used as the real ones are, so a kind that needs one more place fails here.
"""

import importlib
import io
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

import abs_audit.analyses
import abs_audit.languages
import abs_audit.report.exports
from abs_audit.analyses import registry
from abs_audit.analyses.registry import document_type, schemas
from abs_audit.languages import table
from abs_audit.languages.language import Framework
from abs_audit.report.document import dumps
from abs_audit.report.exports import formats
from abs_audit.report.text import show
from tests.report.test_exports import FOUR

ANALYSIS = {
    "__init__.py": '"""`dummy`: how many are there?"""',
    "model.py": """
        from dataclasses import dataclass

        @dataclass(frozen=True, slots=True, kw_only=True)
        class Dummy:
            number: int
        """,
    "document.py": """
        from typing import Literal
        from abs_audit.model.bounds import Count
        from abs_audit.report.document import Document, named

        class DummyDocument(Document):
            '''How many there are.'''

            schema_: Literal["abs-audit/dummy/1"] = named("abs-audit/dummy/1")
            number: Count
        """,
    "text.py": """
        from abs_audit.report.text import headline, page

        def answer(result):
            return f"There are {result.number}."

        def summary(result):
            return page(headline(answer(result)))
        """,
    "page.py": """
        from abs_audit.analyses.dummy.text import answer
        from abs_audit.report.html import frame

        def render(result):
            return frame.measurement(
                "measurement.html.j2", answer=answer(result), notes=(), kind="Dummy", sources="here"
            )
        """,
}
EXPORT = {
    "dummy.py": """
        def dummy(findings):
            return "".join(f"{finding.about}\\n" for finding in findings.findings)
        """
}
FRAMEWORK = {
    "suite.py": """
        class DummySuite:
            name = "dummy"

            def detect(self, root):
                return (root / "dummy.bench").exists()
        """,
    "stubs.py": """
        class DummyStubs:
            pass
        """,
}
LANGUAGE = FRAMEWORK | {
    "__init__.py": """
        from abs_audit.languages.language import Framework, Language

        def language():
            from abs_audit.languages.dummy import injector, stubs, suite, tracer

            return Language(
                name="dummy",
                suffixes=(".dummy",),
                injector=injector,
                tracer=tracer,
                frameworks=(Framework(suite=suite.DummySuite(), stubs=stubs.DummyStubs()),),
                forks_a_block=False,
                forks_alike=True,
                warmup=0,
                fork_s=0.0,
                delay_batch_ns=1e5,
                floor_ns=1.0,
                lint=lambda path, text: (),
            )
        """,
    "injector.py": "",
    "tracer.py": "",
}


def written(folder: Path, files: Mapping[str, str]) -> int:
    folder.mkdir(parents=True)
    for name, text in files.items():
        folder.joinpath(name).write_text(dedent(text), encoding="utf-8")
    return len(files)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose packages lie beside those of the program."""
    for package in (abs_audit.analyses, abs_audit.languages, abs_audit.report.exports):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    # Tests may put another table in the place of this one.
    real = table.languages
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith(".dummy") or ".dummy." in name]:
        del sys.modules[name]
    real.cache_clear()


def test_an_analysis_is_at_most_five_files_in_one_folder_and_a_row(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written(beside / "dummy", ANALYSIS) <= 5
    monkeypatch.setitem(registry.FOLDERS, "dummy", "dummy")
    parts = {
        name: importlib.import_module(f"abs_audit.analyses.dummy.{name}")
        for name in ("model", "text", "page")
    }
    result = parts["model"].Dummy(number=3)
    document = document_type("dummy").of(result)
    assert json.loads(dumps(document)) == {"schema": "abs-audit/dummy/1", "number": 3}
    assert json.loads(schemas()["dummy.schema.json"])["title"] == "How many there are"
    out = io.StringIO()
    show(parts["text"].summary(result), out)
    assert out.getvalue() == "There are 3.\n"
    assert "<h1>There are 3.</h1>" in parts["page"].render(result)


def test_an_export_is_one_file_and_its_name_in_the_row_of_formats(beside: Path) -> None:
    for name, text in EXPORT.items():
        beside.joinpath(name).write_text(dedent(text), encoding="utf-8")
    assert len(EXPORT) + len([formats.__file__]) <= 2
    assert formats.write("dummy", FOUR) == "m.missed\nm.unreached\nm.open\n"


def test_every_name_in_the_row_of_formats_has_its_writer() -> None:
    assert [name for name in formats.FORMATS if not formats.write(name, FOUR)] == []


def test_a_framework_is_two_files_and_a_row_in_its_wing(
    beside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written(beside / "dummy", FRAMEWORK | {"__init__.py": ""}) <= 3
    suite = importlib.import_module("abs_audit.languages.dummy.suite").DummySuite()
    stubs = importlib.import_module("abs_audit.languages.dummy.stubs").DummyStubs()
    first, *others = table.languages()
    widened = replace(first, frameworks=(*first.frameworks, Framework(suite=suite, stubs=stubs)))
    monkeypatch.setattr(table, "languages", lambda: (widened, *others))
    tmp_path.joinpath("dummy.bench").touch()
    assert [(first.name, "dummy")] == [
        (language.name, framework.suite.name) for language, framework in table.detect(tmp_path, "dummy")
    ]


def test_a_language_is_at_most_six_files_and_its_name_in_the_table(
    beside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written(beside / "dummy", LANGUAGE) + len([table.__file__]) <= 6
    wing = importlib.import_module("abs_audit.languages.dummy")
    monkeypatch.setattr(table, "WINGS", (*table.WINGS, wing))
    table.languages.cache_clear()
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    checkout.joinpath("dummy.bench").touch()
    ((language, framework),) = table.detect(checkout, None)
    assert (language.name, framework.suite.name) == ("dummy", "dummy")
