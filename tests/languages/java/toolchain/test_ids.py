"""Ids of methods from what a JVM calls them."""

import pytest

from abs_audit.languages.java.toolchain.ids import Ids, parameter_types


@pytest.mark.parametrize(
    ("descriptor", "expected"),
    [
        ("()V", []),
        ("(Ljava/lang/Object;[I)V", ["java.lang.Object", "int[]"]),
        (
            "(JZ[[Lorg/x/Outer$Inner;BCDFS)I",
            ["long", "boolean", "org.x.Outer$Inner[][]", "byte", "char", "double", "float", "short"],
        ),
    ],
)
def test_descriptors_become_the_types_of_method_ids(descriptor: str, expected: list[str]) -> None:
    assert expected == parameter_types(descriptor)


@pytest.mark.parametrize(
    ("owner", "name", "descriptor", "found"),
    [
        ("org.x.A", "f", "(I)V", "org.x.A.f(int)"),
        ("org.x.A", "f", "(J)V", None),
        ("org.x.A$B", "<init>", "(Lorg/x/A;I)V", "org.x.A$B.<init>(int)"),
        ("org.x.Hidden", "g", "()V", "org.x.Heir.g()"),
        ("org.y.Hidden", "g", "()V", None),
        ("org.x.Hidden", "f", "(I)V", "org.x.A.f(int)"),
    ],
    ids=[
        "as it is called",
        "another type",
        "an inner class has its outer one passed",
        "of a hidden class, which one class alone inherits",
        "of another package",
        "of a hidden class, by its name",
    ],
)
def test_an_executed_method_is_known_by_its_id(
    owner: str, name: str, descriptor: str, found: str | None
) -> None:
    ids = Ids(["org.x.A.f(int)", "org.x.A$B.<init>(int)", "org.x.Heir.g()"])
    assert found == ids.find(owner, name, descriptor)
