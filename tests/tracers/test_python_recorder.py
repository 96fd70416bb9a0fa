"""The recorder counts each call once, and knows who called."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from abs_audit.tracers.python.definitions import definitions
from abs_audit.tracers.python.tracer import OUT_OF_TIME, RECORDER

LIBRARY = """
import contextlib

class Book:
    def __init__(self, title="x"):
        self._title = title
    def __repr__(self):
        return f"Book({self._title!r})"
    @property
    def title(self):
        return self._title
    @title.setter
    def title(self, value):
        self._title = value
    def pages(self, number):
        for page in range(number):
            yield page
    def render(self):
        return helper(self._title)

def helper(text):
    return text.upper()

def key(value):
    return -value

def deep(number):
    return number and deep(number - 1)

@contextlib.contextmanager
def opened():
    yield 1

def passing(function):
    def wrapper(*args):
        helper("passed")
        return function(*args)
    return wrapper

@passing
@passing
def label(text):
    return text

class Shelf:
    @passing
    def find(self):
        return label("found")

async def fetch():
    import asyncio
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return 1
"""


def recorded(folder: Path, program: str) -> dict[str, list[int]]:
    """Execute a downstream program; return method → direct, internal and other calls."""
    (folder / "library" / "shelf").mkdir(parents=True)
    (folder / "library" / "shelf" / "__init__.py").write_text(LIBRARY)
    (folder / "downstream").mkdir()
    script = folder / "downstream" / "program.py"
    script.write_text("from shelf import *\nimport shelf\n" + program)
    (folder / "calls").mkdir()
    done = subprocess.run(
        [sys.executable, str(script)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(RECORDER), str(folder / "library")]),
            "ABS_AUDIT_RECORD": str(folder / "calls"),
            "ABS_AUDIT_LIBRARY": f"{folder / 'library'}/",
            "ABS_AUDIT_DOWNSTREAM": f"{folder / 'downstream'}/",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    counts: dict[str, Counter[int]] = {}
    for path in (folder / "calls").glob("calls-*.json"):
        for record in json.loads(path.read_text()):
            place = (record["name"], record["line"])
            method = definitions(Path(record["file"])).get(place, "the body of a class or module")
            counts.setdefault(method, Counter()).update(dict(enumerate(record["counts"])))
    return {method: [by_kind[kind] for kind in range(3)] for method, by_kind in counts.items()}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("helper('a'); helper('b')", {"shelf.helper": [2, 0, 0]}),
        ("Book('a').render()", {"shelf.Book.render": [1, 0, 0], "shelf.helper": [0, 1, 0]}),
        ("sorted([3, 1, 2], key=key)", {"shelf.key": [3, 0, 0]}),
        ("list(map(key, [1, 2]))", {"shelf.key": [2, 0, 0]}),
        ("deep(4)", {"shelf.deep": [1, 4, 0]}),
        ("list(Book().pages(5))", {"shelf.Book.pages": [1, 0, 0]}),
        ("with opened(): pass", {"shelf.opened": [1, 0, 0]}),
        ("import asyncio; asyncio.run(fetch())", {"shelf.fetch": [1, 0, 0]}),
        ("label('a')", {"shelf.label": [1, 0, 0], "shelf.helper": [0, 2, 0]}),
        ("Shelf().find()", {"shelf.Shelf.find": [1, 0, 0], "shelf.label": [0, 1, 0]}),
        (
            "b = Book(); b.title = 'z'; b.title; b.title",
            {"shelf.Book.title": [2, 0, 0], "shelf.Book.title.setter": [1, 0, 0]},
        ),
        (
            "import threading; t = threading.Thread(target=lambda: helper('a')); t.start(); t.join()",
            {"shelf.helper": [1, 0, 0]},
        ),
        ("import os; helper('a'); os._exit(0)", {"shelf.helper": [1, 0, 0]}),
        ("import os\nif os.fork(): os.wait()\nelse: helper('a')", {"shelf.helper": [1, 0, 0]}),
        (
            "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import shelf; shelf.deep(0)'])",
            {"shelf.deep": [0, 0, 1]},
        ),
    ],
)
def test_each_call_is_counted_once_for_who_made_it(
    tmp_path: Path, program: str, expected: dict[str, list[int]]
) -> None:
    calls = recorded(tmp_path, program)

    assert expected == {method: calls.get(method) for method in expected}


def test_tests_that_never_end_are_interrupted_and_keep_what_they_called(tmp_path: Path) -> None:
    calls = recorded(
        tmp_path,
        "helper('a'); import sitecustomize, threading\n"
        "try:\n"
        "    threading.Thread(target=sitecustomize.end_in_time, daemon=True).start()\n"
        "    threading.Event().wait()\n"
        "except KeyboardInterrupt: pass",
    )

    assert [1, 0, 0] == calls["shelf.helper"]
    assert (tmp_path / "calls" / OUT_OF_TIME).exists()


def test_what_keeps_tests_from_ending_after_their_report_is_left_alone(tmp_path: Path) -> None:
    """As multiprocessing waits, when Python ends, for a process that a failed test did not stop."""
    calls = recorded(
        tmp_path,
        "helper('a'); import sitecustomize, threading\n"
        "sitecustomize.LIMIT_S, sitecustomize.GRACE_S, sitecustomize.REPORT = 60, 0, __file__ + '.xml'\n"
        "open(sitecustomize.REPORT, 'w').close()\n"
        "threading.Thread(target=sitecustomize.end_in_time).start()",
    )

    assert [1, 0, 0] == calls["shelf.helper"]
    assert not (tmp_path / "calls" / OUT_OF_TIME).exists()


def test_calls_are_written_down_as_they_can_be_made_again(tmp_path: Path) -> None:
    recorded(tmp_path, "Book('a').render(); helper(text='b'); helper('b'); Book(object)")
    samples = {
        record["name"]: [json.loads(text) for text in record["samples"]]
        for path in (tmp_path / "calls").glob("calls-*.json")
        for record in json.loads(path.read_text())
    }

    assert [{"receiver": None, "args": "'a'"}] == samples["__init__"]
    assert [{"receiver": "Book('a')", "args": ""}] == samples["render"]
    assert [{"receiver": None, "args": "'b'"}] == samples["helper"]
