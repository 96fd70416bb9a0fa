"""Texts put into Go files: every other byte stays, and stays on its line."""

import pytest

from abs_audit.languages.go.toolchain.outline import free_name, importing, outline
from abs_audit.languages.syntax import Splice, spliced


@pytest.mark.parametrize(
    ("splices", "after"),
    [
        ((), "abcdef"),
        ((Splice(start=2, text="X"),), "abXcdef"),
        ((Splice(start=2, end=4, text="X"),), "abXef"),
        # In whatever order they come.
        ((Splice(start=4, text="Y"), Splice(start=0, text="X")), "XabcdYef"),
        # Two sites in one function may each name the same parameter.
        ((Splice(start=2, text="X"), Splice(start=2, text="X")), "abXcdef"),
        ((Splice(start=2, text="X"), Splice(start=2, text="Y")), "abXYcdef"),
        ((Splice(start=6, text="X"),), "abcdefX"),
    ],
)
def test_splices_are_put_in_by_their_places(splices: tuple[Splice, ...], after: str) -> None:
    assert after == spliced("abcdef", splices)


@pytest.mark.parametrize("text", ["// ä\nx", "\r\n\tx", "// \udc80\nx"])
def test_places_are_bytes_and_other_bytes_stay(text: str) -> None:
    end = len(text.encode("utf-8", "surrogatepass"))
    assert text + "!" == spliced(text, [Splice(start=end, text="!")])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("package p\n", 'package p; import n "m"\n'),
        ('// c\npackage p // import "q"\n', '// c\npackage p; import n "m" // import "q"\n'),
        (
            'package p\n\n// #include <x.h>\nimport "C"\n',
            'package p; import n "m"\n\n// #include <x.h>\nimport "C"\n',
        ),
    ],
)
def test_an_import_stands_on_the_line_of_the_package_clause(text: str, after: str) -> None:
    assert after == spliced(text, [importing(outline(text.encode()), "n", "m")])


def test_a_free_name_occurs_in_no_source() -> None:
    assert free_name({"a.go": "x", "b.go": "y"}) == "_abs"
    assert free_name({"a.go": "var _abs_ int", "b.go": "y"}) == "_abs__"
