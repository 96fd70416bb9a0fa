"""Every Go source shape: the text that rewriting yields, and that it still does the same when it is run."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from abs_audit.injectors.go.injector import GoInjector
from abs_audit.injectors.go.runtime import FOLDER as RUNTIME
from tests.support.go_probes import Entry, built, parts, started
from tests.support.rewriting_examples import REQUIRED, Example, examples

FOLDER = Path(__file__).parents[3] / "fixtures" / "injection" / "go"
EXAMPLES = examples(FOLDER)
MODES = ["off", "count", "time", "control", "delay"]
MODULE = "example.org/shapes"
BATCH = 3
FIRST_TIMED = 32
GO_MOD = f"module {MODULE}\n\ngo 1.23\n"


def name(example: Example) -> str:
    return example.name


def full_ids(example: Example, names: object) -> set[str]:
    return {f"{MODULE}/{example.name}.{method}" for method in names}  # type: ignore[attr-defined]


def tree(example: Example) -> dict[str, str]:
    return {"go.mod": GO_MOD, f"{example.name}/example.go": example.before}


def test_examples_keep_the_line_ends_that_they_have() -> None:
    (windows,) = (example for example in EXAMPLES if example.name == "windows_line_ends")
    assert 5 == windows.before.count("\r\n") == windows.before.count("\n")


def test_every_shape_that_all_languages_share_has_an_example() -> None:
    assert {example.name for example in EXAMPLES} >= REQUIRED


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_the_listing_names_just_the_methods_that_can_carry_a_probe(example: Example) -> None:
    listing = GoInjector().api_methods(tree(example))
    assert full_ids(example, example.calls) == {method.id for method in listing.methods}
    assert full_ids(example, example.skipped) == {skipped.method for skipped in listing.skipped}
    lines = example.before.split("\n")
    for method in listing.methods:
        assert lines[method.line - 1].startswith("func ")
        assert method.id.rpartition(".")[2] in lines[method.line - 1]


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_rewriting_yields_the_text_of_the_example_on_the_same_lines(example: Example, accept: bool) -> None:
    patch = GoInjector().instrument(tree(example), sorted(full_ids(example, example.calls)))
    actual = patch.files[f"{example.name}/example.go"]
    if accept:
        path = FOLDER / f"{example.name}.txt"
        with path.open(newline="") as stream:
            head = stream.read().partition("=== after\n")[0]
        path.write_text(head + "=== after\n" + actual, newline="")
    assert (example.after if not accept else actual) == actual
    assert full_ids(example, example.calls) == set(patch.instrumented)
    assert example.before == without_sites(actual)


def without_sites(text: str) -> str:
    """Return a probed text without what rewriting added to it; all of that is on lines that were there."""
    text = re.sub(r'; import _abs_* "[^"]*"', "", text)
    # What times a body from outside stands behind the last line.
    text = re.sub(r"(\nfunc [^\n]*\b_abs_*\d+[^\n]*\.Exit\([^\n]*\n)+\Z", "", text)
    text = re.sub(r"_abs_*A\d+_\d+\b", "_", re.sub(r"_abs_*[AR]\d+ ", "", text))
    return re.sub(r" if (_abs_*)\.On\d+ \{[^\n]*?\(\1T[^\n]*?\} \} \};", "", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """A program that does what all shapes do, unprobed and probed; its argument is a shape."""

    plain: Path
    probed: Path
    methods: Mapping[str, tuple[str, ...]]
    build_id: str


MAIN = """package main

import (
	"encoding/json"
	"os"
{imports}
)

func main() {{
	shapes := map[string]func() any{{
{table}
	}}
	text, err := json.Marshal(shapes[os.Args[1]]())
	if err != nil {{
		panic(err)
	}}
	os.Stdout.Write(text)
	os.Exit(3)
}}
"""


def use(example: Example) -> str:
    imports = 'import "fmt"\n' if "fmt." in example.use else ""
    imports += 'import "sync"\n' if "sync." in example.use else ""
    return f"package example\n\n{imports}\nfunc Use() (result any) {{\n{example.use}\n}}\n"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    sources = {"go.mod": GO_MOD}
    for example in EXAMPLES:
        sources[f"{example.name}/example.go"] = example.before
    wanted = {example.name: tuple(sorted(full_ids(example, example.calls))) for example in EXAMPLES}
    every = [method for methods in wanted.values() for method in methods]
    patch = GoInjector().instrument(sources, every)
    assert () == patch.skipped
    for example in EXAMPLES:
        sources[f"{example.name}/use.go"] = use(example)
    sources["main.go"] = MAIN.format(
        imports="\n".join(f'\t{example.name} "{MODULE}/{example.name}"' for example in EXAMPLES),
        table="\n".join(f'\t\t"{example.name}": {example.name}.Use,' for example in EXAMPLES),
    )
    folder = tmp_path_factory.mktemp("shapes")
    return Programs(
        plain=built(folder / "plain", sources),
        probed=built(folder / "probed", {**sources, **patch.files}),
        methods=wanted,
        build_id=patch.build_id,
    )


def run(binary: Path, shape: str, variables: Mapping[str, str]) -> object:
    """Start a program that ends with os.Exit(3); return what it printed."""
    done = started(binary, [shape], variables)
    assert 3 == done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_probed_code_does_what_the_unprobed_code_does(
    example: Example, mode: str, programs: Programs, tmp_path: Path
) -> None:
    path = tmp_path / "tally"
    methods = programs.methods[example.name]
    expected = run(programs.plain, example.name, {})
    variables = {
        "ABS_PROBE_MODE": mode,
        "ABS_PROBE_METHODS": "\n".join(methods),
        "ABS_PROBE_SLOWED": methods[0],
        "ABS_PROBE_DELAY_NS": "50",
        "ABS_PROBE_BATCH": str(BATCH),
        "ABS_PROBE_TALLY": str(path),
        # Counting down is exact on one processor, and counting on any number.
        **({} if mode == "count" else {"GOMAXPROCS": "1"}),
    }
    assert expected == run(programs.probed, example.name, variables)
    (tally,) = parts(path)
    assert programs.build_id == tally.build_id
    assert (() if mode == "off" else methods) == tuple(tally.methods)
    for name_, calls in example.calls.items() if mode != "off" else ():
        method = f"{MODULE}/{example.name}.{name_}"
        entry = tally.methods[method]
        if calls is None:
            continue
        # Mode time knows what it knows up to the last timed call.
        missing = min(calls - entry.calls, 127) if mode == "time" and calls > FIRST_TIMED else 0
        assert (method, calls) == (method, entry.calls + max(0, missing))
        delays = mode in {"control", "delay"}
        assert (calls // BATCH if delays else 0) == entry.batches
        assert (entry.injected_ns > 0) == (mode == "delay" and method == methods[0] and entry.batches > 0)
        assert mode in {"count", "time"} or 0 == entry.timed_ns


def test_a_probe_that_is_not_active_leaves_no_mark(programs: Programs, tmp_path: Path) -> None:
    path = tmp_path / "tally"
    other = f"{MODULE}/plain_function.Absent"
    run(
        programs.probed,
        "plain_function",
        {"ABS_PROBE_MODE": "count", "ABS_PROBE_METHODS": other, "ABS_PROBE_TALLY": str(path)},
    )
    assert [{other: Entry(calls=0)}] == [part.methods for part in parts(path)]


def test_the_runtime_lies_in_the_module_and_knows_its_build() -> None:
    example = EXAMPLES[0]
    patch = GoInjector().instrument(tree(example), sorted(full_ids(example, example.calls)))
    runtime = patch.files[f"{RUNTIME}/zz_abs_audit_probe_tally.go"]
    assert f'buildID  = "{patch.build_id}"' in runtime
