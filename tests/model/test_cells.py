"""Cells that are alike and kept as one: each question has the answer that the cells one by one give."""

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from abs_audit.model.cells import Alike, Amount, Cells
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import CellVerdict, Verdict

METHODS, BENCHMARKS = "mnop", "abcd"
CAUSES = {
    Cause.NOTICED: Verdict.DETECTED,
    Cause.BUDGET: Verdict.NO_VERDICT,
    Cause.NOT_CALLED: Verdict.UNREACHED,
}
Table = dict[tuple[str, str], CellVerdict]


def alike(methods: str, benchmarks: str, cause: Cause) -> Alike:
    return Alike(
        methods=tuple(methods),
        benchmarks=tuple(benchmarks),
        verdict=CAUSES[cause],
        explanation=Explanation(cause=cause),
        requested=0.5,
    )


@st.composite
def drawn(draw: st.DrawFn) -> Cells:
    """Cells of all methods and benchmarks: some are listed, the others alike in up to four parts."""
    cut, across = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    parts = product((METHODS[:cut], METHODS[cut:]), (BENCHMARKS[:across], BENCHMARKS[across:]))
    others = st.sampled_from([Cause.BUDGET, Cause.NOT_CALLED])
    keys = st.tuples(st.sampled_from(METHODS), st.sampled_from(BENCHMARKS))
    listed = draw(st.dictionaries(keys, st.sampled_from([*CAUSES])))
    return Cells(
        listed=tuple(alike(*key, cause).cell(*key) for key, cause in listed.items()),
        alike=tuple(alike(*part, draw(others)) for part in parts if all(part)),
    )


def table(cells: Cells) -> Table:
    return {(cell.method, cell.benchmark): cell for cell in cells}


def told(amounts: list[Amount]) -> Counter[Cause]:
    counted = Counter[Cause]()
    for amount in amounts:
        counted[amount.cell.cause] += amount.number
    return counted


@given(drawn())
def test_each_cell_is_there_once(cells: Cells) -> None:
    assert set(product(METHODS, BENCHMARKS)) == set(table(cells))
    assert len(cells) == len([*cells]) == len(METHODS) * len(BENCHMARKS)
    assert (set(METHODS), set(BENCHMARKS)) == (cells.methods, cells.benchmarks)


@given(drawn())
def test_amounts_count_what_the_cells_are(cells: Cells) -> None:
    every = table(cells)
    for method, amounts in cells.of_methods().items():
        assert Counter(every[method, name].cause for name in BENCHMARKS) == told(amounts)
        assert all(amount.cell == every[method, amount.cell.benchmark] for amount in amounts)
    for name, amounts in cells.of_benchmarks().items():
        assert Counter(every[method, name].cause for method in METHODS) == told(amounts)
    assert {cell.method for cell in cells if cell.cause is Cause.BUDGET} == cells.because(Cause.BUDGET)
    assert {cell.method for cell in cells if cell.verdict is Verdict.NO_VERDICT} == cells.open_methods
    assert {cell.method for cell in cells if cell.verdict is Verdict.DETECTED} == cells.noticed


@given(drawn(), st.sets(st.sampled_from(METHODS)), st.sets(st.sampled_from(BENCHMARKS)))
def test_a_part_has_the_verdicts_of_the_whole(cells: Cells, methods: set[str], benchmarks: set[str]) -> None:
    of_methods = {key: cell for key, cell in table(cells).items() if key[0] in methods}
    assert of_methods == table(cells.within(methods))
    both = {key: cell for key, cell in of_methods.items() if key[1] in benchmarks}
    assert both == table(cells.within(methods, benchmarks))


@given(drawn(), drawn())
def test_what_was_left_open_has_the_verdict_of_others_and_no_other_has(now: Cells, before: Cells) -> None:
    filled = now.filled(Cells.of(before), Cause.BUDGET)
    expected = {
        key: table(before)[key] if cell.cause is Cause.BUDGET else cell for key, cell in table(now).items()
    }
    assert expected == table(filled) == table(Cells.of(filled))
    assert len(expected) == len(filled)


@given(drawn(), drawn())
def test_what_is_alike_in_both_stays_alike(now: Cells, before: Cells) -> None:
    filled = now.filled(before, Cause.BUDGET)
    assert len(METHODS) * len(BENCHMARKS) == len(filled) == len([*filled])
    for key, cell in table(now).items():
        # Of what is listed now only what was listed before is another.
        if cell.cause is not Cause.BUDGET or cell not in now.listed:
            assert table(filled)[key] == (table(before)[key] if cell.cause is Cause.BUDGET else cell)


@given(drawn(), drawn())
def test_other_verdicts_on_some_cells_count(cells: Cells, others: Cells) -> None:
    overridden = cells.overridden(others.listed)
    assert table(cells) | {(cell.method, cell.benchmark): cell for cell in others.listed} == table(overridden)
