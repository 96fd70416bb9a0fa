"""Who called a method, as the recorder of the Java tracer sees it on the stack: one JVM for all."""

from pathlib import Path

import pytest

from tests.support.java_probes import compiled, environment, started

RECORDER = Path(__file__).parents[2] / "tracers/java/agent/src/main/java/abs_audit_tracer/Recorder.java"
CALLED = 'abs_audit_tracer.Recorder.called("{}", new Object[0]);'.format
LIBRARY = {
    "library/Plum.java": f"""package library;
public class Plum extends Hidden<String> implements Comparable<Plum>, Cloneable {{
    public int compareTo(Plum other) {{ {CALLED("bridged")} return 0; }}
    public Plum clone() {{ {CALLED("covariant")} return this; }}
    public void label() {{ label(2); }}
    public void label(int width) {{ {CALLED("overloaded")} }}
}}
class Hidden<T> {{ public T hidden(T name) {{ {CALLED("hidden")} return name; }} }}
""",
    "abs_audit_tracer/Begin.java": """package abs_audit_tracer;
public class Begin {
    public static void main(String[] arguments) throws Exception {
        Recorder.begin(java.util.Set.of("library"), arguments[0], arguments[1]);
        Class.forName("user.Use").getMethod("all").invoke(null);
    }
}
""",
    "abs_audit_tracer/Recorder.java": RECORDER.read_text(),
}
USER = {
    "user/Use.java": """package user;
import java.util.Arrays;
import library.Plum;
public class Use {
    public static void all() {
        Plum plum = new Plum();
        Comparable<Plum> comparable = plum;
        comparable.compareTo(plum);
        Arrays.sort(new Object[] {plum, plum});
        plum.hidden("plum");
        plum.clone();
        plum.label();
        plum.label(3);
    }
}
"""
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, ...]]:
    """Return method → calls of the downstream, of the library, and of others."""
    place = tmp_path_factory.mktemp("recorder")
    library = compiled(place / "library", LIBRARY, "-Xlint:none")
    user = compiled(place / "user", USER, "-Xlint:none", "-cp", str(library))
    (place / "calls").mkdir()
    done = started(
        [library, user], ["abs_audit_tracer.Begin", str(user), str(place / "calls")], environment()
    )
    assert done.returncode == 0, done.stderr
    (written,) = (place / "calls").glob("*.tsv")
    lines = [line.split("\t") for line in written.read_text().splitlines()]
    return {name: tuple(map(int, counts)) for name, *counts in lines}


@pytest.mark.parametrize(
    ("method", "expected"),
    [("bridged", (2, 0, 0)), ("hidden", (1, 0, 0)), ("covariant", (1, 0, 0)), ("overloaded", (1, 1, 0))],
)
def test_what_javac_puts_between_caller_and_method_is_no_caller(
    calls: dict[str, tuple[int, ...]], method: str, expected: tuple[int, ...]
) -> None:
    """A call by an interface's types, or of what a hidden class declares, enters a bridge first."""
    assert calls[method] == expected
