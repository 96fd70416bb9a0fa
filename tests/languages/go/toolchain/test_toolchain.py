"""Go toolchains, modules and import paths."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.workspace import checkout, refresh
from abs_audit.languages.go.toolchain import commands
from abs_audit.languages.go.toolchain.commands import GoEnvironment, find_go, version_of
from abs_audit.languages.go.toolchain.modules import (
    GoModule,
    enclosing,
    import_path,
    join_modules,
    modules,
    workspace_members,
)
from abs_audit.model.experiment import Workspace
from tests.support.go_subjects import listed, prepared, settings, workspace, written

BENCHMARK = 'package p\n\nimport "testing"\n\nfunc BenchmarkA(b *testing.B) {}\n'
CALLING = (
    'package {0}\n\nimport (\n\t"testing"\n\n\t"example.com/{1}"\n)\n\n'
    "func BenchmarkA(b *testing.B) {{ {1}.A() }}\n"
)
MOD = "module example.com/p\n\ngo 1.21\n"


def installed(folder: Path, version: str | None) -> Path:
    executable = folder / "bin" / "go"
    executable.parent.mkdir(parents=True)
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o755)
    if version is not None:
        (folder / "VERSION").write_text(f"{version}\ntime 2026-01-01T00:00:00Z\n")
    return executable


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Go."""
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(commands, "OWN_TOOLS", tmp_path / "tools")
    monkeypatch.setattr(commands, "USUAL", (str(tmp_path / "usual" / "bin" / "go"),))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    return tmp_path


def environment(place: Workspace, **variables: str) -> GoEnvironment:
    return GoEnvironment(workspace=place, settings=replace(settings(), environment=variables))


def test_a_machine_without_go_is_unfit_and_the_message_says_what_to_do(bare: Path) -> None:
    with pytest.raises(
        UnfitEnvironmentError, match=r"1\.21 or newer, found none; install one.*`interpreter`"
    ):
        find_go(None)


def test_a_go_that_is_too_old_is_passed_over_and_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = installed(bare / "old", "go1.19.8")
    monkeypatch.setenv("PATH", str(old.parent))
    with pytest.raises(UnfitEnvironmentError, match=rf"found {old} is 1\.19;"):
        find_go(None)
    usual = installed(bare / "usual", "go1.22.1")
    assert str(usual) == find_go(None)


def test_the_go_of_the_path_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(bare / "usual", "go1.26.8")
    executable = installed(bare / "mine", "go1.21")
    monkeypatch.setenv("PATH", str(executable.parent))
    assert str(executable) == find_go(None)


def test_the_go_of_a_wheel_is_found_without_its_script(bare: Path) -> None:
    wheel = installed(bare / "tools" / "lib" / "python3.12" / "site-packages" / "go", "go1.27.3")
    assert str(wheel) == find_go(None)


def test_a_go_that_tells_no_version_is_tried(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = installed(bare / "shims", None)
    monkeypatch.setenv("PATH", str(shim.parent))
    assert (None, str(shim)) == (version_of(shim), find_go(None))


def test_the_users_own_go_is_used_or_missed(bare: Path) -> None:
    own = installed(bare / "own", "go1.9")
    assert str(own) == find_go(str(own))
    for other, found in (("/no/go", "no such executable"), (sys.executable, sys.executable)):
        with pytest.raises(UnfitEnvironmentError, match=rf"expected a go command, found {found};"):
            find_go(other)


def module(folder: str, **changes: bool) -> GoModule:
    flags = {"present": True, "vendored": False, "in_workspace": False, **changes}
    return GoModule(folder=folder, **flags)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"go.mod": MOD, "a_test.go": BENCHMARK}, [module(".")]),
        ({"a_test.go": BENCHMARK}, [module(".", present=False)]),
        ({"go.mod": MOD}, [module(".")]),
        ({"go.mod": MOD, "bench/go.mod": MOD, "bench/x/a_test.go": BENCHMARK}, [module("bench")]),
        (
            {"go.mod": MOD, "a_test.go": BENCHMARK, "bench/go.mod": MOD, "bench/a_test.go": BENCHMARK},
            [module("."), module("bench")],
        ),
        ({"tools/go.mod": MOD, "a_test.go": BENCHMARK}, [module(".", present=False)]),
        (
            {"go.mod": MOD, "a_test.go": BENCHMARK, "vendor/modules.txt": "", "vendor/x/go.mod": MOD},
            [module(".", vendored=True)],
        ),
        ({"go.mod": MOD, "a_test.go": BENCHMARK, "vendor/x/x.go": ""}, [module(".")]),
        (
            {
                "go.mod": MOD,
                "testdata/go.mod": MOD,
                "testdata/a_test.go": BENCHMARK,
                "_x/a_test.go": BENCHMARK,
            },
            [module(".")],
        ),
        (
            {"go.work": "go 1.21\nuse ./b", "b/go.mod": MOD, "b/a_test.go": BENCHMARK},
            [module("b", in_workspace=True)],
        ),
    ],
)
def test_the_modules_that_hold_benchmarks_are_found(
    tmp_path: Path, files: dict[str, str], found: list[GoModule]
) -> None:
    assert found == list(modules(written(workspace(tmp_path), files).tree))


def test_only_modules_with_benchmarks_that_are_asked_for_matter(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    written(place, {"a/go.mod": MOD, "a/x_test.go": BENCHMARK, "b/go.mod": MOD, "b/c/x_test.go": BENCHMARK})
    assert ["b"] == [module.folder for module in modules(place.tree, ("b/c",))]


def test_a_module_in_a_folder_that_go_passes_over_is_found_where_no_other_has_benchmarks(
    tmp_path: Path,
) -> None:
    files = {"go.mod": MOD, "_benchmark/go/go.mod": MOD, "_benchmark/go/a_test.go": BENCHMARK}
    place = written(workspace(tmp_path), {**files, "_drafts/a_test.go": BENCHMARK})
    assert ["_benchmark/go"] == [module.folder for module in modules(place.tree)]
    written(place, {"a_test.go": BENCHMARK})
    assert ["."] == [module.folder for module in modules(place.tree)]
    assert ["_benchmark/go"] == [module.folder for module in modules(place.tree, ("_benchmark/go",))]


def test_a_member_stands_within_its_workspace_and_what_it_replaces(tmp_path: Path) -> None:
    files = {
        "go.work": "use (\n\t./a\n\tb\n)\n",
        "a/go.mod": MOD,
        "c/go.mod": f"{MOD}replace example.com/q => ../d\n",
        "d/go.mod": MOD,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert tmp_path == enclosing(tmp_path / "a")
    # Without a repository nobody says how much above a folder belongs to the project.
    assert tmp_path / "c" == enclosing(tmp_path / "c")
    (tmp_path / ".git").mkdir()
    assert tmp_path == enclosing(tmp_path / "c")
    (tmp_path / "c" / ".git").mkdir()
    assert tmp_path / "c" == enclosing(tmp_path / "c")


def test_a_go_work_names_its_members_in_every_form(tmp_path: Path) -> None:
    text = 'go 1.21\n\nuse .\nuse ./one // the first\nuse (\n\t./two/\n\t"./three"\n\t// ./four\n)\n'
    assert {".", "one", "two", "three"} == workspace_members(
        written(workspace(tmp_path), {"go.work": text}).tree
    )


USING = 'package q\n\nimport (\n\t"fmt"\n\tx "gopkg.in/p.v2/inner/deep"\n\n\t"github.com/other/inner"\n)\n'


BADGES = """[![Documentation](https://godoc.org/e.c/q?status.svg)](https://pkg.go.dev/e.c/q)
[![CI](https://ci.example.com/e.c/q.svg)](https://ci.example.com/e.c/q)
"""


@pytest.mark.parametrize(
    ("sources", "path"),
    [
        ({"go.mod": 'module "example.com/quoted" // why not\n'}, "example.com/quoted"),
        ({"go.mod": "// module a\nmodule example.com/p/v2\n"}, "example.com/p/v2"),
        ({"a/b/x.go": 'package b // import "example.com/p/a/b"\n'}, "example.com/p"),
        ({"x.go": 'package b /* import "example.com/p" */\n'}, "example.com/p"),
        ({"x.go": "package b\n", "Godeps/Godeps.json": '{"ImportPath": "example.com/p"}'}, "example.com/p"),
        (
            {"x.go": "package b\n", "Godeps/Godeps.json": "{", "vendor/vendor.json": '{"rootPath": "e.c/p"}'},
            "e.c/p",
        ),
        ({"x.go": "package b\n", "glide.yaml": "package: example.com/p\nimport: []\n"}, "example.com/p"),
        (
            {
                "x.go": USING,
                "inner/deep/y.go": "",
                "inner/z.go": 'package i\nimport "gopkg.in/p.v2/inner/deep"\n',
            },
            "gopkg.in/p.v2",
        ),
        (
            {"x.go": USING, "vendor/github.com/other/inner/y.go": 'import "e.c/vendor/x"'},
            "example.invalid/subject",
        ),
        ({"x.go": 'package p\n\nimport "net/http"\n', "http/x.go": ""}, "example.invalid/subject"),
        ({"x.go": 'package p\n\nimport "e.c/p/a/b"\n', "a/b/x.go": "", "b/x.go": ""}, "e.c/p"),
        ({"x.go": "", "b/x.go": "", "vendor/e.c/q/x.go": 'import "e.c/q/b"\n'}, "example.invalid/subject"),
        ({"x.go": 'package p\n\nimport "fmt"\n', "fmt/x.go": ""}, "example.invalid/subject"),
        ({"x.go": "package cache\n", "README.md": "`go get -u e.c/q/go-cache`\n"}, "e.c/q/go-cache"),
        (
            {"x_test.go": 'package q_test\nimport "e.c/q"\n', "x.go": "package q\n", "README.md": BADGES},
            "e.c/q",
        ),
        ({"x.go": "package p\n", "README.md": "go get e.c/assert\n"}, "example.invalid/subject"),
        ({}, "example.invalid/subject"),
    ],
)
def test_an_import_path_is_what_the_sources_say(sources: dict[str, str], path: str) -> None:
    assert path == import_path(sources)


def test_old_sources_are_given_a_module_and_what_it_needs_in_the_phase_that_fetches(tmp_path: Path) -> None:
    files = {"a_test.go": BENCHMARK, "x.go": 'package p // import "example.com/old"\n'}
    place = written(workspace(tmp_path), files)
    fetching = list(environment(place).fetching())
    assert [("mod", "init", "example.com/old"), ("mod", "edit", "-go=1.16"), ("mod", "tidy", "-e")] == [
        command.argv[1:] for command in fetching
    ]
    assert {True} == {command.network for command in fetching}


@pytest.mark.parametrize(
    ("files", "verbs", "flags", "work"),
    [
        ({}, ["list"], "-mod=mod", "off"),
        ({"vendor/modules.txt": ""}, [], "-mod=vendor", "off"),
        ({"go.work": "use .\n"}, ["list"], "", "{tree}/go.work"),
        ({"go.work": "use ./other\n"}, ["list"], "-mod=mod", "off"),
    ],
)
def test_each_module_is_fetched_and_built_by_its_own_rules(
    tmp_path: Path, files: dict[str, str], verbs: list[str], flags: str, work: str
) -> None:
    place = written(workspace(tmp_path), {"go.mod": MOD, "a_test.go": BENCHMARK, **files})
    own = environment(place, GOFLAGS="-tags=x")
    (module,) = own.modules()
    assert verbs == [command.argv[1] for command in own.fetching()]
    assert {
        "GOWORK": work.format(tree=place.tree),
        "GOFLAGS": " ".join(filter(None, ["-buildvcs=false", flags, "-tags=x"])),
    } == own.module_environment(module)


def test_nothing_is_fetched_when_building_and_all_caches_are_ours(tmp_path: Path) -> None:
    own = environment(workspace(tmp_path), GOGC="off").environment()
    shared = tmp_path / "go"
    assert (shared / "modules" / "cache" / "download").as_uri() == own["GOPROXY"]
    assert [str(shared / "modules"), str(shared / "compiled")] == [own["GOMODCACHE"], own["GOCACHE"]]
    assert ("off", "", "off") == (own["GOENV"], own["GOROOT"], own["GOGC"])


def test_sources_older_than_modules_are_built_and_their_module_survives_a_refresh(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    for name, text in {"p_test.go": BENCHMARK, "doc.go": 'package p // import "example.com/old"\n'}.items():
        origin.mkdir(exist_ok=True)
        (origin / name).write_text(text)
    place = workspace(tmp_path)
    refresh(place, checkout(origin), {})
    assert 0 == prepared(place, settings()).exit_code
    (origin / "p_test.go").write_text(BENCHMARK.replace("BenchmarkA", "BenchmarkB"))
    refresh(place, checkout(origin), {"zz_new.go": "package p\n"})
    assert 0 == prepared(place, settings()).exit_code
    assert ["example.com/old.BenchmarkB"] == [
        benchmark.id for benchmark in listed(place, settings()).benchmarks
    ]
    assert not (origin / "go.mod").exists()


def test_a_workspace_of_modules_and_one_beside_it_are_built_offline(tmp_path: Path) -> None:
    files = {
        "go.work": "go 1.21\n\nuse (\n\t./a\n\t./b\n)\n",
        "a/go.mod": "module example.com/a\n\ngo 1.21\n",
        "a/a.go": "package a\n\nfunc A() {}\n",
        "b/go.mod": "module example.com/b\n\ngo 1.21\n",
        "b/b_test.go": CALLING.format("b", "a"),
        "c/go.mod": "module example.com/c\n\ngo 1.21\n",
        "c/c_test.go": BENCHMARK,
    }
    place = written(workspace(tmp_path), files)
    assert 0 == prepared(place, settings()).exit_code
    assert ["example.com/b.BenchmarkA", "example.com/c.BenchmarkA"] == [
        benchmark.id for benchmark in listed(place, settings()).benchmarks
    ]


NESTED = "module example.com/{0}\n\ngo 1.21\n\nrequire example.com/lib v1.2.3\n"


@pytest.mark.parametrize("vendored", [False, True])
def test_a_module_that_requires_a_release_of_the_one_beside_it_measures_what_lies_there(
    tmp_path: Path, vendored: bool
) -> None:
    """golang-lru's arc requires version 2.0.7: no probe was entered, and methods were called unreached."""
    files = {
        "go.mod": "module example.com/lib\n\ngo 1.21\n",
        "lib.go": "package lib\n\nfunc A() {}\n",
        "bench/go.mod": NESTED.format("bench"),
        "bench/bench_test.go": CALLING.format("bench", "lib"),
    }
    if vendored:
        files |= {
            "bench/vendor/modules.txt": "# example.com/lib v1.2.3\n## explicit\nexample.com/lib\n",
            "bench/vendor/example.com/lib/lib.go": "package lib\n\nfunc A() { panic(1) }\n",
        }
    place = written(workspace(tmp_path), files)
    built = prepared(place, settings())
    assert 0 == built.exit_code, built.log
    found = listed(place, settings())
    assert (["example.com/bench.BenchmarkA"], ()) == (
        [benchmark.id for benchmark in found.benchmarks],
        found.broken,
    )


def test_modules_are_joined_where_nothing_joins_them_yet(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.com/lib\n\ngo 1.21\n",
        "arc/go.mod": NESTED.format("arc")
        .replace("require example", 'require (\n\t"example')
        .replace("1.2.3", "1.2.3 // indirect\n)")
        .replace("lib v", 'lib" v'),
        "own/go.mod": NESTED.format("own") + "replace example.com/lib v1.2.3 => ../fork\n",
        "used/go.mod": NESTED.format("used"),
        "other/go.mod": "module example.com/other\n\nrequire example.com/else v1.0.0\n",
        "go.work": "use ./used\n",
    }
    tree = written(workspace(tmp_path), files).tree
    join_modules(tree)
    now = {name: (tree / name).read_text() for name in files}
    assert {"arc/go.mod"} == {name for name in files if now[name] != files[name]}
    added = now["arc/go.mod"].removeprefix(files["arc/go.mod"]).split("\n")
    assert "replace example.com/lib => .." in added
    assert "replace example.com/other => ../other" in added
    join_modules(tree)
    assert now["arc/go.mod"] == (tree / "arc" / "go.mod").read_text()


def test_vendored_dependencies_are_used_as_they_are(tmp_path: Path) -> None:
    files = {
        "go.mod": MOD + "\nrequire example.com/dep v1.0.0\n",
        "p_test.go": CALLING.format("p", "dep"),
        "vendor/modules.txt": "# example.com/dep v1.0.0\n## explicit\nexample.com/dep\n",
        "vendor/example.com/dep/dep.go": "package dep\n\nfunc A() {}\n",
    }
    place = written(workspace(tmp_path), files)
    assert 0 == prepared(place, settings()).exit_code
    assert ["example.com/p.BenchmarkA"] == [
        benchmark.id for benchmark in listed(place, settings()).benchmarks
    ]
