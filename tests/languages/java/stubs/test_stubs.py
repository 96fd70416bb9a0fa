"""JMH stubs for one method of each kind: what they say, and that javac and JMH take them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import BuildSettings, Stub, StubRequest
from abs_audit.languages.java.stubs.jmh_stubs import JmhStubs
from abs_audit.languages.java.suites.jmh import JmhSuite
from abs_audit.languages.java.toolchain.jdk import java_home
from abs_audit.languages.java.toolchain.maven import CLASS_PATH
from abs_audit.model.experiment import Workspace
from abs_audit.model.subject import Benchmark, SourceTree
from tests.support.java_probes import FAST_COMPILER
from tests.support.toolchains import shared_cache

SUBJECT = Path(__file__).parents[4] / "fixtures" / "subjects" / "jmh"
SHAPES = """
package org.example.shapes;

import java.io.IOException;
import java.io.Reader;
import java.util.*;

public class Shapes {
    public enum Size { SMALL, LARGE }

    public interface Shape {
        double area();

        default double twice() { return 2 * area(); }
    }

    public static class Square implements Shape {
        private final double side;

        public Square(double side) { this.side = side; }

        public double area() { return side * side; }
    }

    public static class Odd extends Square {
        public Odd() { super(3); }

        public double twice() { return 7; }
    }

    public class Corner {
        public int angle() { return 90; }
    }

    public static class Counter {
        private int count;

        public int next() { return ++count; }

        public void clear() { count = 0; }
    }

    public static class Sheet {
        private final int bits;

        private Sheet(int bits) { this.bits = bits; }

        public int cells() { return 1 << bits; }

        public static Draft bits(int bits) { return new Draft(bits); }
    }

    public static class Draft {
        private final int bits;

        private Draft(int bits) { this.bits = bits; }

        public Draft wider() { return new Draft(bits + 1); }

        public Sheet made() { return new Sheet(bits); }
    }

    public static class Sealed {
        private Sealed() { }

        public int open() { return 1; }
    }

    public abstract static class Base {
        public Base(int size) { }
    }

    public static class Pair<A, B> {
        private final A first;

        public Pair(A first, B second) { this.first = first; }

        public A first() { return first; }

        public String toString() { return "pair"; }
    }

    static class Hidden {
        public int show() { return 2; }
    }

    public static int total(List<String> words) { return words.size(); }

    public static <T extends Comparable<T>> T larger(T one, T other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    public static String join(String separator, Object... parts) { return separator + parts.length; }

    public static int read(Reader from) throws IOException { return from.read(); }

    public static int weigh(Size size) { return size.ordinal(); }

    public static String describe(Shape shape) { return "" + shape.area(); }

    public static int enter(Sealed sealed) { return 3; }

    public static void forget() { }

    public static long add(long first, int second) { return first + second; }

    public static long add(int first, int second) { return first + second; }

    private static int secret() { return 4; }
}
"""
BOOK = "org.example.wordbook.Book."
SHAPE = "org.example.shapes.Shapes"
PACKAGE = "org.example.wordbook.bench"
EXISTING = (
    Benchmark(id=f"{PACKAGE}.BookBenchmark.checksum:turns=20,text=a [b]", parameters={}),
    Benchmark(id=f"{PACKAGE}.BookBenchmark.render", parameters={}),
)
FILES: SourceTree = {
    path.relative_to(SUBJECT).as_posix(): path.read_text()
    for path in sorted(SUBJECT.rglob("*"))
    if path.suffix == ".java" or path.name == "pom.xml"
}
TREE: SourceTree = {**FILES, "wordbook/src/main/java/org/example/shapes/Shapes.java": SHAPES}
WRITTEN = {
    f"{BOOK}load(int)": "return Book.load(count);",
    f"{BOOK}export()": "return book.export();",
    f"{BOOK}<init>(java.lang.String)": "return new Book(name);",
    f"{BOOK}title()": "return book.title();",
    f"{SHAPE}.<init>()": "return new Shapes();",
    f"{SHAPE}.total(java.util.List)": "return Shapes.total(words);",
    f"{SHAPE}.larger(java.lang.Comparable,java.lang.Comparable)": "return Shapes.larger(one, other);",
    f"{SHAPE}.join(java.lang.String,java.lang.Object[])": "return Shapes.join(separator, parts);",
    f"{SHAPE}.read(java.io.Reader)": 'return Shapes.read(new StringReader("several words in a row"));',
    f"{SHAPE}.weigh({SHAPE}$Size)": "return Shapes.weigh(size);",
    f"{SHAPE}.describe({SHAPE}$Shape)": "return Shapes.describe(shape);",
    f"{SHAPE}.forget()": "Shapes.forget();",
    f"{SHAPE}.add(int,int)": "return Shapes.add(first, second);",
    f"{SHAPE}.add(long,int)": "return Shapes.add(first, second);",
    f"{SHAPE}$Shape.twice()": "return shape.twice();",
    f"{SHAPE}$Counter.next()": "return counter.next();",
    f"{SHAPE}$Counter.clear()": "counter.clear();\n        return counter;",
    f"{SHAPE}$Pair.first()": "return pair.first();",
    f"{SHAPE}$Sheet.cells()": "return sheet.cells();",
    f"{SHAPE}$Draft.wider()": "return draft.wider();",
    f"{SHAPE}$Pair.toString()": "return pair.toString();",
    f"{SHAPE}$Pair.<init>(java.lang.Object,java.lang.Object)": "return new Shapes.Pair<>(first, second);",
}
UNSEEN = "a benchmark in package org.example.shapes, as this one does not see the method"
SKELETONS = {
    f"{SHAPE}$Sealed.open()": f"a value of type {SHAPE}.Sealed",
    f"{SHAPE}.enter({SHAPE}$Sealed)": f"argument 1, of type {SHAPE}.Sealed",
    f"{SHAPE}$Corner.angle()": f"a value of type {SHAPE}.Corner",
    f"{SHAPE}$Base.<init>(int)": f"a subclass of {SHAPE}.Base, as it is abstract",
    f"{SHAPE}$Hidden.show()": UNSEEN,
    f"{SHAPE}.secret()": UNSEEN,
    f"{SHAPE}.absent()": "its definition",
}


def stub(method: str, *arguments: str, tree: SourceTree = TREE, failed: frozenset[str] = frozenset()) -> Stub:
    request = StubRequest(method=method, arguments=arguments, existing=EXISTING, failed=failed)
    return JmhStubs().stub(tree, request)


def with_library(text: str, **others: str) -> SourceTree:
    """Return the fixture with one more library file in package `p`, and others by their paths."""
    return {**FILES, "wordbook/src/main/java/p/Box.java": f"package p;\n{text}", **others}


@pytest.mark.parametrize("method", WRITTEN)
def test_a_stub_calls_its_method_and_hands_over_the_result(method: str) -> None:
    made = stub(method)
    assert made.benchmark is not None
    assert WRITTEN[method] in made.text


def test_a_stub_lies_beside_the_benchmarks_and_looks_like_them() -> None:
    made = stub(f"{BOOK}export()")
    assert "benchmarks/src/main/java/org/example/wordbook/bench/BookExportBenchmark.java" == made.path
    assert f"{PACKAGE}.BookExportBenchmark.export" == made.benchmark
    annotations = ["@State(Scope.Benchmark)", "@BenchmarkMode(Mode.AverageTime)"]
    annotations += ["@OutputTimeUnit(TimeUnit.MICROSECONDS)", "public class BookExportBenchmark {"]
    assert "\n".join(annotations) in made.text
    assert "    @Setup\n    public void setUp() {\n        book = Book.load(100);\n    }\n" in made.text


def test_tabs_braces_and_the_last_word_of_names_follow_the_suite() -> None:
    path = "benchmarks/src/main/java/org/example/wordbook/bench/BookBenchmark.java"
    text = FILES[path].replace("    ", "\t").replace("class BookBenchmark {", "class BookBench\n{")
    text = re.sub(r"@(BenchmarkMode|OutputTimeUnit)\(.*\)", "", text)
    existing = (Benchmark(id=f"{PACKAGE}.BookBench.render", parameters={}),)
    request = StubRequest(method=f"{BOOK}title()", arguments=(), existing=existing)
    made = JmhStubs().stub({**FILES, path: text}, request)
    assert "public class BookTitleBench\n{\n\tprivate Book book;" in made.text
    assert "\tpublic String title()\n\t{\n\t\treturn book.title();\n\t}\n" in made.text
    assert "Mode" not in made.text
    assert "TimeUnit" not in made.text


@pytest.mark.parametrize("method", SKELETONS)
def test_a_benchmark_that_cannot_be_written_says_what_is_missing(method: str) -> None:
    made = stub(method)
    assert None is made.benchmark
    assert f"nothing tells how to call {method}: fill in {SKELETONS[method]}" == made.reason
    assert f"// TODO: fill in {SKELETONS[method]}, then call " in made.text


def test_each_overload_and_each_method_has_a_file_of_its_own() -> None:
    paths = {stub(method).path for method in (*WRITTEN, *SKELETONS)}
    assert len(WRITTEN) + len(SKELETONS) == len(paths)


def test_a_name_that_the_suite_has_is_not_taken_again() -> None:
    taken = "benchmarks/src/main/java/org/example/wordbook/bench/BookTitleBenchmark.java"
    made = stub(
        f"{BOOK}title()", tree={**FILES, taken: f"package {PACKAGE};\nclass BookTitleBenchmark {{ }}"}
    )
    assert f"{PACKAGE}.BookTitleAgainBenchmark.title" == made.benchmark


def test_declared_exceptions_are_passed_on() -> None:
    assert "public int read() throws Exception {" in stub(f"{SHAPE}.read(java.io.Reader)").text
    assert "throws" not in stub(f"{BOOK}title()").text


def test_what_a_call_moves_on_is_made_anew_for_each() -> None:
    anew = "Shapes.Counter counter = new Shapes.Counter();\n        return counter.next();"
    assert anew in stub(f"{SHAPE}$Counter.next()").text
    assert "setUp" in stub(f"{SHAPE}$Counter.clear()").text
    own = "public class Box extends Base { public void put(int a) { total = total + a; } }"
    base = {"wordbook/src/main/java/p/Base.java": "package p;\nclass Base { int total; }"}
    assert "{\n        Box box = new Box();" in stub("p.Box.put(int)", tree=with_library(own, **base)).text


def test_what_does_not_run_has_an_instance_of_its_own_for_each_call() -> None:
    tree = with_library("public class Box { public int put(int count) { return Lids.shut(this, count); } }")
    once = stub("p.Box.put(int)", tree=tree)
    again = stub("p.Box.put(int)", tree=tree, failed=frozenset({once.text}))
    anew = "{\n        Box box = new Box();"
    assert (anew in once.text, anew in again.text) == (False, True)


def test_what_others_return_is_an_instance_where_a_type_makes_none() -> None:
    sheet = stub(f"{SHAPE}$Sheet.cells()")
    assert "sheet = Shapes.Sheet.bits(3).made();" in sheet.text
    assert "some of its values are made up" in sheet.reason
    assert "shape = new Shapes.Square(2.5);" in stub(f"{SHAPE}.describe({SHAPE}$Shape)").text


def test_an_heir_that_overrides_the_method_does_not_stand_for_its_type() -> None:
    assert "shape = new Shapes.Square(2.5);" in stub(f"{SHAPE}$Shape.twice()").text


def test_arguments_of_tests_come_before_recorded_ones_and_these_before_made_up_ones() -> None:
    method = f"{SHAPE}.add(long,int)"
    test = {
        "wordbook/src/test/java/T.java": "class T { int a = Shapes.add(7L, unknown) + Shapes.add(8L, -9); }"
    }
    seen = stub(method, "5L, 6", tree={**TREE, **test})
    assert "first = 8L;\n        second = -9;" in seen.text
    assert "It is called as in T.java." in seen.text
    recorded = stub(method, "5L, 6", "1L, 1")
    assert "first = 5L;\n        second = 6;" in recorded.text
    assert ("", "") == (seen.reason, recorded.reason)
    assert "made up" in stub(method).reason
    assert "made up" in stub(method).text
    # An instance of nothing has no values to replace.
    empty = stub(f"{SHAPE}$Counter.next()")
    assert ("", False) == (empty.reason, "made up" in empty.text)


@pytest.mark.parametrize("recorded", ["5L", '"a", 6', "5L, 6L", "5L, System.exit(1)", "5L, ", "1), f(2L, 3"])
def test_recorded_arguments_that_do_not_fit_are_passed_over(recorded: str) -> None:
    assert "first = 3L;\n        second = 3;" in stub(f"{SHAPE}.add(long,int)", recorded).text


BOX = """
public class Box {
    public Box(int size, String... names) { }

    public static Box of(java.util.List<Integer> sizes) { return null; }

    public int put(Lid lid, long weight) { return 1; }

    static Lid lid() { return null; }

    public static class Lid { public Lid(String name) { } Lid(int a, int b) { } }
}
"""
PUT = "p.Box.put(p.Box$Lid,long)"


def called_in_a_test(*lines: str) -> Stub:
    """Return the stub of a method that a test calls."""
    inside = "\n".join(lines)
    test = f"package p;\nimport java.util.*;\nclass BoxTest {{\n{inside}\n}}\n"
    tree = with_library(BOX, **{"wordbook/src/test/java/p/BoxTest.java": test})
    return stub(PUT, tree=tree)


@pytest.mark.parametrize(
    "lines",
    [
        ('void puts() { Box box = new Box(4); check(box.put(new Box.Lid("red"), 2 * 21)); }',),
        ("Box box = new Box(4);", 'void puts() { long w = 2 * 21; box.put(new Box.Lid("red"), w); }'),
        (
            "Box box;",
            "void up() { box = new Box(4); }",
            'void puts() { box.put(new Box.Lid("red"), 2 * 21); }',
        ),
        ('void puts() { Box.Lid lid = new Box.Lid("red"); new Box(4).put(lid, 2 * 21); }',),
    ],
)
def test_variables_of_a_test_are_followed_to_their_values(lines: tuple[str, ...]) -> None:
    made = called_in_a_test(*lines)
    assert ("", True) == (made.reason, "It is called as in BoxTest.java." in made.text)
    kept = ["box = new Box(4);", 'lid = new Box.Lid("red");', "weight = 2 * 21;"]
    assert kept == [line.strip() for line in made.text.splitlines() if " = " in line]


def test_what_a_test_writes_on_several_lines_is_one_without_its_comments() -> None:
    lines = (
        "void puts() { new Box( // this large",
        '4).put(new Box.Lid("red" // a /* colour',
        ".trim()), 7); }",
    )
    made = called_in_a_test(*lines)
    assert "box = new Box(4);" in made.text
    assert 'lid = new Box.Lid("red".trim());' in made.text


@pytest.mark.parametrize(
    "lines",
    [
        ("void puts(Box.Lid lid) { new Box(4).put(lid, 7); }",),
        ("void puts() { new Box(4).put(lid(), 7); }",),
        ('Box.Lid lid = new Box.Lid("a");', "void puts(Box.Lid lid) { new Box(4).put(lid, 7); }"),
        ("void puts() { new Box(4).put(null, 7); }",),
        ("void puts() { new Box(4).put(new Box.Lid(1, 2), 7); }",),
        ("void puts() { new Box(4).put(Box.lid(), 7); }",),
        ('void puts() { new Box(4).put(new Box.Lid("red") { }, 7); }',),
        ("static class Own extends Box.Lid { }", "void puts() { new Box(4).put(new Own(), 7); }"),
        ("Box.Lid lid;", "void one() { lid = a; }", "void puts() { lid = b; new Box(4).put(lid, 7); }"),
        ('void puts() { Box box = new Box(4); box.put(a, 1); box.put(new Box.Lid("red"), 7); }',),
        ('void puts() { Other.box.put(new Box.Lid("red"), 7); }',),
        ('void puts() { new Box(4).put(new Box.Lid("red")); }',),
    ],
)
def test_what_only_a_test_knows_is_made_up(lines: tuple[str, ...]) -> None:
    made = called_in_a_test(*lines)
    assert "made up" in made.reason
    assert 'lid = new Box.Lid("several words in a row");' in made.text
    assert "weight = 3L;" in made.text


def test_numbers_are_made_up_by_the_names_of_their_parameters() -> None:
    parameters = "int offset, int length, int count, long size, int numberOfDigits"
    library = f"public class Box {{ public static int cut({parameters}) {{ }} }}"
    made = stub("p.Box.cut(int,int,int,long,int)", tree=with_library(library)).text
    assert ["0", "3", "100", "1024L", "3"] == re.findall(r"\w+ = (\w+);", made)


def test_a_method_of_a_module_that_the_benchmarks_do_not_use_asks_for_one_that_does() -> None:
    path = "other/src/main/java/q/Red.java"
    pom = "<project><artifactId>other</artifactId></project>"
    tree = {**FILES, "other/pom.xml": pom, path: "package q;\npublic class Red { public Red() { } }"}
    assert (
        f"fill in a benchmark in a module that uses the one of {path}"
        in stub("q.Red.<init>()", tree=tree).reason
    )


def test_what_the_benchmarks_use_may_be_named_by_a_property() -> None:
    """uuid-creator's module of benchmarks depends on ${dependency.artifactid}: no proposal was written."""
    path, used = "benchmarks/pom.xml", "<artifactId>wordbook</artifactId>"
    pom = FILES[path].replace(used, "<artifactId>${used}</artifactId>")
    pom = pom.replace("<dependencies>", "<properties><used>wordbook</used></properties><dependencies>", 1)
    assert pom.count("${used}") == 1
    made = stub(f"{BOOK}title()", tree={**FILES, path: pom})
    assert made == stub(f"{BOOK}title()", tree=FILES)
    assert made.benchmark is not None


def test_times_of_the_jdk_have_values() -> None:
    library = "public class Box { public static long at(java.time.Instant when) { return 1; } }"
    made = stub("p.Box.at(java.time.Instant)", tree=with_library(library)).text
    assert "import java.time.Instant;\n" in made
    assert "when = Instant.ofEpochSecond(1000000000);" in made


def test_a_stream_that_a_test_has_filled_is_no_value_when_empty() -> None:
    library = "public class Box { public static int size(byte[] data) { return data.length; } }"
    test = """package p; import java.io.ByteArrayOutputStream; class BoxTest { void reads() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        fill(out); Box.size(out.toByteArray()); } }"""
    tree = with_library(library, **{"wordbook/src/test/java/p/BoxTest.java": test})
    assert "made up" in stub("p.Box.size(byte[])", tree=tree).reason


def test_types_of_modules_that_the_benchmarks_do_not_use_are_left_alone() -> None:
    library = "public class Box { public interface Lid { } public static int shut(Lid lid) { return 1; } }"
    heir = "package q;\npublic class Red implements p.Box.Lid { }"
    pom = "<project><artifactId>other</artifactId></project>"
    others = {"other/pom.xml": pom, "other/src/main/java/q/Red.java": heir}
    method = "p.Box.shut(p.Box$Lid)"
    assert None is stub(method, tree=with_library(library, **others)).benchmark
    used = with_library(library, **{"wordbook/src/main/java/q/Red.java": heir})
    assert "lid = new Red();" in stub(method, tree=used).text


def test_a_package_may_begin_with_a_capital() -> None:
    text = "package org.Shelves;\n\npublic class Box {\n    public int width() { return 1; }\n}\n"
    tree = {**FILES, "wordbook/src/main/java/org/Shelves/Box.java": text}
    made = stub("org.Shelves.Box.width()", tree=tree).text
    assert "import org.Shelves.Box;\n" in made
    assert "private Box box;\n" in made


def test_two_types_of_one_name_are_told_apart() -> None:
    library = "public class Box { public static int mark(State state) { return 1; } }"
    other = {"wordbook/src/main/java/p/State.java": "package p;\npublic enum State { ON }"}
    made = stub("p.Box.mark(p.State)", tree=with_library(library, **other))
    assert "import org.openjdk.jmh.annotations.State;" in made.text
    assert "private p.State state;" in made.text
    assert "state = p.State.ON;" in made.text


def class_path() -> str:
    """Return the jars of the fixture's benchmarks, which Maven fetches once."""
    place = Workspace(root=shared_cache() / "workspaces" / "jmh-stubs")
    listed = place.tree / "benchmarks" / CLASS_PATH
    if not listed.exists():
        shutil.rmtree(place.root, ignore_errors=True)
        shutil.copytree(SUBJECT, place.tree)
        for folder in (place.home, place.results):
            folder.mkdir()
        settings = BuildSettings(interpreter=None, requirements=(), paths=(), environment={})
        for command in JmhSuite().prepare(place, settings):
            done = LocalExecutor().execute(command)
            assert 0 == done.exit_code, done.log
    return listed.read_text().strip()


def test_javac_and_jmh_take_every_stub(tmp_path: Path) -> None:
    stubs = [stub(method) for method in (*WRITTEN, *SKELETONS)]
    sources = {**TREE, **{stub.path: stub.text for stub in stubs}}
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [name for name in sources if name.endswith(".java")]
    javac = [str(java_home(None) / "bin" / "javac"), *FAST_COMPILER]
    command = [*javac, "-cp", class_path(), "-d", "classes", *paths]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    listed = (tmp_path / "classes" / "META-INF" / "BenchmarkList").read_text()
    wanted = [stub.benchmark.rpartition(".") for stub in stubs if stub.benchmark]
    assert [] == [name for name, _, method in wanted if not re.search(rf"{name} .* {method} ", listed)]


LICENSED = """/*
 * Licensed to Somebody under one or more licenses.
 */
package q;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.*;

@Warmup(iterations = 2, time = 1, timeUnit = TimeUnit.SECONDS)
@Fork(value = 1, jvmArgs = {"-Xmx1G"})
@Measurement(iterations = MANY)
@Threads(4)
public class OldPerformance {
    /** Puts. */
    @Benchmark
    public void puts() { }
}
"""
SUMS = """
import java.util.List;
public class Sums {
    public static Sums start() { return new Sums(); }
    public Sums grow(int by) { return this; }
    public List<Lid> lids(double[] a) { return null; }
    public double of(double[] a, int k) { return 1; }
    public double of(String a) { return 1; }
    public static class Lid { }
}
"""


def beside_licensed(method: str, *lines: str) -> str:
    """Return the proposal for a method of `Sums` beside one benchmark, and a test of these lines."""
    files = {"wordbook/src/main/java/q/OldPerformance.java": LICENSED}
    inside = "\n".join(lines)
    files["wordbook/src/test/java/p/SumsTest.java"] = f"package p;\nclass SumsTest {{\n{inside}\n}}\n"
    tree = {
        path: text for path, text in with_library(SUMS, **files).items() if "jmh" not in text or path in files
    }
    return stub(method, tree=tree).text


def test_a_class_follows_licence_lengths_comments_and_imports_of_the_suite() -> None:
    text = beside_licensed("p.Sums.lids(double[])")
    assert text.startswith(LICENSED.partition("package")[0] + "package q;\n\nimport java.util.List;\n")
    assert "import java.util.concurrent.TimeUnit;\n\nimport org.openjdk.jmh.annotations.Benchmark;\n" in text
    assert "import p.Sums;\n\n/**\n * Measures {@code Sums.lids(double[])}.\n" in text
    assert "\n@Warmup(iterations = 2, time = 1, timeUnit = TimeUnit.SECONDS)\n" in text
    assert '\n@Fork(value = 1, jvmArgs = {"-Xmx1G"})\n' in text
    assert "@Measurement" not in text and "@Threads" not in text
    assert "     * @return what it makes\n     */\n    @Benchmark\n    public List<Sums.Lid> lids() {" in text
    assert "public class SumsLidsPerformance {" in text


def test_an_overload_is_named_by_its_parameters() -> None:
    assert "class SumsOfStringPerformance" in beside_licensed("p.Sums.of(java.lang.String)")


def test_what_the_sources_show_not_to_throw_needs_no_throws() -> None:
    text = beside_licensed(
        "p.Sums.lids(double[])", "void lids() { Sums.start().grow(2).lids(new double[] {1}); }"
    )
    assert "sums = Sums.start().grow(2);" in text
    assert "throws" not in text


def test_the_type_of_a_receiver_is_followed_through_calls() -> None:
    maker = "public static class Maker { public Crate crate() { return null; } }"
    own = f"public class Box {{ public static Maker make() {{ return null; }} {maker} }}"
    crate = "package p;\npublic class Crate { Crate(Object a, Box b) { } public int size() { return 1; } }"
    test = "package p;\nclass CrateTest { void sizes() { Crate crate = Box.make().crate(); crate.size(); } }"
    files = {"wordbook/src/main/java/p/Crate.java": crate, "wordbook/src/test/java/p/CrateTest.java": test}
    made = stub("p.Crate.size()", tree=with_library(own, **files))
    assert ("", True) == (made.reason, "crate = Box.make().crate();" in made.text)


@pytest.mark.parametrize(
    "line",
    [
        "void ofNaN() { new Sums().of(new double[] {4, 3}, 1); }",
        "void of() { assertThrows(X.class, () -> new Sums().of(new double[] {4, 3}, 1)); }",
        "void of() { new Sums().of(new double[] {0d, -0d}, 0); }",
    ],
)
def test_usual_values_come_before_those_of_a_test_of_failures_or_of_nothing(line: str) -> None:
    text = beside_licensed("p.Sums.of(double[],int)", line)
    assert "a = new double[] {5.5, 2.5, 7.5, 3.5, 6.5};\n        k = 3;" in text
