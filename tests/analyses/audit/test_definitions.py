"""A report shows where the scored methods stand, and reads no more of a library than that takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from abs_audit.analyses.audit.measure import definitions
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.injectors.java.injector import JavaInjector
from abs_audit.injectors.python.injector import PythonInjector
from abs_audit.interfaces import Injector
from abs_audit.model.subject import ApiListing, ApiMethod, Patch, SourceTree


@dataclass
class Reading:
    """An injector that notes which texts it was given to read."""

    injector: Injector
    read: list[set[str]] = field(default_factory=list)

    def api_methods(self, tree: SourceTree) -> ApiListing:
        return self.injector.api_methods(tree)

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        self.read.append({path for path, text in tree.items() if text})
        return self.injector.all_functions(tree)

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        return self.injector.instrument(tree, methods)


PYTHON = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/__init__.py": "",
    "shop/cart.py": "def total(items):\n    return sum(items)\n\n\ndef clear(items):\n    items.clear()\n",
    "shop/stock.py": "def count(items):\n    return len(items)\n",
}
GO = {
    "go.mod": "module shop\n",
    "cart.go": "package shop\n\nfunc Total(items []int) int {\n\treturn items[0]\n}\n",
    "stock/stock.go": "package stock\n\nfunc Count() int {\n\treturn 1\n}\n",
}
CART = "package shop;\npublic class Cart {\n  public int total(int first) {\n    return 1;\n  }\n}\n"
STOCK = "public class Stock {\n  public int count() {\n    return 1;\n  }\n}\n"
JAVA = {"shop/Cart.java": CART, "shop/Stock.java": f"package shop;\n{STOCK}"}
TYPED = {
    "shop/Cart.java": CART.replace("Cart {", "Cart extends Base {").replace("int first", "Item first"),
    "shop/Base.java": "package shop;\npublic class Base {\n  public static class Item {}\n}\n",
}


@pytest.mark.parametrize(
    ("injector", "tree", "method", "path", "unread"),
    [
        (PythonInjector(), PYTHON, "shop.cart.total", "shop/cart.py", "shop/stock.py"),
        (GoInjector(), GO, "shop.Total", "cart.go", "stock/stock.go"),
        (JavaInjector(), JAVA, "shop.Cart.total(int)", "shop/Cart.java", "shop/Stock.java"),
    ],
)
def test_only_files_that_hold_a_method_are_read(
    injector: Injector, tree: dict[str, str], method: str, path: str, unread: str
) -> None:
    reading = Reading(injector)
    found = definitions(reading, tree, injector.instrument(tree, [method]))
    (listed,) = (own for own in injector.all_functions(tree) if own.id == method)
    assert (path, listed.line) == (found[method].path, found[method].line)
    assert "+" in found[method].injected
    assert [set(tree) - {unread}] == [texts | {"shop/__init__.py"} & set(tree) for texts in reading.read]


def test_where_an_id_names_types_of_other_files_all_are_read() -> None:
    reading = Reading(JavaInjector())
    method = "shop.Cart.total(shop.Base$Item)"
    found = definitions(reading, TYPED, reading.instrument(TYPED, [method]))
    assert "shop/Cart.java" == found[method].path
    assert set(TYPED) == reading.read[-1]


def test_a_method_that_cannot_carry_a_probe_has_no_place_and_makes_nothing_else_be_read() -> None:
    reading = Reading(PythonInjector())
    patch = reading.instrument(PYTHON, ["shop.cart.total", "shop.cart.gone"])
    assert ["shop.cart.gone"] == [skipped.method for skipped in patch.skipped]
    assert {"shop.cart.total"} == set(definitions(reading, PYTHON, patch))
    assert all("shop/stock.py" not in texts for texts in reading.read)
