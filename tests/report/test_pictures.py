from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.score import page as score_page
from abs_audit.analyses.score.cell_map import COLUMNS, MARKS, ROWS, cell_map, strongest
from abs_audit.analyses.sensitivity import page as sensitivity_page
from abs_audit.analyses.stability import page as stability_page
from abs_audit.analyses.stability.model import Density
from abs_audit.model.verdict import Verdict
from abs_audit.report.html.geometry import Axis, percent_ticks, slowdown_ticks, thinned
from tests.support import builders as b
from tests.support import sessions


def test_an_axis_places_its_ends_and_its_middle() -> None:
    axis = Axis(low=0.0, high=2.0, start=100.0, end=300.0)
    assert [axis.at(value) for value in (0.0, 1.0, 2.0, -5.0, 9.0)] == [100.0, 200.0, 300.0, 100.0, 300.0]


def test_a_logarithmic_axis_places_equal_factors_at_equal_distances() -> None:
    axis = Axis(low=0.1, high=10.0, start=0.0, end=200.0, logarithmic=True)
    assert [axis.at(value) for value in (0.1, 1.0, 10.0)] == [0.0, 100.0, 200.0]


def test_an_axis_without_extent_places_everything_at_its_start() -> None:
    assert Axis(low=1.0, high=1.0, start=7.0, end=90.0).at(1.0) == 7.0


def test_ticks_are_round_numbers() -> None:
    axis = Axis(low=-0.31, high=0.31, start=0.0, end=620.0)
    assert [tick.label for tick in percent_ticks(axis)] == ["-20%", "0%", "20%"]
    narrow = Axis(low=0.0, high=0.004, start=0.0, end=100.0)
    assert [tick.label for tick in percent_ticks(narrow, 4)] == ["0.0%", "0.1%", "0.2%", "0.3%", "0.4%"]


@given(st.floats(0, 1e6), st.floats(1e-9, 1e6))
def test_ticks_stay_on_their_axis(low: float, extent: float) -> None:
    axis = Axis(low=low, high=low + extent, start=0.0, end=500.0)
    assert all(0.0 <= tick.at <= 500.0 for tick in percent_ticks(axis))


def test_slowdowns_are_labelled_as_people_say_them() -> None:
    axis = Axis(low=0.05, high=2.5, start=0.0, end=1.0, logarithmic=True)
    assert [tick.label for tick in slowdown_ticks(axis)] == ["5%", "10%", "20%", "50%", "2×", "3×"]


@given(st.integers(0, 1000), st.integers(2, 60))
def test_thinning_keeps_both_ends_and_the_limit(length: int, limit: int) -> None:
    kept = list(thinned(length, limit))
    assert len(kept) == min(length, limit)
    assert sorted(set(kept)) == kept
    if length:
        assert (kept[0], kept[-1]) == (0, length - 1)


def test_the_strongest_verdict_of_a_group_speaks_for_it() -> None:
    assert strongest([Verdict.MISSED, Verdict.DETECTED]) is Verdict.DETECTED
    assert strongest([Verdict.MISSED, Verdict.NO_VERDICT]) is Verdict.NO_VERDICT
    assert strongest([]) is Verdict.UNREACHED


def test_a_score_without_cells_has_no_map() -> None:
    assert cell_map(b.score(b.method("m"))) is None


def test_the_area_of_a_mark_grows_with_its_share() -> None:
    cells = tuple(b.cell("m", name, share=share) for name, share in (("x", 0.1), ("y", 0.5), ("z", 1.0)))
    drawing = cell_map(b.score(b.method("m"), cells=cells))
    assert drawing is not None
    radii = {row.name: row.marks[0].radius for row in drawing.rows}
    assert radii["x"] < radii["y"] < radii["z"] < 10.5  # half a row


def test_a_cell_that_never_calls_its_method_is_a_dot_and_not_a_mark() -> None:
    cells = (b.cell("m", "x", Verdict.UNREACHED), b.cell("n", "x"))
    drawing = cell_map(b.score(b.method("m", Verdict.UNREACHED), b.method("n"), cells=cells))
    assert drawing is not None
    (row,) = drawing.rows
    assert [mark.column for mark in row.marks] == [1]
    assert row.unreached == (0,)


def test_a_cell_that_was_not_recorded_is_blank() -> None:
    cells = (b.cell("m", "x"), b.cell("n", "y"))
    drawing = cell_map(b.score(b.method("m"), b.method("n"), cells=cells))
    assert drawing is not None
    assert [(row.name, len(row.marks), row.unreached) for row in drawing.rows] == [("x", 1, ()), ("y", 1, ())]


def test_a_large_map_sums_up_what_found_no_room() -> None:
    methods = [f"m{index}" for index in range(COLUMNS + 5)]
    benchmarks = [f"b{index}" for index in range(90)]
    cells = tuple(
        b.cell(
            method,
            benchmark,
            Verdict.DETECTED if (benchmark, method) == ("b70", "m44") else Verdict.MISSED,
            share=0.1,
        )
        for method in methods
        for benchmark in benchmarks
    )
    drawing = cell_map(b.score(*(b.method(name, Verdict.MISSED) for name in methods), cells=cells))
    assert drawing is not None
    # Each benchmark calls every method: 41 marks a row.
    drawn = MARKS // (COLUMNS + 1)
    assert (len(drawing.rows), len(drawing.columns)) == (drawn + 1, COLUMNS + 1)
    assert (drawing.merged_rows, drawing.merged_columns) == (90 - drawn, 5)
    assert drawing.rows[-1].label == f"{90 - drawn} other benchmarks"
    assert drawing.columns[-1].label == "5 other methods"
    by_name = {row.name: row for row in drawing.rows}
    # b70 notices something, so it is among the drawn rows, and its group of columns shows that.
    assert by_name["b70"].marks[-1].verdict == "detected"
    assert by_name["b70"].marks[-1].tip.startswith("detected in 1 of 5")


def test_five_hundred_benchmarks_that_call_few_methods_each_are_drawn_one_by_one() -> None:
    methods = [f"m{index}" for index in range(COLUMNS)]
    cells = tuple(
        b.cell(method, f"b{row}", Verdict.MISSED if (row + column) % 10 == 0 else Verdict.UNREACHED)
        for row in range(ROWS)
        for column, method in enumerate(methods)
    )
    drawing = cell_map(b.score(*(b.method(name, Verdict.MISSED) for name in methods), cells=cells))
    assert drawing is not None
    assert (len(drawing.rows), drawing.merged_rows) == (ROWS, 0)


def test_every_violin_is_symmetrical_about_its_row() -> None:
    picture = stability_page.violins(sessions.small().stability, sessions.small().violins)
    assert picture is not None
    for line in picture.lines:
        sizes = [size for _, size in line.outline]
        assert sizes == [-size for size in reversed(sizes)]
        assert 0.9 < max(sizes) <= 1


def test_a_sample_of_equal_values_is_drawn_as_a_mark() -> None:
    flat = Density(name="x", positions=(0.0,), heights=(1.0,))
    picture = stability_page.violins(b.stability(), [flat])
    assert picture is not None
    assert ((), {"in": 0.0}) == (picture.lines[0].outline, picture.lines[0].dots)


def test_violins_beyond_the_limit_are_counted() -> None:
    picture = stability_page.violins(b.stability(), [b.density(f"b{index}") for index in range(75)])
    assert picture is not None
    assert (len(picture.lines), picture.left_out) == (60, 15)


def test_the_worst_watched_method_comes_first_and_never_is_worst() -> None:
    result = b.sensitivity(b.noticed("a", 0.3), b.noticed("b", None), b.noticed("c", 4.0, confirmed=False))
    picture = sensitivity_page.needed_slowdowns(result, 0.4)
    assert picture is not None
    assert [(line.name, line.kind) for line in picture.lines] == [
        ("b", "never"),
        ("c", "predicted"),
        ("a", "confirmed"),
    ]


def test_costs_are_compared_only_where_the_other_is_known() -> None:
    score = b.score(b.method("m"))
    ours, paper = score_page.costs(score)
    assert ours.value < paper.value
    assert (ours.note, paper.note) == ("16 min", "26 h")


def test_evidence_shows_every_value_of_both_runs_beside_what_is_needed() -> None:
    cell = b.cell("m", "b.py::test_b", requested=0.4, share=0.9, repetitions=(5, 10))
    score = b.score(b.method("m"), cells=(cell,))
    picture = score_page.evidence(score, score.methods, sessions.runs_of([cell]))["m"].picture
    assert picture is not None
    assert ["test_b, run 1", "test_b, run 2"] == picture.labels
    assert [[5, 5], [10, 10]] == [[len(cloud) for cloud in line.clouds] for line in picture.lines]
    assert "+33% (+30% to +36%)" == picture.lines[0].note
    assert picture.reference is not None
    assert "20%" == picture.reference.label
    control, mutant = picture.lines[0].clouds
    assert picture.axis.at(max(control)) < picture.reference.at < picture.axis.at(min(mutant))


def test_evidence_without_values_shows_what_followed_from_them() -> None:
    cell = b.cell("m", "b")
    score = b.score(b.method("m"), cells=(cell,))
    picture = score_page.evidence(score, score.methods, {})["m"].picture
    assert picture is not None
    assert (["b"], [()]) == (picture.labels, [line.clouds for line in picture.lines])


def test_a_value_far_away_does_not_shrink_the_others_to_nothing() -> None:
    cell = b.cell("m", "b", repetitions=(80,))
    (run,) = sessions.runs_of([cell])["m", "b"]
    disturbed = replace(run, mutant=(*run.mutant[1:], 90.0))
    score = b.score(b.method("m"), cells=(cell,))
    picture = score_page.evidence(score, score.methods, {("m", "b"): (disturbed,)})["m"].picture
    assert picture is not None
    assert picture.axis.at(picture.lines[0].dots["total"]) - picture.ticks[0].at > 100
