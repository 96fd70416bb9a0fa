"""The Go tracer on a downstream with a known number of calls: real toolchain, real tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_audit.errors import ControlFailedError
from abs_audit.execution.local import LocalExecutor
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.interfaces import DownstreamCounts
from abs_audit.model.experiment import Workspace
from abs_audit.tracers.go.tracer import GoTracer
from tests.support.executions import ended
from tests.support.go_subjects import settings
from tests.support.traced import traced

FIXTURES = Path(__file__).parents[2] / "fixtures"
BOOK = "example.com/wordbook"
HIDDEN = """package wordbook

type core struct{}

func (core) Ping() int { return 1 }

// Phone has the method of a type that nobody else can name.
type Phone struct{ core }
"""


def methods(library: Path) -> list[str]:
    tree = {
        path.relative_to(library).as_posix(): path.read_text()
        for path in library.rglob("*")
        if path.suffix in {".go", ".mod"}
    }
    return [method.id for method in GoInjector().api_methods(tree).methods]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with the downstream in its tree; the library stands beside it."""
    root = tmp_path_factory.mktemp("cache") / "workspaces" / "reader"
    opened = Workspace(root=root)
    shutil.copytree(FIXTURES / "downstreams" / "go" / "reader", opened.tree)
    for folder in (opened.home, opened.results):
        folder.mkdir()
    yield opened


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "wordbook"
    shutil.copytree(FIXTURES / "subjects" / "go_bench", folder)
    (folder / "hidden.go").write_text(HIDDEN)
    return folder


@pytest.fixture(scope="module")
def counted(workspace: Workspace, library: Path) -> DownstreamCounts:
    tests = workspace.tree / "hidden_test.go"
    tests.write_text(
        'package reader_test\n\nimport (\n\t"testing"\n\n\t"example.com/wordbook"\n)\n\n'
        "func TestPhone(t *testing.T) { wordbook.Phone{}.Ping() }\n"
    )
    execution = traced(GoTracer(), workspace, library, settings()).tested
    return GoTracer().counts(workspace, methods(library), execution)


def test_calls_are_told_apart_by_who_makes_them(counted: DownstreamCounts) -> None:
    assert {
        f"{BOOK}.Load": 4,
        f"{BOOK}.Checksum": 3,
        f"{BOOK}.(*Book).Render": 3,
        f"{BOOK}.(*Book).Lookup": 2,
        f"{BOOK}/shelf.(*Shelf).Push": 2,
        # Promoted by a type that has a name outside; counted where it is written.
        f"{BOOK}.core.Ping": 1,
    } == counted.direct
    assert {f"{BOOK}.Checksum": 2, f"{BOOK}.(*Book).Title": 3} == counted.internal
    assert {} == counted.other


def test_failing_tests_and_os_exit_cost_no_count(counted: DownstreamCounts) -> None:
    """GoABS traced by rewriting the library in place (defect 17); here a copy is, see `counted`."""
    assert (3, 1) == (counted.tests_passed, counted.tests_failed)


def test_arguments_of_basic_types_are_kept_as_source_text(counted: DownstreamCounts) -> None:
    assert {"1", "2", "3"} == set(counted.arguments[f"{BOOK}.Load"])
    assert {'"a"', '"b"'} == set(counted.arguments[f"{BOOK}.(*Book).Lookup"])


def test_tests_that_do_not_compile_are_no_trace(workspace: Workspace, counted: DownstreamCounts) -> None:
    output = '{"Action":"build-output","Output":"./reader.go:3:1: undefined: wordbook.Gone\\n"}\n'
    execution = ended(1, output)
    with pytest.raises(ControlFailedError, match=r"none of its unit tests ran .*\n.*wordbook\.Gone"):
        GoTracer().counts(workspace, [], execution)


@pytest.mark.parametrize(
    "given", ["../reader", "https://example.com/reader.git", "git@example.com:reader.git"]
)
def test_what_is_no_release_is_not_downloaded(workspace: Workspace, given: str) -> None:
    assert () == GoTracer().release(workspace, given, settings())


def test_a_release_is_downloaded_with_its_tests_and_its_place_is_printed(workspace: Workspace) -> None:
    executor = LocalExecutor()
    done = [
        executor.execute(command)
        for command in GoTracer().release(
            workspace, "golang.org/x/xerrors@v0.0.0-20240903120638-7835f813f4da", settings()
        )
    ]
    assert [0, 0] == [execution.exit_code for execution in done], done[0].log
    assert (Path(done[-1].output.strip()) / "wrap_test.go").is_file()


def test_what_a_release_replaces_by_folders_that_it_does_not_hold_is_taken_from_releases(
    library: Path, tmp_path: Path
) -> None:
    """Packages that need such a module did not compile, so that they called nothing, and no word was said."""
    place = Workspace(root=tmp_path / "workspace")
    (place.tree / "inside").mkdir(parents=True)
    (place.tree / "go.mod").write_text(
        "module example.org/reader\n\nreplace example.org/lost => ../lost // beside\n\nreplace (\n"
        "\texample.org/old v1.2.0 => ../../old\n\texample.org/here => ./inside\n"
        "\texample.org/fork v0.1.0 => example.org/mine v0.1.1\n)\n"
    )
    commands = GoTracer().prepare(place, library, settings())
    (edit,) = (command.argv for command in commands if "edit" in command.argv)
    dropped = [word for word in edit if word.startswith("-drop")]
    assert dropped == ["-dropreplace=example.org/lost", "-dropreplace=example.org/old@v1.2.0"]
