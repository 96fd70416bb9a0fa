"""How often is a pair repeated until looks at it have an answer?"""

from collections import Counter
from itertools import pairwise

from abs_audit.experiment.protocol import CLEAR_NO, CLEAR_YES, FURTHER, LOOKS, RUNS

BORDER = (0.85, 1.25)
"""Slowdowns of a benchmark, as multiples of the threshold, between which chance decides."""
OPEN_BORDER = 0.9
"""Part of the pairs inside of the border that a look usually leaves open..."""
OPEN = dict(zip(LOOKS, (0.4, 0.3, 0.1), strict=True))
"""...of others, by the repetitions: of eleven sessions, two of them on a quiet machine..."""
OPEN_LATER = OPEN[LOOKS[-1]]
BELIEVED = 4.0
"""...and for how many pairs that counts: where values scatter, looks leave more of them open."""


class Looking:
    """What looks at pairs leave open."""

    def __init__(self) -> None:
        """Begin with what is usual."""
        self._asked, self._left = Counter[float](), Counter[float]()

    def add(self, multiple: float, made: int, *, is_open: bool) -> None:
        """Count a pair with so many repetitions; `multiple`: its slowdown divided by the threshold."""
        if not _unclear(multiple, made):
            self._asked[_usual(multiple, made)] += 1
            self._left[_usual(multiple, made)] += is_open

    def repetitions(self, multiple: float, made: int = 0, *, settles: bool = True) -> float:
        """Return how many more a run usually gets that is open after so many.

        `settles`: whether its share is known so well that more than the usual looks may settle it.
        """
        expected, chance = 0.0, 1.0
        for first, last in pairwise((0, *LOOKS, *(FURTHER if settles else ()))):
            if first >= made:
                expected += chance * (last - first)
                if not _unclear(multiple, last):
                    usual = _usual(multiple, last)
                    chance *= (self._left[usual] + usual * BELIEVED) / (self._asked[usual] + BELIEVED)
        return expected

    def runs(self, multiple: float, *, settles: bool = True) -> tuple[float, ...]:
        """Return how often a pair is usually repeated in each of its runs: a yes has to be said twice."""
        return (self.repetitions(multiple, settles=settles),) * (RUNS if multiple >= 1 else 1)


def _usual(multiple: float, made: int) -> float:
    """Return the part of such pairs that a look after so many repetitions usually leaves open."""
    if BORDER[0] < multiple < BORDER[1]:
        return OPEN_BORDER
    return OPEN.get(made, OPEN_LATER)


def _unclear(multiple: float, made: int) -> bool:
    """Tell whether a look cannot have an answer, however little values scatter."""
    return CLEAR_NO < multiple < CLEAR_YES and made < LOOKS[-1]
