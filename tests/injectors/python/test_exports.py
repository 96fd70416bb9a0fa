"""What users of a library may import of its private modules."""

import pytest

from abs_audit.injectors.python.injector import PythonInjector

PURE = "def read():\n    return 1\n\ndef hidden():\n    return 2\n"
CHOICES = {
    "by its own name": "from ._pure import read\n",
    "by another name": "from ._pure import read as load\n",
    "by an assignment": "from ._pure import read as _read\nread = _read\n",
    "where the extension is missing": (
        "try:\n    from ._fast import read as _fast\n    read = _fast\n"
        "except ImportError:\n    from ._pure import read as _slow\n    read = _slow\n"
    ),
    "from a chooser": "from ._chooser import read\n",
    "from modules that import each other": "from ._circle import read\n",
}


@pytest.mark.parametrize("text", CHOICES.values(), ids=CHOICES)
def test_what_a_public_module_passes_on_is_public(text: str) -> None:
    tree = {
        "lib/__init__.py": text,
        "lib/_pure.py": PURE,
        "lib/_chooser.py": "if FAST:\n    from ._fast import read\nelse:\n    from ._pure import read\n",
        "lib/_circle.py": "from . import read\nfrom ._pure import read\n",
    }
    assert [method.id for method in PythonInjector().api_methods(tree).methods] == ["lib._pure.read"]


def test_what_is_bound_under_a_private_name_stays_private() -> None:
    tree = {"lib/__init__.py": "from ._pure import read as _read\n_other = _read\n", "lib/_pure.py": PURE}
    assert PythonInjector().api_methods(tree).methods == ()


def test_what_the_members_of_a_workspace_hold_is_public() -> None:
    """A root of its own may hold modules, too; what is beside a member's sources is no library."""
    tree = {
        "pyproject.toml": "[tool.uv.workspace]\nmembers = ['*']\n",
        "src/whole/__init__.py": "def f():\n    return 1\n",
        "core/pyproject.toml": "",
        "core/src/named/core/__init__.py": "def g():\n    return 1\n",
        "core/tests/helpers/__init__.py": "def h():\n    return 1\n",
        "flat/pyproject.toml": "",
        "flat/level/__init__.py": "def i():\n    return 1\n",
        "flat/tests/__init__.py": "def j():\n    return 1\n",
    }
    ids = {"whole.f", "named.core.g", "level.i"}
    assert ids == {method.id for method in PythonInjector().api_methods(tree).methods}
    files = PythonInjector().instrument(tree, sorted(ids)).files
    assert {"src", "core/src", "flat"} <= {path.removesuffix("/_abs_audit_probe.py") for path in files}


def test_a_class_that_all_leaves_out_is_found_by_the_name_that_its_package_passes_on() -> None:
    tree = {
        "lib/__init__.py": "from ._cache import Cache\nfrom .api import Api\n__all__ = ['Api']\n",
        "lib/_cache.py": "class Cache:\n    def expire(self):\n        return 1\n",
        "lib/api.py": "class Api:\n    def expires(self):\n        return 1\n",
    }
    (skipped,) = PythonInjector().instrument(tree, ["lib.Cache.expire"]).skipped
    assert "did you mean lib._cache.Cache.expire?" in skipped.reason
