"""Benchmarks are chosen by name; a choice of nothing is answered with close names."""

import pytest

from abs_audit.config import Settings
from abs_audit.errors import UsageError
from abs_audit.experiment.choosing import chosen, kept, selection
from abs_audit.model.subject import Benchmark, Discovery

IDS = ("b.py::test_render", "b.py::test_sum[10]", "b.py::test_sum[200]")
SUITE = Discovery(benchmarks=tuple(Benchmark(id=name, parameters={}) for name in IDS), broken=())


@pytest.mark.parametrize(
    ("wanted", "excluded", "left"),
    [
        ((), (), IDS),
        (("*sum*",), (), IDS[1:]),
        (("*sum*",), ("/200/",), IDS[1:2]),
        ((), ("*sum*",), IDS[:1]),
        (("*sum*", "*render"), (), IDS),
    ],
)
def test_patterns_choose_in_the_order_of_the_suite(
    wanted: tuple[str, ...], excluded: tuple[str, ...], left: tuple[str, ...]
) -> None:
    settings = Settings(benchmarks=wanted, exclude_benchmarks=excluded)
    assert left == tuple(benchmark.id for benchmark in chosen(SUITE, settings).benchmarks)
    assert list(left) == kept(IDS, settings)


@pytest.mark.parametrize(
    ("wanted", "excluded", "said"),
    [(("sum",), (), "did you mean '*sum*'?"), ((), ("*",), "leave none of 3 benchmarks")],
)
def test_a_choice_of_nothing_is_an_error(
    wanted: tuple[str, ...], excluded: tuple[str, ...], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(SUITE, Settings(benchmarks=wanted, exclude_benchmarks=excluded))
    assert said in str(caught.value)


def test_the_whole_suite_is_no_selection() -> None:
    assert () == selection(Settings())
    assert (("*",), (), ()) == selection(Settings(benchmarks=("*",)))
