"""How Python itself calls a method, as far as what it is given allows."""

import pytest

from abs_audit.languages.python.stubs.operators import operation

OPERATIONS = [
    ("__getitem__", ["1"], "jar[1]"),
    ("__setitem__", ["1", "2"], "jar[1] = 2"),
    ("__add__", ["1"], "jar + 1"),
    ("__radd__", ["1"], "1 + jar"),
    ("__rpow__", ["2"], "2 ** jar"),
    ("__len__", [], "len(jar)"),
]
TOO_FEW = ["__getitem__", "__contains__", "__rpow__", "__add__", "__radd__"]


@pytest.mark.parametrize(("method", "given", "statement"), OPERATIONS)
def test_a_special_method_is_called_by_its_operation(method: str, given: list[str], statement: str) -> None:
    assert statement == operation(method, "jar", given)


@pytest.mark.parametrize("method", TOO_FEW)
def test_an_operation_that_lacks_an_operand_is_none(method: str) -> None:
    assert operation(method, "jar", []) is None
