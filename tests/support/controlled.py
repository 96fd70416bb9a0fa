"""The four controlled experiments of PRCA (Figure 9) as real git repositories with merges.

Six revisions r1 … r6 of a small library, four commits each: one that sets the revision's level (and edits a
method that nobody slows down), a branch with a change of the text files, a change of an unrelated method on
the main line, and the merge of both. In the level's commits the cost sits in the text of one method.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.repositories import Commit, made

LEVELS: Mapping[str, Sequence[int]] = {
    "single regression": (1, 1, 1, 1, 2, 2),
    "improvement, then regression": (2, 2, 1, 3, 3, 3),
    "regression, then improvement": (1, 1, 1, 3, 2, 2),
    "oscillation": (1, 1, 2, 1, 2, 2),
}
CAUSES: Mapping[str, Sequence[int]] = {
    "single regression": (5,),
    "improvement, then regression": (4,),
    "regression, then improvement": (4,),
    # Both commits make it slower; which of them the search comes upon first depends on the graph.
    "oscillation": (3, 5),
}
STEPS = 60

PYTHON = '''\
"""A report on numbers."""


def report(items):
    return [_weigh(item) for item in items] + [title(items)]


def _weigh(item):
    total = item
    for step in range({steps}):
        total += step
    return total


def title(items):
    return len(items) + {edition}


def unrelated():
    return {other}
'''
PYTHON_BENCHMARK = """\
from books import report


def test_report(benchmark):
    benchmark(report, list(range(100)))
"""
GO = """\
// Package books reports on numbers.
package books

// Report weighs the items.
func Report(items []int) []int {{
	found := make([]int, 0, len(items)+1)
	for _, item := range items {{
		found = append(found, weigh(item))
	}}
	return append(found, Title(items))
}}

//go:noinline
func weigh(item int) int {{
	total := item
	for step := 0; step < {steps}; step++ {{
		total = total*31 + step
	}}
	return total
}}

// Title counts the items.
func Title(items []int) int {{
	return len(items) + {edition}
}}

// Unrelated does something else.
func Unrelated() int {{
	return {other}
}}
"""
GO_BENCHMARK = """\
package books

import "testing"

var sink []int

func BenchmarkReport(b *testing.B) {
	items := make([]int, 100)
	for i := 0; i < b.N; i++ {
		sink = Report(items)
	}
}
"""


@dataclass(frozen=True)
class State:
    """What the sources of one commit say."""

    level: int
    edition: int
    other: int
    notes: int


def python(state: State) -> dict[str, str]:
    """Return a Python library with a pytest-benchmark suite."""
    source = PYTHON.format(steps=STEPS * state.level, edition=state.edition, other=state.other)
    return {
        "pyproject.toml": '[project]\nname = "books"\nversion = "1"\n',
        "books/__init__.py": source,
        "benchmarks/test_books.py": PYTHON_BENCHMARK,
        "NOTES.md": f"{state.notes}\n",
    }


def go(state: State) -> dict[str, str]:
    """Return a Go module with a benchmark of the standard library's testing package."""
    source = GO.format(steps=40 * STEPS * state.level, edition=state.edition, other=state.other)
    return {
        "go.mod": "module example.org/books\n\ngo 1.21\n",
        "books.go": source,
        "books_test.go": GO_BENCHMARK,
        "NOTES.md": f"{state.notes}\n",
    }


def pretended(state: State) -> dict[str, str]:
    """Return the Python library with what the pretended executor is to answer."""
    costs = {
        "time": 0.1 + state.level,
        "methods": {
            "books.report": {"callers": {"": 1}, "time": 0.1 + state.level},
            "books._weigh": {"callers": {"books.report": 100}, "time": state.level / 100},
            "books.title": {"callers": {"books.report": 1}, "time": 0.01},
        },
    }
    return {**python(state), "costs.json": json.dumps(costs)}


BENCHMARKS = {"python": "benchmarks/test_books.py::test_report", "go": "example.org/books.BenchmarkReport"}
CULPRITS = {"python": "books._weigh", "go": "example.org/books.weigh"}
FILES = {"python": python, "go": go, "pretended": pretended}


def repository(root: Path, experiment: str, kind: str) -> list[str]:
    """Make one experiment's repository; return the ids of its 24 commits, four a revision."""
    files = FILES[kind]
    commits: list[Commit] = []
    now = State(level=0, edition=0, other=0, notes=0)
    for number, level in enumerate(LEVELS[experiment], start=1):
        first = len(commits)
        now = replace(now, level=level, edition=now.edition + (level != now.level))
        noted = replace(now, notes=now.notes + 1)
        altered = replace(now, other=now.other + 1)
        now = replace(altered, notes=noted.notes)
        for parents, state, subject in (
            ([first - 1] if first else [], replace(altered, other=altered.other - 1), "set the pace"),
            ([first], noted, "write notes"),
            ([first], altered, "do something else"),
            ([first + 2, first + 1], now, "merge the notes"),
        ):
            commits.append(Commit(parents=parents, files=files(state), message=f"r{number}: {subject}"))
    return made(root, commits)


def causes(ids: Sequence[str], experiment: str) -> set[str]:
    """Return the commits that a search may name."""
    return {ids[4 * (revision - 1)] for revision in CAUSES[experiment]}
