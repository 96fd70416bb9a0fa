import pytest

from abs_audit.analyses.rootcause.commits.categories import Categories, Category, Kind, assigned


def test_the_first_measurement_is_fast_and_sets_the_limits() -> None:
    limits = assigned(2.0)

    assert Categories(medium_s=2.5, slow_s=4.0) == limits
    assert [Category.FAST, Category.FAST, Category.MEDIUM, Category.MEDIUM, Category.SLOW] == [
        limits.of(mean) for mean in (2.0, 2.49, 2.5, 3.99, 4.0)
    ]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (2.0, 2.4, Kind.MINOR),
        (2.0, 2.6, Kind.MAJOR),
        (2.6, 3.9, Kind.MINOR),
        (2.6, 4.1, Kind.MAJOR),
        (4.1, 9.0, Kind.MINOR),
    ],
)
def test_a_regression_is_major_where_it_leaves_its_category(before: float, after: float, kind: Kind) -> None:
    assert kind is assigned(2.0).kind(before, after)


@pytest.mark.parametrize("mean", [0.0, -1.0, float("nan")])
def test_no_limits_follow_from_what_is_no_time(mean: float) -> None:
    with pytest.raises(ValueError, match="expected a positive time"):
        assigned(mean)
