"""What a method id names, and whether a benchmark may call it again and again."""

from textwrap import dedent, indent

import pytest

from abs_audit.languages.python.stubs.library import Library
from abs_audit.languages.python.stubs.repeatability import Definition, Kind, define

# What stands in the class, the end of the id, and how users reach it.
KINDS = [
    ("def m(self): ...", "C.m", Kind.METHOD),
    ("async def m(self): ...", "C.m", Kind.METHOD),
    ("@classmethod\ndef m(cls): ...", "C.m", Kind.CLASS_METHOD),
    ("@staticmethod\ndef m(): ...", "C.m", Kind.STATIC_METHOD),
    ("def __class_getitem__(cls, key): ...", "C.__class_getitem__", Kind.CLASS_METHOD),
    ("def __init__(self): ...", "C.__init__", Kind.CONSTRUCTOR),
    ("def __new__(cls): ...", "C.__new__", Kind.CONSTRUCTOR),
    ("@property\ndef m(self): ...", "C.m", Kind.PROPERTY),
    ("@functools.cached_property\ndef m(self): ...", "C.m", Kind.PROPERTY),
    ("@property\ndef m(self): ...\n@m.setter\ndef m(self, to): ...", "C.m.setter", Kind.SETTER),
    ("@property\ndef m(self): ...\n@m.deleter\ndef m(self): ...", "C.m.deleter", Kind.DELETER),
]
# A method, and what of these holds for it; for all others it does not.
TRAITS = [
    ("def m(self): return 1", {"is_quick"}),
    ("def m(self): return len(self.x)", {"is_quick"}),
    ("def m(self): return self.other()", set()),
    ("def m(self):\n    for x in self.x: pass", set()),
    ("def m(self): return [x for x in self.x]", set()),
    ("async def m(self): return 1", {"is_quick", "is_coroutine", "is_asynchronous"}),
    ("def m(self): yield 1", {"is_quick", "is_generator"}),
    ("async def m(self): yield 1", {"is_quick", "is_generator", "is_asynchronous"}),
    ("@contextlib.contextmanager\ndef m(self): yield 1", {"is_quick", "is_context_manager"}),
    ("def m(self):\n    def inner(): yield 1\n    return inner", {"is_quick"}),
    ("def m(self): return self.x.pop()", {"consumes"}),
    ("def m(self): del self.x", {"is_quick", "consumes"}),
    ("def m(self): return other.pop()", set()),
    ("def __next__(self): return 1", {"is_quick", "consumes"}),
    ("@functools.lru_cache\ndef m(self): return 1", {"is_quick", "cache", "is_clearable"}),
    ("@memoize\ndef m(self): return 1", {"is_quick", "cache"}),
    ('def m(self):\n    """Say why."""\n    raise NotImplementedError', {"is_quick", "refuses"}),
]
NAMES = (
    *("is_quick", "is_coroutine", "is_asynchronous", "is_generator", "is_context_manager"),
    *("consumes", "cache", "is_clearable", "refuses"),
)


def defined(body: str, name: str) -> Definition | None:
    source = f"class C:\n{indent(dedent(body), '    ')}\n\nclass Heir(C): ...\n\ndef f(a, b=1): ...\n"
    return define(Library({"pkg/__init__.py": source}), f"pkg.{name}")


@pytest.mark.parametrize(("body", "name", "kind"), KINDS, ids=[kind[0] for kind in KINDS])
def test_a_member_is_of_a_kind(body: str, name: str, kind: Kind) -> None:
    definition = defined(body, name)
    assert definition is not None
    assert kind is definition.kind


@pytest.mark.parametrize(("body", "traits"), TRAITS, ids=[traits[0] for traits in TRAITS])
def test_a_body_shows_what_calling_it_again_means(body: str, traits: set[str]) -> None:
    definition = defined(body, "C.__next__" if "__next__" in body else "C.m")
    assert traits == {name for name in NAMES if getattr(definition, name)}


def test_a_function_has_all_of_its_parameters_and_a_method_none_for_its_instance() -> None:
    function, method = defined("def m(self, a): ...", "f"), defined("def m(self, a): ...", "C.m")
    assert function is not None
    assert method is not None
    assert Kind.FUNCTION is function.kind
    assert (["a", "b"], ["a"]) == tuple(
        [parameter.arg for parameter in each.parameters.args] for each in (function, method)
    )


def test_an_heir_has_what_it_inherits_and_nothing_else() -> None:
    inherited = defined("def m(self): ...", "Heir.m")
    assert inherited is not None
    assert Kind.METHOD is inherited.kind
    assert defined("def m(self): ...", "Heir.other") is None
