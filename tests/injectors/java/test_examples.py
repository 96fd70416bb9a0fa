"""Every Java source shape: the text that rewriting yields, and that it still does the same when it is run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from abs_audit.injectors.java.injector import JavaInjector
from tests.support.java_probes import compiled, environment, parts, started
from tests.support.rewriting_examples import REQUIRED, Example, examples

FOLDER = Path(__file__).parents[3] / "fixtures" / "injection" / "java"
EXAMPLES = examples(FOLDER)
OLDEST = (17,)
RUNNABLE = [example for example in EXAMPLES if example.language <= OLDEST]
MODES = ["off", "count", "time", "control", "delay"]
BATCH = 3
MAIN = """package harness;

public final class Main {
    private Main() {
    }

    public static void main(String[] names) throws Exception {
        for (String name : names) {
            Object result = Class.forName("shapes." + name + ".Use").getMethod("use").invoke(null);
            String shown = String.valueOf(result).replace('\\n', ' ').replace('\\t', ' ');
            System.out.println(name + "\\t" + shown);
        }
    }
}
"""


def name(example: Example) -> str:
    return example.name


def path(example: Example) -> str:
    return f"src/main/java/shapes/{example.name}/Example.java"


def full_ids(example: Example, names: Any) -> set[str]:
    return {f"shapes.{example.name}.{method}" for method in names}


def without_sites(text: str) -> str:
    """Return a probed text without what rewriting added to it; all of that is on lines that were there."""
    text = re.sub(
        r" if \(abs_audit_probe_1_\.Sites0\.ON(\d+)\) abs_audit_probe_1_\.Sites0\.enter\1\(\); try \{",
        "",
        text,
    )
    return re.sub(
        r"\} finally \{ if \(abs_audit_probe_1_\.Sites0\.TIMED(\d+)\) "
        r"abs_audit_probe_1_\.Sites0\.leave\1\(\); \} ",
        "",
        text,
    )


def test_examples_keep_the_line_ends_that_they_have() -> None:
    (windows,) = (example for example in EXAMPLES if example.name == "windows_line_ends")
    assert 11 == windows.before.count("\r\n") == windows.before.count("\n")


def test_every_shape_that_all_languages_share_has_an_example() -> None:
    """JavaABS knew one class a file, no constructors and no nested classes (defect 3)."""
    assert {example.name for example in EXAMPLES} >= REQUIRED


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_the_listing_names_just_the_methods_that_can_carry_a_probe(example: Example) -> None:
    listing = JavaInjector().api_methods({path(example): example.before})
    assert full_ids(example, example.calls) == {method.id for method in listing.methods}
    assert full_ids(example, example.skipped) == {skipped.method for skipped in listing.skipped}
    lines = example.before.split("\n")
    for method in listing.methods:
        owner, _, own = method.id.partition("(")[0].rpartition(".")
        assert re.split(r"[.$]", owner)[-1] if own == "<init>" else own in lines[method.line - 1]


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_rewriting_yields_the_text_of_the_example_on_the_same_lines(example: Example, accept: bool) -> None:
    """JavaABS wrote a pretty-printed tree with fixed names back (defects 4 and 5)."""
    patch = JavaInjector().instrument(
        {path(example): example.before}, sorted(full_ids(example, example.calls))
    )
    actual = patch.files[path(example)]
    if accept:
        file = FOLDER / f"{example.name}.txt"
        with file.open(encoding="utf-8", newline="") as stream:
            head = stream.read().partition("=== after\n")[0]
        file.write_text(head + "=== after\n" + actual, encoding="utf-8", newline="")
    assert (example.after if not accept else actual) == actual
    assert full_ids(example, example.calls) == set(patch.instrumented)
    assert () == patch.skipped
    assert example.before == without_sites(actual)


def use(example: Example) -> str:
    return (
        f"package shapes.{example.name};\n\nimport java.util.*;\nimport java.util.function.*;\n\n"
        "public final class Use {\n    private Use() {\n    }\n\n"
        f"    public static Object use() throws Exception {{\n{example.use}    }}\n}}\n"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """All shapes at once, unprobed and probed; and what uses them."""

    plain: list[Path]
    probed: list[Path]
    methods: tuple[str, ...]
    build_id: str


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    sources = {path(example): example.before for example in RUNNABLE}
    methods = sorted(method for example in RUNNABLE for method in full_ids(example, example.calls))
    patch = JavaInjector().instrument(sources, methods)
    shapes = compiled(tmp_path_factory.mktemp("plain"), sources)
    users = {f"src/test/java/shapes/{example.name}/Use.java": use(example) for example in RUNNABLE}
    uses = compiled(
        tmp_path_factory.mktemp("uses"),
        {**users, "src/test/java/harness/Main.java": MAIN},
        *("-Xlint:none", "-cp", str(shapes)),
    )
    return Programs(
        plain=[uses, shapes],
        probed=[uses, compiled(tmp_path_factory.mktemp("probed"), {**sources, **patch.files})],
        methods=patch.instrumented,
        build_id=patch.build_id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of a process."""

    results: Mapping[str, str]
    tallies: list[dict[str, Any]]


def ran(classes: list[Path], **probe: object) -> Ran:
    done = started(classes, ["harness.Main", *map(name, RUNNABLE)], environment(**probe))
    assert (0, "") == (done.returncode, done.stderr)
    lines = [line.split("\t", 1) for line in done.stdout.splitlines()]
    return Ran(
        results=dict(lines), tallies=parts(Path(str(probe["tally"])).parent) if "tally" in probe else []
    )


@pytest.fixture(scope="module")
def plain(programs: Programs) -> Ran:
    return ran(programs.plain)


@pytest.fixture(scope="module", params=MODES)
def probed(
    request: pytest.FixtureRequest, programs: Programs, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    mode = str(request.param)
    return mode, ran(
        programs.probed,
        mode=mode,
        methods="\n".join(programs.methods),
        tally=tmp_path_factory.mktemp(mode) / "tally",
        batch=BATCH,
        slowed=programs.methods[0],
        delay_ns=50.0,
    )


@pytest.mark.parametrize("example", RUNNABLE, ids=name)
def test_probed_code_does_what_the_unprobed_code_does(
    example: Example, plain: Ran, probed: tuple[str, Ran], programs: Programs
) -> None:
    """JavaABS stopped its clock before the returned expression (defect 2); examples return calls."""
    mode, after = probed
    assert plain.results[example.name] == after.results[example.name]
    (tally,) = after.tallies
    assert programs.build_id == tally["build_id"]
    if mode == "off":
        assert {} == tally["methods"]
        return
    for method, calls in example.calls.items():
        entry = tally["methods"][f"shapes.{example.name}.{method}"]
        # A static initialiser's are counted apart.
        assert calls is None or (method, calls) == (method, entry["calls"] + entry["loading_calls"])
        assert entry["loading_calls"] == entry["setup_calls"]
        assert 0 == entry["loading_calls"] or mode == "count"
        # Threads are delayed apart; an overflow of the stack may come before a delay.
        if example.name != "threads" and calls is not None:
            delays = mode in {"control", "delay"}
            assert (entry["calls"] // BATCH if delays else 0) == entry["batches"]
        assert (entry["timed_ns"] > 0) <= (mode == "time")


# What a probe's own classes would count and switch, written down: each entry and each exit.
WITNESS = """package abs_audit_probe_1_;

final class Site {
    private final String method;
    private int inside;
    private int entered;

    Site(String method) {
        this.method = method;
        Runtime.getRuntime().addShutdownHook(new Thread() {
            @Override
            public void run() {
                System.out.println(Site.this.method + "\\t" + entered + "\\t" + inside);
            }
        });
    }

    synchronized void enter() {
        entered++;
        inside++;
    }

    synchronized void leave() {
        inside--;
    }
}
"""
WITNESS_PROBE = """package abs_audit_probe_1_;

final class Probe {
    static final boolean TIMED = true;

    private Probe() {
    }

    static Site site(String method) {
        return new Site(method);
    }
}
"""


def test_every_entry_has_just_one_exit(programs: Programs, tmp_path: Path) -> None:
    """JavaABS delayed top-level returns only: no early, nested or exceptional ones (defect 1)."""
    sources = {path(example): example.before for example in RUNNABLE}
    patch = JavaInjector().instrument(sources, programs.methods)
    runtime = "src/main/java/abs_audit_probe_1_"
    witnesses = {
        name: text for name, text in patch.files.items() if not name.startswith(runtime) or "Sites0" in name
    }
    witnesses |= {f"{runtime}/Site.java": WITNESS, f"{runtime}/Probe.java": WITNESS_PROBE}
    uses, _ = programs.plain
    classes = [uses, compiled(tmp_path, {**sources, **witnesses})]
    done = started(classes, ["harness.Main", *map(name, RUNNABLE)], environment())
    assert (0, "") == (done.returncode, done.stderr)
    balance = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "(" in line.split("\t")[0])
    for example in RUNNABLE:
        for method, calls in example.calls.items():
            entered, inside = balance[f"shapes.{example.name}.{method}"].split("\t")
            assert (method, "0") == (method, inside)
            assert calls is None or (method, calls) == (method, int(entered))


def test_what_a_class_inherits_is_meant_before_its_own_method_of_that_name() -> None:
    sources = {
        "p/A.java": "package p; public class A { public void add(double x) { x++; } }",
        "p/B.java": "package p; public class B extends A { public void add(double x, int n) { n++; } }",
    }
    (skipped,) = JavaInjector().instrument(sources, ["p.B.add(double)"]).skipped
    assert "no such method in the sources: did you mean p.A.add(double)?" == skipped.reason
