"""A diff in terms of methods: whose lines were touched, and what changed outside of any."""

import pytest

from abs_audit.analyses.rootcause.calls.changes import (
    Changes,
    MethodChange,
    Sources,
    changed,
    rewritten,
    spans,
)
from abs_audit.model.change import FileChange, Hunk
from abs_audit.model.subject import ApiMethod

PYTHON = """\
LIMIT = 3


class Book:
    @property
    # Cached by hand.
    def title(self):
        return self._title

    def render(
        self,
    ):
        a = [
            1,
        ]

        return a


def alone(): return 1


OTHER = 4
"""
GO = """\
package p

// Push adds.
func (l *List) Push(v any) {
\tl.items = append(l.items, v)
}

func New() *List {
\treturn &List{}
}

var limit = 3
"""


def at(method: str, path: str, line: int) -> ApiMethod:
    return ApiMethod(id=method, path=path, line=line)


def test_a_python_method_ends_where_the_indentation_does_and_begins_with_its_decorators() -> None:
    methods = [at("title", "b.py", 7), at("render", "b.py", 10), at("alone", "b.py", 20)]

    assert {"title": range(5, 9), "render": range(10, 18), "alone": range(20, 21)} == spans(PYTHON, methods)


def test_a_method_in_braces_ends_with_its_brace_and_begins_with_its_comment() -> None:
    assert {"Push": range(3, 7), "New": range(8, 11)} == spans(GO, [at("Push", "l", 4), at("New", "l", 8)])


def sides(before: str, after: str, old: dict[str, int], new: dict[str, int]) -> tuple[Sources, Sources]:
    return (
        Sources(tree={"m.py": before}, methods=tuple(at(name, "m.py", line) for name, line in old.items())),
        Sources(tree={"m.py": after}, methods=tuple(at(name, "m.py", line) for name, line in new.items())),
    )


def told(*hunks: tuple[range, range], before: Sources, after: Sources) -> Changes:
    one = FileChange(before="m.py", after="m.py", hunks=tuple(Hunk(before=b, after=a) for b, a in hunks))
    return changed([one], before, after)


ONE = "X = 1\ndef f():\n    return 1\ndef g():\n    return 2\n"


def test_a_changed_line_belongs_to_its_method() -> None:
    before, after = sides(ONE, ONE.replace("1\ndef g", "3\ndef g"), {"f": 2, "g": 4}, {"f": 2, "g": 4})

    found = told((range(3, 4), range(3, 4)), before=before, after=after)

    assert [("f", MethodChange.MODIFIED, 2)] == [(one.method, one.change, one.line) for one in found.methods]
    assert () == found.elsewhere


def test_added_and_removed_methods_are_told_from_modified_ones() -> None:
    before, after = sides(ONE, ONE.replace("g", "h"), {"f": 2, "g": 4}, {"f": 2, "h": 4})

    found = told((range(4, 5), range(4, 5)), before=before, after=after)

    assert {"g": MethodChange.REMOVED, "h": MethodChange.ADDED} == {
        one.method: one.change for one in found.methods
    }


def test_lines_that_were_only_removed_are_a_change_of_the_method_that_held_them() -> None:
    longer = ONE.replace("    return 1", "    x = 0\n    return 1")
    before, after = sides(longer, ONE, {"f": 2, "g": 5}, {"f": 2, "g": 4})

    found = told((range(3, 4), range(3, 3)), before=before, after=after)

    assert ["f"] == [one.method for one in found.methods]


@pytest.mark.parametrize(("line", "elsewhere"), [(1, ("m.py",)), (3, ())])
def test_a_change_of_a_constant_is_told_as_its_file(line: int, elsewhere: tuple[str, ...]) -> None:
    before, after = sides(ONE, ONE, {"f": 2, "g": 4}, {"f": 2, "g": 4})

    found = told((range(line, line + 1), range(line, line + 1)), before=before, after=after)

    assert (elsewhere, not elsewhere) == (found.elsewhere, bool(found.methods))


def test_files_without_methods_and_files_that_are_not_text_are_elsewhere() -> None:
    before, after = sides(ONE, ONE, {}, {})
    files = [
        FileChange(
            before="setup.cfg", after="setup.cfg", hunks=(Hunk(before=range(1, 2), after=range(1, 2)),)
        ),
        FileChange(before=None, after="data.bin", hunks=()),
        FileChange(before="old.bin", after=None, hunks=()),
    ]

    assert Changes(methods=(), elsewhere=("setup.cfg", "data.bin", "old.bin")) == changed(
        files, before, after
    )


WRITTEN = {
    "core/json_bench_test.go": "package core_test\n\nfunc BenchmarkJSON(b *testing.B) {\n\tb.Run()\n}\n",
    "tests/test_speed.py": "LIMIT = 3\n\ndef test_width(benchmark):\n    benchmark(width)\n",
    "benchmarks/version.py": "class TimeVersion:\n\n    def time_sort(self):\n        sort()\n",
    "bench/BookBenchmark.java": "class BookBenchmark {\n  @Benchmark\n  void index() {\n    i();\n  }\n}\n",
    "perf/bm_book.py": 'import pyperf\n\n\nrunner.bench_func("index a book", index)\n',
    "core/json.go": "package core\n\n// BenchmarkXML measures it.\nfunc index() {\n\twidth()\n}\n",
}
LINE = 4
"""What the benchmark of each does."""


@pytest.mark.parametrize(
    ("benchmark_id", "path"),
    {
        "example.org/core.BenchmarkJSON": "core/json_bench_test.go",
        "example.org/core.BenchmarkJSON/large": "core/json_bench_test.go",
        "tests/test_speed.py::test_width": "tests/test_speed.py",
        "tests/test_speed.py::test_width[a.b/c]": "tests/test_speed.py",
        "version.TimeVersion.time_sort(100)": "benchmarks/version.py",
        "org.example.BookBenchmark.index:text=a [b],turns=20": "bench/BookBenchmark.java",
        "perf/bm_book.py::index a book": "perf/bm_book.py",
    }.items(),
)
def test_a_benchmark_that_changed_itself_is_found_by_its_name(benchmark_id: str, path: str) -> None:
    def changing(*lines: int) -> list[FileChange]:
        hunk = Hunk(before=range(*lines), after=range(lines[0], lines[0]))
        return [FileChange(before=name, after=name, hunks=(hunk,)) for name in WRITTEN]

    sources = Sources(tree=WRITTEN, methods=())
    assert (path,) == rewritten(changing(LINE, LINE + 1), sources, sources, benchmark_id)
    if not path.startswith("perf/"):
        assert () == rewritten(changing(1, 2), sources, sources, benchmark_id)
