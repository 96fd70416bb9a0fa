"""Where the names of a library are defined, and where its users import them from."""

import pytest

from abs_audit.languages.python.stubs.library import Library, Symbol

TREE = {
    "src/pkg/__init__.py": """
from typing import TYPE_CHECKING
from pkg._inner import Jar
from pkg.shelf import Shelf as Board
if TYPE_CHECKING:
    from pkg._inner import Lid
""",
    "src/pkg/_inner.py": """
class Jar:
    class Rim: ...
    def open(self): ...
class Lid(Jar):
    def shut(self): ...
class Cork(Lid):
    def open(self): ...
""",
    "src/pkg/shelf.py": "import pkg\nfrom ._inner import *\nclass Shelf: ...\nclass Row(pkg.Jar): ...\n",
}
# A module, a name in it, and what it names; None: nothing of the library.
NAMES = [
    ("pkg._inner", "Jar", "pkg._inner.Jar"),
    ("pkg", "Jar", "pkg._inner.Jar"),
    ("pkg", "Board", "pkg.shelf.Shelf"),
    ("pkg", "Jar.Rim", "pkg._inner.Jar.Rim"),
    ("pkg.shelf", "Cork", "pkg._inner.Cork"),
    ("pkg.shelf", "pkg.Jar", "pkg._inner.Jar"),
    ("pkg", "TYPE_CHECKING", None),
    ("pkg", "Shelf", None),
    ("other", "Jar", None),
]
# A class, and the module that users import it from.
HOMES = [
    ("pkg._inner", "Jar", "pkg"),
    ("pkg._inner", "Jar.Rim", "pkg"),
    ("pkg._inner", "Lid", "pkg.shelf"),  # passed on by the package to type checkers alone
    ("pkg.shelf", "Shelf", "pkg.shelf"),  # passed on under another name
]
# A class, one of its methods, and the class whose body it comes from.
OWNERS = [
    ("Jar", "open", "pkg._inner.Jar"),
    ("Lid", "open", "pkg._inner.Jar"),
    ("Cork", "open", "pkg._inner.Cork"),
    ("Cork", "shut", "pkg._inner.Lid"),
    ("Cork", "fill", None),
]


@pytest.mark.parametrize(("module", "name", "identifier"), NAMES)
def test_a_name_is_followed_to_its_definition(module: str, name: str, identifier: str | None) -> None:
    symbol = Library(TREE).named(module, name)
    assert identifier == (symbol.id if symbol else None)


@pytest.mark.parametrize(("module", "name", "home"), HOMES)
def test_a_symbol_is_imported_from_where_users_do(module: str, name: str, home: str) -> None:
    assert home == Library(TREE).home(Symbol(module=module, name=name))


@pytest.mark.parametrize(("name", "method", "owner"), OWNERS)
def test_a_method_comes_from_the_nearest_class_that_has_it(name: str, method: str, owner: str | None) -> None:
    symbol = Library(TREE).owner(Symbol(module="pkg._inner", name=name), method)
    assert owner == (symbol.id if symbol else None)


def test_heirs_are_found_through_imports() -> None:
    heirs = Library(TREE).heirs[Symbol(module="pkg._inner", name="Jar")]
    assert {"pkg._inner.Lid", "pkg._inner.Cork", "pkg.shelf.Row"} == {heir.id for heir in heirs}


AGAIN = {
    "src/old/__init__.py": "from old._make import field, pipe\n",
    "src/old/_make.py": "def field(): ...\ndef pipe(): ...\ndef weld(): ...\n",
    "src/old/converters.py": "__all__ = ['weld']\nfrom old._make import field, weld\n",
    "src/new/__init__.py": "from old import field\n",
    "src/new/converters.py": "from old.converters import *\n",
}
# What benchmarks import from, a name of `old._make`, and the module to import it from.
AS_IMPORTED = [
    ({"new"}, "field", "new"),
    (set(), "field", "old"),
    ({"new"}, "pipe", "old"),
    ({"new"}, "weld", "new.converters"),
    ({"old"}, "weld", "old.converters"),
]


@pytest.mark.parametrize(("imported", "name", "home"), AS_IMPORTED)
def test_a_symbol_is_imported_from_what_the_benchmarks_import_from(
    imported: set[str], name: str, home: str
) -> None:
    library = Library(AGAIN, imported)
    assert library.home(Symbol(module="old._make", name=name)) == home
