"""Mode `callers`: who calls whom, through recursion, generators, exceptions and threads."""

from pathlib import Path
from typing import Any

from abs_audit.injectors.python.injector import PythonInjector
from tests.support.python_probes import probed

LIBRARY = """
import threading


def top(n):
    return sum(_item(i) for i in range(n)) + again(3)


def _item(i):
    return leaf(i)


def leaf(i):
    return i


def again(n):
    return again(n - 1) if n else leaf(n)


def each(n):
    for i in range(n):
        yield leaf(i)


def consume(n):
    return list(each(n))


def fails():
    try:
        raises()
    except ValueError:
        return leaf(0)


def raises():
    raise ValueError


def threaded():
    thread = threading.Thread(target=leaf, args=(1,))
    thread.start()
    thread.join()
    return leaf(2)
"""
EVERY = ("top", "_item", "leaf", "again", "each", "consume", "fails", "raises", "threaded")


def callers(folder: Path, *calls: tuple[str, Any]) -> dict[str, dict[str, int]]:
    with probed(folder, LIBRARY, *EVERY) as (module, probe):
        probe.arm("callers", [f"example.{name}" for name in EVERY])
        probe.start()
        for name, argument in calls:
            getattr(module, name)(*argument)
        probe.stop()
        entries = probe.tally()["methods"]
    short = {name.removeprefix("example."): entry["callers"] for name, entry in entries.items()}
    assert all(entry["calls"] == sum(entry["callers"].values()) for entry in entries.values())
    return {
        name: {caller.removeprefix("example."): count for caller, count in own.items()}
        for name, own in short.items()
        if own
    }


def test_every_call_is_put_to_the_nearest_probed_method_above_it(tmp_path: Path) -> None:
    assert {
        "top": {"": 1},
        "_item": {"top": 4},
        "leaf": {"_item": 4, "again": 1},
        "again": {"top": 1, "again": 3},
    } == callers(tmp_path, ("top", (4,)))


def test_a_generator_is_resumed_by_its_consumer_and_calls_for_itself(tmp_path: Path) -> None:
    seen = callers(tmp_path, ("consume", (3,)))

    assert {"each": 3} == seen["leaf"]
    # One entry and a resume after each of three values.
    assert {"consume": 4} == seen["each"]


def test_an_exception_leaves_the_method_that_raised_it(tmp_path: Path) -> None:
    assert {"fails": {"": 1}, "raises": {"fails": 1}, "leaf": {"fails": 1}} == callers(
        tmp_path, ("fails", ())
    )


def test_a_thread_begins_without_a_caller(tmp_path: Path) -> None:
    assert {"threaded": {"": 1}, "leaf": {"": 1, "threaded": 1}} == callers(tmp_path, ("threaded", ()))


def test_all_functions_are_listed_where_the_api_holds_public_ones_only() -> None:
    tree = {
        "pkg/__init__.py": "",
        "pkg/_inner.py": "def f(): return 1\nclass _C:\n    def m(self): return 1\n",
    }

    assert () == PythonInjector().api_methods(tree).methods
    assert ["pkg._inner.f", "pkg._inner._C.m"] == [
        method.id for method in PythonInjector().all_functions(tree)
    ]
