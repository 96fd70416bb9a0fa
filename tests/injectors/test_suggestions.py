"""What is said of ids that mean nothing: the strictest reading under which some id is alike decides."""

import pytest

from abs_audit.injectors.suggestions import did_you_mean

IDS = ("a/b.(*Book).Load", "a/b.Load", "a/c.Book.Store", "a/d.Book.Store")


def bare(method: str) -> str:
    return method.replace("(*", "").replace(")", "")


def last(method: str) -> str:
    return bare(method).rpartition(".")[2]


@pytest.mark.parametrize(
    ("method", "meant"),
    [
        ("a/b.Book.Load", "a/b.(*Book).Load"),
        ("a/b.Load)", "a/b.Load"),
        # Two are alike by the last name alone, and none by a stricter reading.
        ("x.Store", "one of a/c.Book.Store, a/d.Book.Store"),
        # Alike under no reading, but nearly spelled so.
        ("a/b.Loda", "a/b.Load"),
    ],
)
def test_an_id_that_reads_alike_is_meant(method: str, meant: str) -> None:
    expected = f"no such method in the sources: did you mean {meant}?"
    assert expected == did_you_mean(method, IDS, bare, last)


def test_a_strict_reading_goes_before_a_loose_one() -> None:
    assert did_you_mean("a/b.Book.Load", IDS, bare, last) != did_you_mean("a/b.Book.Load", IDS, last)


def test_nothing_is_said_where_no_id_is_close() -> None:
    assert "" == did_you_mean("quince", IDS, bare, last)


def test_many_are_cut_short() -> None:
    many = [f"p{number}.Load" for number in range(9)]
    assert did_you_mean("Load", many, last).count("Load") == 5
