"""Which methods are a library's API: those that callers execute, be it by an interface."""

from abs_audit.injectors.java.catalogue import catalogue

SOURCE = """package p;

public interface Barrier {
    long waitFor(long sequence);

    static Barrier create() {
        return new Processing();
    }
}

abstract class Base implements Barrier {
    public int waited() {
        return 0;
    }
}

final class Processing extends Base {
    Processing() {
    }

    public long waitFor(long sequence) {
        return sequence;
    }

    public long waitFor(long sequence, long other) {
        return other;
    }

    public void close() {
    }
}

final class Other {
    public long waitFor(long sequence) {
        return sequence;
    }
}
"""


def test_what_implements_a_public_interface_is_api_though_its_type_is_not() -> None:
    """The disruptor's users wait at `ProcessingSequenceBarrier`, which they know as a `SequenceBarrier`."""
    listed = catalogue({"src/main/java/p/Barrier.java": SOURCE})
    assert {
        "p.Barrier.waitFor(long)": True,
        "p.Barrier.create()": False,
        "p.Processing.waitFor(long)": False,
    } == {method.id: bool(method.reason) for method in listed.public()}
