"""The advice on instances and trials."""

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation, recommend
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from tests.support import builders as b

ONE = Sampling(strategy=Strategy.TRIALS, instances=1, trials=1)
THREE = Sampling(strategy=Strategy.TRIALS, instances=3, trials=5)
TWENTY = Sampling(strategy=Strategy.INSTANCES, instances=20, trials=1)


def advice(*rows: tuple[Sampling, list[float | None]], **aim: float) -> Recommendation:
    result: SmallestRegression = b.detectable(
        *(
            b.seen(f"b{index}", sampling, smallest)
            for sampling, found in rows
            for index, smallest in enumerate(found)
        ),
        samplings=tuple(sampling for sampling, _ in rows),
        asked=10,
    )
    return recommend(result, **aim)


def test_the_cheapest_sampling_that_reaches_the_aim_is_chosen() -> None:
    found = advice(
        (ONE, [0.1] * 10), (THREE, [0.05] * 9 + [None]), (TWENTY, [0.01] * 10), regression=0.05, share=0.9
    )
    assert found.chosen is not None
    assert (found.chosen.sampling, found.chosen.trials, found.chosen.smallest) == (THREE, 15, 0.05)
    assert found.reached


def test_without_a_sampling_that_reaches_the_aim_the_nearest_is_chosen_and_said_to_miss_it() -> None:
    found = advice((ONE, [0.2] * 10), (THREE, [0.1] * 10), (TWENTY, [0.1] * 10), regression=0.05)
    assert found.chosen is not None
    assert (found.chosen.sampling, found.reached) == (THREE, False)


def test_without_one_that_reaches_the_aim_the_one_under_which_most_benchmarks_see_it_is_chosen() -> None:
    found = advice(
        (ONE, [0.05] * 6 + [0.1] * 4), (THREE, [0.05] * 8 + [None] * 2), (TWENTY, [0.01] * 8), regression=0.05
    )
    assert found.chosen is not None
    assert (found.chosen.sampling, found.chosen.seeing, found.reached) == (THREE, 0.8, False)
    assert [one.smallest for one in found.sights] == [0.1, None, None]


def test_where_too_few_benchmarks_see_anything_nothing_is_chosen() -> None:
    found = advice((ONE, [0.2] * 8 + [None] * 2), regression=0.05, share=0.9)
    assert (found.chosen, found.reached) == (None, False)
    assert (found.sights[0].smallest, found.sights[0].median, found.sights[0].none) == (None, 0.2, 2)


def test_a_benchmark_without_an_answer_is_one_that_sees_nothing() -> None:
    found = advice((ONE, [0.01] * 8), regression=0.05, share=0.9)
    assert (found.reached, found.sights[0].seeing, found.sights[0].answered) == (False, 0.8, 8)


def test_no_sampling_and_no_benchmark_choose_nothing() -> None:
    assert advice().chosen is None
    assert advice((ONE, [])).chosen is None
