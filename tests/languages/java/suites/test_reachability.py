"""Which benchmarks come to no probe, told from class files that a real compiler made."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from abs_audit.languages.java.suites.plan import SOURCES
from tests.support.java_probes import FAST_COMPILER, FAST_START, compiled, jdk

PROBE = """package abs_audit_probe_1_;
public final class Sites0 {
    private static final String SITE0 = site("library.Plain.own()");
    public static final boolean ON0 = SITE0 != null;
    private static final String SITE1 = site("library.Round.\\u00fcber()");
    private static String site(String method) { return method; }
    public static void enter0() { }
    public static void enter1() { }
}
"""
PROBED = "{ abs_audit_probe_1_.Sites0.enter0(); }"
LIBRARY = {
    "library/Plain.java": f"""package library;
public class Plain {{
    public static void probed(double[] values, int at) {PROBED}
    public static void probed(double[] values, int[] at) {{ }}
    public void own() {PROBED}
    public void other() {{ }}
}}
""",
    "library/Base.java": f"""package library;
public class Base {{
    public void run() {PROBED}
    public int compareTo(Object other) {{ return 0; }}
}}
""",
    "library/Task.java": "package library;\npublic class Task extends Base implements Runnable { }\n",
    "library/Made.java": f"package library;\npublic class Made {{ public Made(long size) {PROBED} }}\n",
    "library/Begun.java": """package library;
public class Begun {
    public static final Object VALUE = new Made(1);
    public static int number() { return 1; }
}
""",
    "library/Shape.java": "package library;\npublic interface Shape { double area(); }\n",
    "library/Round.java": """package library;
public class Round implements Shape {
    public double area() { abs_audit_probe_1_.Sites0.enter1(); return 1; }
}
""",
    "library/Ready.java": f"package library;\npublic interface Ready {{ default void go() {PROBED} }}\n",
    "library/Found.java": """package library;
public abstract class Found extends java.util.ListResourceBundle { }
""",
    "library/Eager.java": "package library;\npublic class Eager implements Ready { }\n",
    "library/Written.java": """package library;
public class Written implements java.io.Serializable {
    private static final long serialVersionUID = 1;
    private void writeObject(java.io.ObjectOutputStream out) { new Plain().own(); }
}
""",
    "library/Typed.java": """package library;
public class Typed {
    public static final Class<?> TYPE = Plain.class;
    public static Object made() { return new Plain(); }
}
""",
    "org/openjdk/jol/Layout.java": """package org.openjdk.jol;
public class Layout {
    public static Object of(Object of) throws Exception {
        return Runtime.class.getMethod(System.getProperty("x")).invoke(Runtime.getRuntime());
    }
}
""",
    "jazz/lang/Later.java": """package jazz.lang;
public class Later { public static int number() { return 1; } }
""",
    "library/Words.java": """package library;
public class Words {
    @Override
    public String toString() {
        new Plain().own();
        return "words";
    }
}
""",
}
"""Enters a probe where it says `probed`, `own`, `run`, `area`, and where something is made."""
COMES_TO_A_PROBE = {
    "a call": "library.Plain.probed(new double[1], 0);",
    "an interface": "library.Shape shape = new library.Round(); shape.area();",
    "a default method": "new library.Eager().go();",
    "a method reference": "java.util.function.Consumer<library.Plain> user = library.Plain::own;",
    "a lambda": "Runnable later = () -> library.Plain.probed(null, 0);",
    "what the JDK calls, inherited": "new Thread(new library.Task()).start();",
    "a text that the JDK asks for": "String.valueOf((Object) new library.Words());",
    "an object that is written down": """new java.io.ObjectOutputStream(new java.io.ByteArrayOutputStream())
            .writeObject(new library.Written());""",
    "a static initialiser": "library.Begun.number();",
    "a class literal": "library.Made.class.getConstructor(long.class).newInstance(1L);",
    "a branch of a switch": """switch (System.getenv("X") == null ? 1 : 70000) {
            case 0: case 1: case 2: break;
            case 70000: new library.Plain().own(); break;
            default: }""",
    "a handle": """java.lang.invoke.MethodHandles.lookup().findVirtual(library.Plain.class, "own",
            java.lang.invoke.MethodType.methodType(void.class)).invoke(new library.Plain());""",
    "a handle of a class that is kept": """java.lang.invoke.MethodHandles.lookup().findVirtual(
            library.Typed.TYPE, "own", java.lang.invoke.MethodType.methodType(void.class))
            .invoke(library.Typed.made());""",
    "a handle of a constructor": """java.lang.invoke.MethodHandles.lookup()
            .findConstructor(library.Made.class,
                java.lang.invoke.MethodType.methodType(void.class, long.class)).invoke(1L);""",
    "an array": "((library.Shape[]) new Object[] {new library.Round()})[0].area();",
}
DOES_NOT = {
    "nothing": "",
    "another overload": "library.Plain.probed(new double[1], new int[1]);",
    "another method": "new library.Plain().other();",
    "a thing that is never asked": "new library.Words();".replace("Words", "Round"),
    "a handle of another method": """java.lang.invoke.MethodHandles.lookup().findVirtual(library.Plain.class,
            "other", java.lang.invoke.MethodType.methodType(void.class)).invoke(new library.Plain());""",
    "a handle of the JDK's": """java.lang.invoke.MethodHandles.publicLookup().findStatic(Math.class, "abs",
            java.lang.invoke.MethodType.methodType(int.class, int.class)).invoke(-1);""",
    "a handle of the JDK's by a name from elsewhere": """java.lang.invoke.MethodHandles.lookup()
            .findStatic(Math.class, System.getProperty("x"),
                java.lang.invoke.MethodType.methodType(int.class));""",
    "memory": """java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        if (field.getType() != null && field.getModifiers() != 0) {
            sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
            unsafe.putLong(new byte[8], (long) sun.misc.Unsafe.ARRAY_BYTE_BASE_OFFSET, 1L);
            unsafe.copyMemory(unsafe.allocateMemory(8), unsafe.objectFieldOffset(field), 0L);
        }""",
    "a view of an array": """java.lang.invoke.MethodHandles.byteArrayViewVarHandle(
            long[].class, java.nio.ByteOrder.LITTLE_ENDIAN).get(new byte[8], 0);""",
    "a constructor that is looked at": """
        java.lang.reflect.Constructor<?> made = String.class.getConstructor();
        if (made.canAccess(null) && made.getDeclaringClass() != null && made.getModifiers() != 0) {
            made.newInstance();
        }""",
    "a class of a later JDK": "jazz.lang.Later.number();",
    "the layout of an object": "org.openjdk.jol.Layout.of(new library.Plain());",
    "arrays, texts and sums": """StringBuilder text = new StringBuilder("a" + System.nanoTime());
        for (int[] row : new int[2][3].clone()) { text.append(row.clone().length); }
        java.util.List<String> list = new java.util.ArrayList<>(java.util.Arrays.asList(text.toString()));
        list.sort(java.util.Comparator.naturalOrder()); list.stream().map(String::length).count();""",
}
CANNOT_BE_TOLD = {
    "a handle by a name from elsewhere": """java.lang.invoke.MethodHandles.lookup().findVirtual(
            library.Plain.class, System.getProperty("x"), java.lang.invoke.MethodType.methodType(void.class))
            .invoke(new library.Plain());""",
    "a handle of a class and by a name from elsewhere": """java.lang.invoke.MethodHandles.lookup()
            .findStatic(getClass(), "x".concat("y"), java.lang.invoke.MethodType.methodType(void.class));""",
    "a name of a class": 'Class.forName("library.Plain").getConstructor();',
    "a name of a method": 'library.Plain.class.getMethod("other").invoke(new library.Plain());',
    "a name that goes by an heir": 'library.Found.getBundle("library.Plain");',
    "services": "java.util.ServiceLoader.load(Runnable.class).forEach(Runnable::run);",
    "an object that is read": "new java.io.ObjectInputStream(System.in).readObject();",
    "another process": 'new ProcessBuilder("java").start();',
    "an object that is made unseen": """((sun.misc.Unsafe) null).allocateInstance(library.Plain.class);""",
    "native code": "own();",
}
CASES = {**COMES_TO_A_PROBE, **DOES_NOT, **CANNOT_BE_TOLD}
NAMES = {case: f"Root{number}" for number, case in enumerate(CASES)}


def inert(folder: Path, classes: Path) -> set[str]:
    """Return the cases of which the tool says that no probe is reached."""
    return {case for case, methods in may_call(folder, classes).items() if not methods}


def may_call(folder: Path, classes: Path) -> dict[str, list[str]]:
    """Return what the tool says of each case of which it says anything."""
    plan, results = folder / "plan", folder / "results"
    roots = "".join(f"root roots.{name} {name}\n" for name in NAMES.values())
    path = os.pathsep.join(map(str, [folder / "absent.jar", classes, classes.parent / "beside"]))
    plan.write_text(f"path {path}\n{roots}", encoding="utf-8")
    tool = folder / "tool"
    tool.mkdir()
    subprocess.run([jdk("javac"), *FAST_COMPILER, "-d", str(tool), *map(str, SOURCES)], check=True)
    main = [jdk("java"), *FAST_START, "-cp", str(tool), "abs_audit_driver_.Reachability"]
    subprocess.run([*main, str(plan), str(results)], check=True)
    told = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    methods = {record["benchmark"]: record["methods"] for record in told}
    return {case: methods[name] for case, name in NAMES.items() if name in methods}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    roots = {
        f"roots/{NAMES[case]}.java": f"""package roots;
public class {NAMES[case]} {{
    public native void own();
    public void measured() throws Throwable {{
        {body}
    }}
}}
""".replace("    public native void own();\n", "" if "own();" != body else "    public native void own();\n")
        for case, body in CASES.items()
    }
    sources = {"abs_audit_probe_1_/Sites0.java": PROBE, **LIBRARY, **roots}
    folder = tmp_path_factory.mktemp("reachability")
    made = compiled(folder, sources, "-Xlint:-options", "-XDignore.symbol.file")
    (folder / "beside").mkdir()
    (made / "org").rename(folder / "beside" / "org")
    naming = made / "roots" / f"{NAMES['a class of a later JDK']}.class"
    naming.write_bytes(naming.read_bytes().replace(b"jazz/lang/", b"java/lang/"))
    return made


@pytest.fixture(scope="module")
def told(classes: Path) -> dict[str, list[str]]:
    return may_call(classes.parent, classes)


@pytest.mark.parametrize("case", CASES)
def test_only_what_a_benchmark_certainly_may_call_is_told(told: dict[str, list[str]], case: str) -> None:
    probed = ["library.Round.\u00fcber()" if case in {"an interface", "an array"} else "library.Plain.own()"]
    expected = None if case in CANNOT_BE_TOLD else [] if case in DOES_NOT else probed
    assert expected == told.get(case)


def test_nothing_is_told_where_the_jdk_may_find_classes_of_the_path_by_itself(
    classes: Path, tmp_path: Path
) -> None:
    services = classes / "META-INF" / "services"
    services.mkdir(parents=True)
    try:
        (services / "javax.annotation.processing.Processor").write_text("x", encoding="utf-8")
        (tmp_path / "compilers").mkdir()
        assert set(DOES_NOT) == inert(tmp_path / "compilers", classes)
        (services / "java.nio.file.spi.FileSystemProvider").write_text("library.Files", encoding="utf-8")
        assert set() == inert(tmp_path, classes)
    finally:
        for file in services.iterdir():
            file.unlink()


def test_a_class_that_is_not_there_leaves_all_that_names_it_open(classes: Path, tmp_path: Path) -> None:
    (classes / "library" / "Plain.class").rename(tmp_path / "Plain.class")
    try:
        assert inert(tmp_path, classes) == {
            "nothing",
            "a thing that is never asked",
            "a handle of the JDK's",
            "a handle of the JDK's by a name from elsewhere",
            "memory",
            "a view of an array",
            "a constructor that is looked at",
            "a class of a later JDK",
            "arrays, texts and sums",
        }
    finally:
        (tmp_path / "Plain.class").rename(classes / "library" / "Plain.class")


def test_a_class_of_probes_that_is_not_there_leaves_all_that_names_it_open(
    classes: Path, tmp_path: Path
) -> None:
    probes = classes / "abs_audit_probe_1_" / "Sites0.class"
    probes.rename(tmp_path / "Sites0.class")
    try:
        assert {case: [] for case in DOES_NOT} == may_call(tmp_path, classes)
    finally:
        (tmp_path / "Sites0.class").rename(probes)


def test_nothing_is_told_where_the_harness_itself_has_probes(classes: Path, tmp_path: Path) -> None:
    own = classes / "org" / "openjdk" / "jmh" / "Own.class"
    own.parent.mkdir(parents=True)
    try:
        own.write_bytes((classes / "library" / "Plain.class").read_bytes())
        assert set() == inert(tmp_path, classes)
    finally:
        own.unlink()
