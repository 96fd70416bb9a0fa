"""The verdicts on each method with each benchmark: of a large library most are alike, and kept as one.

2,400 methods and 500 benchmarks have over a million cells. A benchmark calls some of the methods; of all
others it says the same: that it does not call them, that it fails, or that nobody has looked yet.
"""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

from abs_audit.grouping import grouped
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.sentences import of_cell
from abs_audit.model.verdict import CellVerdict, Verdict, noticed


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Cells of which one thing is known: of each of the methods with each of the benchmarks.

    Those that are listed are not among them. None of them has a share, or is detected.
    """

    methods: tuple[str, ...]
    benchmarks: tuple[str, ...]
    verdict: Verdict
    explanation: Explanation
    requested: float | None

    def __bool__(self) -> bool:
        """Tell whether there is a method and a benchmark."""
        return bool(self.methods and self.benchmarks)

    @property
    def reason(self) -> str:
        """Why they have their verdict, in a sentence."""
        return of_cell(self.explanation, None)

    def cell(self, method: str, benchmark: str) -> CellVerdict:
        """Return one of them."""
        return CellVerdict(
            method=method,
            benchmark=benchmark,
            verdict=self.verdict,
            explanation=self.explanation,
            share=None,
            requested=self.requested,
        )

    def within(self, methods: Container[str], benchmarks: Container[str]) -> "Alike":
        """Return those of some methods with some benchmarks."""
        return replace(
            self,
            methods=tuple(method for method in self.methods if method in methods),
            benchmarks=tuple(name for name in self.benchmarks if name in benchmarks),
        )

    def without(self, other: "Alike") -> list["Alike"]:
        """Return those that are not among others."""
        methods, benchmarks = frozenset(other.methods), frozenset(other.benchmarks)
        others = tuple(method for method in self.methods if method not in methods)
        beside = tuple(method for method in self.methods if method in methods)
        left = tuple(name for name in self.benchmarks if name not in benchmarks)
        parts = (replace(self, methods=others), replace(self, methods=beside, benchmarks=left))
        return [*filter(None, parts)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Cells with one verdict."""

    cell: CellVerdict
    """One of them."""
    number: int = 1


def size(amounts: Iterable[Amount]) -> int:
    """Return how many cells they are."""
    return sum(amount.number for amount in amounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The cells of a score. Iterating yields each of them, those that are listed first."""

    listed: tuple[CellVerdict, ...] = ()
    """Of which something of their own is known: all that were measured are among them."""
    alike: tuple[Alike, ...] = ()
    """The others; no two of these have a cell in common."""

    @classmethod
    def of(cls, cells: Iterable[CellVerdict]) -> "Cells":
        """Return cells each of which is listed."""
        return cls(listed=tuple(cells))

    @classmethod
    def joined(cls, parts: Sequence["Cells"]) -> "Cells":
        """Return the cells of several parts, which have none in common."""
        return cls(
            listed=tuple(cell for part in parts for cell in part.listed),
            alike=tuple(alike for part in parts for alike in part.alike),
        )

    def __iter__(self) -> Iterator[CellVerdict]:
        """Yield every cell."""
        yield from self.listed
        listed = set(map(_key, self.listed))
        for alike in self.alike:
            keys = product(alike.methods, alike.benchmarks)
            yield from (alike.cell(*key) for key in keys if key not in listed)

    def __len__(self) -> int:
        """Return how many cells there are."""
        others = (
            len(alike.methods) * len(alike.benchmarks) - len(self._listed_in(alike)) for alike in self.alike
        )
        return len(self.listed) + sum(others)

    @property
    def methods(self) -> frozenset[str]:
        """Methods that a cell is of."""
        alike = (method for alike in self.alike if alike for method in alike.methods)
        return frozenset((*(cell.method for cell in self.listed), *alike))

    @property
    def benchmarks(self) -> frozenset[str]:
        """Benchmarks that a cell is of."""
        alike = (name for alike in self.alike if alike for name in alike.benchmarks)
        return frozenset((*(cell.benchmark for cell in self.listed), *alike))

    @property
    def noticed(self) -> set[str]:
        """Methods that some benchmark notices."""
        return noticed(self.listed)

    @property
    def open_methods(self) -> set[str]:
        """Methods with a cell that has no verdict."""
        return {part.cell.method for part in self.amounts() if part.cell.verdict is Verdict.NO_VERDICT}

    def because(self, *causes: Cause) -> set[str]:
        """Return the methods with a cell that has its verdict for one of some causes."""
        return {part.cell.method for part in self.amounts() if part.cell.cause in causes}

    def amounts(self) -> Iterator[Amount]:
        """Yield every cell, those of a method that are alike at once."""
        return chain.from_iterable(self.of_methods().values())

    def of_methods(self) -> dict[str, list[Amount]]:
        """Return method → its cells."""
        return {method: amounts for (method, _), amounts in self.tiled(_itself, _whole).items()}

    def of_benchmarks(self) -> dict[str, list[Amount]]:
        """Return benchmark → its cells."""
        return {name: amounts for (_, name), amounts in self.tiled(_whole, _itself).items()}

    def tiled(
        self, of_method: Callable[[str], Hashable], of_benchmark: Callable[[str], Hashable]
    ) -> dict[tuple[Any, Any], list[Amount]]:
        """Return the cells of each tile: of methods and of benchmarks that functions say the same of."""

        def tile(cell: CellVerdict) -> tuple[Hashable, Hashable]:
            return of_method(cell.method), of_benchmark(cell.benchmark)

        tiles = grouped((tile(cell), Amount(cell=cell)) for cell in self.listed)
        for alike in self.alike:
            inside = self._listed_in(alike)
            listed, sizes = set(map(_key, inside)), Counter(map(tile, inside))
            rows = grouped((of_method(method), method) for method in alike.methods).items()
            columns = grouped((of_benchmark(name), name) for name in alike.benchmarks).items()
            for (row, methods), (column, names) in product(rows, columns):
                if number := len(methods) * len(names) - sizes[row, column]:
                    key = next(key for key in product(methods, names) if key not in listed)
                    tiles.setdefault((row, column), []).append(Amount(cell=alike.cell(*key), number=number))
        return tiles

    def within(
        self, methods: Container[str] | None = None, benchmarks: Container[str] | None = None
    ) -> "Cells":
        """Return the cells of some methods with some benchmarks; None: of all."""
        methods = self.methods if methods is None else methods
        benchmarks = self.benchmarks if benchmarks is None else benchmarks
        inside = (alike.within(methods, benchmarks) for alike in self.alike)
        return Cells(
            listed=tuple(
                cell for cell in self.listed if cell.method in methods and cell.benchmark in benchmarks
            ),
            alike=tuple(filter(None, inside)),
        )

    def overridden(self, cells: Iterable[CellVerdict]) -> "Cells":
        """Return the cells with other verdicts on some."""
        listed = {_key(cell): cell for cell in (*self.listed, *cells)}
        return replace(self, listed=tuple(listed.values()))

    def filled(self, others: "Cells", cause: Cause) -> "Cells":
        """Return the cells, where they have their verdict for a cause with that of others instead."""
        settled = {_key(cell) for cell in self.listed if cell.cause is not cause}
        listed = {_key(cell): cell for cell in self.listed}
        alike = []
        for part in self.alike:
            left = [part]
            if part.explanation.cause is cause:
                instead = others.within(frozenset(part.methods), frozenset(part.benchmarks))
                listed |= {_key(cell): cell for cell in instead.listed if _key(cell) not in settled}
                for other in instead.alike:
                    left = [piece for pieces in left for piece in pieces.without(other)]
                left += instead.alike
            alike += left
        waiting = listed.keys() - settled
        listed |= {_key(cell): cell for cell in others.listed if _key(cell) in waiting}
        return Cells(listed=tuple(listed.values()), alike=tuple(alike))

    def _listed_in(self, alike: Alike) -> list[CellVerdict]:
        """Return the cells that would be among those alike, were they not listed."""
        methods, benchmarks = frozenset(alike.methods), frozenset(alike.benchmarks)
        return [cell for cell in self.listed if cell.method in methods and cell.benchmark in benchmarks]


def _key(cell: CellVerdict) -> tuple[str, str]:
    return cell.method, cell.benchmark


def _itself(name: str) -> str:
    return name


def _whole(_: str) -> None:
    return None
