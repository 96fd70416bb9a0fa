"""Which value is made up for an annotation, and how an instance of a class is made."""

import ast

import pytest

from abs_audit.languages.python.stubs.library import Library, Symbol
from abs_audit.languages.python.stubs.values import SampleValues

TEXT = "the quick brown fox jumps over the lazy dog"
LIBRARY = """
import dataclasses, decimal, enum, typing
class Plain: ...
class Sized:
    def __init__(self, size: int, name="a"): ...
class Named:
    def __init__(self, *, name: str): ...
class Nested:
    def __init__(self, inner: Sized): ...
class Open:
    def __init__(self, inner): ...
class Unit(enum.Enum):
    _SECRET = 0
    GRAM = 1
@dataclasses.dataclass
class Jar:
    width: int
    label: str = ""
    kind: typing.ClassVar[int] = 3
class Refusing:
    def __init__(self): raise TypeError
class Base:
    @abstractmethod
    def m(self): ...
class Heir(Base):
    def m(self): ...
class Foreign(dict): ...
Key = typing.TypeVar("Key")
Weight = typing.NewType("Weight", int)
Alias = list[int]
class Renamed(Alias):
    def __init__(self, size: int): ...
"""
# An annotation, and the value for it; None: nothing simple is known.
VALUES = [
    ("str", repr(TEXT)),
    ("int", "1000"),
    ("bool", "True"),
    ("None", "None"),
    ("'int'", "1000"),
    ("int | str", "1000"),
    ("None | str", repr(TEXT)),
    ("typing.Optional[int]", "1000"),
    ("typing.Union[None, float]", "1000.5"),
    ("typing.Literal['wide', 'narrow']", "'wide'"),
    ("typing.Annotated[int, 'some']", "1000"),
    ("list[int]", "[1000, 1000, 1000]"),
    ("typing.Sequence[bool]", "[True, True, True]"),
    ("set[int]", "{1000}"),
    ("frozenset[int]", "frozenset({1000})"),
    ("tuple[int, bool]", "(1000, True)"),
    ("tuple[()]", "()"),
    ("Literal[()]", None),
    ("tuple[int, ...]", "(1000, 1000, 1000)"),
    ("dict[int, bool]", "{1000: True}"),
    ("dict[int, unknown]", None),
    ("list", f"[{TEXT!r}, {TEXT!r}, {TEXT!r}]"),
    ("decimal.Decimal", "Decimal('1000.5')"),
    ("Sized", "Sized(1000)"),
    ("list[Plain]", "[Plain(), Plain(), Plain()]"),
    ("Key", repr(TEXT)),
    ("Weight", "1000"),
    ("Alias", "[1000, 1000, 1000]"),
    ("typing.Callable[[], int]", None),
    ("unknown", None),
    ("'no annotation'", None),
]
# A class, and how an instance of it is made.
INSTANCES = [
    ("Plain", "Plain()"),
    ("Named", f"Named(name={TEXT!r})"),
    ("Nested", "Nested(Sized(1000))"),
    ("Open", None),  # nothing tells what it takes
    ("Unit", "Unit.GRAM"),
    ("Jar", "Jar(width=1000)"),
    ("Refusing", None),
    ("Base", None),  # its methods are for heirs to write
    ("Heir", "Heir()"),
    ("Renamed", "Renamed(1000)"),  # its base is no class of the library, whatever its name is
    ("Foreign", None),  # another library's class has a say
]


def values() -> SampleValues:
    return SampleValues(Library({"pkg/__init__.py": LIBRARY}))


@pytest.mark.parametrize(("annotation", "value"), VALUES)
def test_a_value_is_made_up_for_an_annotation(annotation: str, value: str | None) -> None:
    made = values().value(ast.parse(annotation, mode="eval").body, "pkg")
    assert value == (made.text if made else None)


@pytest.mark.parametrize(("name", "text"), INSTANCES)
def test_an_instance_is_made_by_what_its_class_shows(name: str, text: str | None) -> None:
    made = values().instance(Symbol(module="pkg", name=name))
    assert text == (made.text if made else None)


def test_a_value_says_what_has_to_be_imported() -> None:
    made = values().value(ast.parse("dict[decimal.Decimal, Sized]", mode="eval").body, "pkg")
    assert made is not None
    assert {("decimal", "Decimal"), ("pkg", "Sized")} == {(line.module, line.name) for line in made.imports}
