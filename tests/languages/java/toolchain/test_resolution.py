"""What the names in Java sources mean: each rule of the language on the smallest library that shows it.

A method `m(…)` of the class `p.Here` has the written types as parameters; what it is called by is compared.
"""

from collections.abc import Sequence

import pytest

from abs_audit.languages.java.toolchain.outline import outline
from abs_audit.languages.java.toolchain.resolution import LibraryType, Names, library_types


def types_of(*sources: str) -> list[LibraryType]:
    return library_types(outline(f"{number}.java", text) for number, text in enumerate(sources))


def parameters(types: Sequence[LibraryType], of: str = "p.Here") -> list[str]:
    """Return the erased parameters of the first method of a type."""
    names = Names(types)
    place = names.types[of]
    method = place.declaration.methods[0]
    return [names.erased(parameter, place, method) for parameter in method.parameters]


def here(written: str, imports: str = "", *others: str, inside: str = "") -> list[str]:
    """Return what the types that a method of `p.Here` has written as parameters mean."""
    declared = ", ".join(f"{name} a{number}" for number, name in enumerate(written.split(" ; ")))
    text = f"package p; {imports} public class Here {{ {inside} void m({declared}) {{}} }}"
    return parameters(types_of(text, *others))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("int ; long[]", ["int", "long[]"]),
        ("String ; Object[][]", ["java.lang.String", "java.lang.Object[][]"]),
        ("int...", ["int[]"]),
        ("Map.Entry<K, V>", ["p.Map$Entry"]),
        ("Thread.State", ["java.lang.Thread$State"]),
        ("java.util.Map.Entry", ["java.util.Map$Entry"]),
        ("org.other.Outer.Inner", ["org.other.Outer$Inner"]),
        ("Iterable<String>[]", ["java.lang.Iterable[]"]),
    ],
)
def test_a_name_without_imports_is_a_primitive_of_java_lang_of_the_package_or_qualified(
    written: str, meant: list[str]
) -> None:
    assert meant == here(written, "")


@pytest.mark.parametrize(
    ("imports", "written", "meant"),
    [
        ("import java.util.List;", "List", "java.util.List"),
        ("import java.util.Map.Entry;", "Entry", "java.util.Map$Entry"),
        ("import java.util.*;", "Map.Entry", "java.util.Map$Entry"),
        ("import java.util.Map.*;", "Entry", "java.util.Map$Entry"),
        ("import static java.util.Map.Entry;", "Entry", "java.util.Map$Entry"),
        ("import org.other.Gone;", "Gone", "org.other.Gone"),
        ("import org.other.Gone;", "Gone.Part", "org.other.Gone$Part"),
        # One package of which nothing is known may hold what is nowhere else; of two none is more likely.
        ("import org.other.*;", "Gone", "org.other.Gone"),
        ("import org.other.*; import org.third.*;", "Gone", "p.Gone"),
        ("import org.other.*;", "Gone.Part", "org.other.Gone$Part"),
        # A single import counts before the package, the package before imports on demand.
        ("import q.Twin;", "Twin", "q.Twin"),
        ("import q.*;", "Twin", "p.Twin"),
        ("import q.*;", "Only", "q.Only"),
    ],
)
def test_imports_say_where_a_name_comes_from(imports: str, written: str, meant: str) -> None:
    twins = ["package p; class Twin {}", "package q; public class Twin {}", "package q; public class Only {}"]
    assert [meant] == here(written, imports, *twins)


@pytest.mark.parametrize(
    ("head", "written", "meant"),
    [
        ("<T>", "T ; T[] ; List<T>", ["java.lang.Object", "java.lang.Object[]", "p.List"]),
        ("<T extends Number & Runnable>", "T", ["java.lang.Number"]),
        ("<T extends Number, S extends T>", "S", ["java.lang.Number"]),
        ("<T extends Comparable<T>>", "T", ["java.lang.Comparable"]),
        # The compiler refuses it; the program must come to an end all the same.
        ("<T extends T>", "T", ["java.lang.Object"]),
    ],
)
def test_type_variables_are_erased_to_their_first_bound(head: str, written: str, meant: list[str]) -> None:
    declared = ", ".join(f"{name} a{number}" for number, name in enumerate(written.split(" ; ")))
    of_method = f"package p; class Here {{ {head} void m({declared}) {{}} }}"
    of_type = f"package p; class Here{head} {{ void m({declared}) {{}} }}"
    assert [meant, meant] == [parameters(types_of(text)) for text in (of_method, of_type)]


@pytest.mark.parametrize(
    ("kind", "meant"),
    [("class Inner", "java.lang.Number"), ("static class Inner", "p.T"), ("interface Inner", "p.T")],
)
def test_variables_of_an_outer_type_mean_nothing_where_there_is_no_outer_instance(
    kind: str, meant: str
) -> None:
    types = types_of(f"package p; class Here<T extends Number> {{ {kind} {{ void m(T a); }} }}")
    assert [meant] == parameters(types, of="p.Here$Inner")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("class Here { class Part {} void m(Part a) {} }", "p.Here$Part"),
        ("class Here extends Base { void m(Part a) {} }", "p.Base$Part"),
        ("class Here extends Middle { void m(Part a) {} }", "p.Base$Part"),
        ("class Here implements java.util.Map { void m(Entry a) {} }", "java.util.Map$Entry"),
        # What it inherits hides what lies around it.
        ("class Part {} class Here extends Base { void m(Part a) {} }", "p.Base$Part"),
        ("class Here { void m(Here a) {} class Here2 {} }", "p.Here"),
        ("class Here extends Round { void m(Part a) {} }", "p.Part"),
    ],
)
def test_member_types_are_found_in_the_type_and_in_all_that_it_inherits(text: str, meant: str) -> None:
    others = (
        "package p; class Base { class Part {} }",
        "package p; class Middle extends Base {}",
        "package p; class Round extends Turn {}",
        "package p; class Turn extends Round {}",
    )
    assert [meant] == parameters(types_of(f"package p; {text}", *others))


def test_supertypes_are_looked_up_around_a_type_and_not_in_it() -> None:
    types = types_of(
        "package p; class Here extends Part { class Part {} }",
        "package p; class Part {}",
        "package p; class Outer { class In extends Part {} class Part {} }",
    )
    names = Names(types)
    assert ["p.Part"] == names.supertypes(names.types["p.Here"])
    assert ["p.Outer$Part"] == names.supertypes(names.types["p.Outer$In"])


def test_a_lineage_is_a_type_with_all_of_the_library_that_it_is_one_of() -> None:
    types = types_of(
        "package p; class Here extends Base implements Runnable, Drawn {}",
        "package p; class Base implements Drawn {}",
        "package p; interface Drawn extends java.io.Serializable {}",
        "package p; class Heir extends Here {}",
    )
    names = Names(types)
    assert {"p.Here", "p.Base", "p.Drawn"} == names.lineage("p.Here")
    assert set() == names.lineage("java.lang.Runnable")


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("public class A { public class B {} }", True),
        ("public class A { class B {} }", False),
        ("class A { public class B {} }", False),
        ("public interface A { class B {} }", True),
        ("public @interface A { enum B {} }", True),
    ],
)
def test_everyone_may_name_a_type_that_is_public_in_public_ones(text: str, public: bool) -> None:
    assert public is Names(types_of(f"package p; {text}")).types["p.A$B"].is_public


def test_methods_of_interfaces_are_public_unless_they_are_private() -> None:
    drawn, here_ = types_of(
        "package p; interface Drawn { void m(); private void n() {} }",
        "package p; class Here { void m() {} public void n() {} }",
    )
    assert [True, False] == [drawn.shows(method) for method in drawn.declaration.methods]
    assert [False, True] == [here_.shows(method) for method in here_.declaration.methods]


def test_a_type_without_a_package_has_its_own_name() -> None:
    (outer, inner) = types_of("class Here { class Part {} void m(Part a, Here b) {} }")
    assert ["Here", "Here$Part", "Here.Part"] == [outer.binary, inner.binary, inner.canonical]
    assert ["Here$Part", "Here"] == parameters([outer, inner], of="Here")


def test_of_two_files_with_one_type_the_first_one_counts() -> None:
    types = types_of(
        "package p; class Here { void m(int a) {} }", "package p; class Here { void m(long a) {} }"
    )
    assert ["int"] == parameters(types)
