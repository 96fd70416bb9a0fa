"""How often is what a score does repeated? Expected before, and again whenever it is known better."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.detection import FURTHER, LOOKS, RUNS
from abs_audit.experiment.run_noise import TOGETHER
from abs_audit.languages.language import Language

BESIDE_SHARES = 2
"""Arms of a round of shares beside those of the methods: off and control."""
USUAL_CELLS = 3
"""Cells of a benchmark that are worth measuring, at most: the large shares of one benchmark are few."""
FURTHER_ROUNDS = {1: 2.5, 2: 2.0, 3: 3.0, 5: 4.0, 9: 0.0}
"""Rounds of shares made → how many more the methods usually get that they have not settled."""
ALL_LOOKS = (*LOOKS, *FURTHER)
BORDER = (0.85, 1.25)
"""Slowdowns of a benchmark, as multiples of the threshold, between which chance decides."""
OPEN_CLEAR, OPEN_BORDER = 0.25, 0.9
"""Part of the pairs that a look usually leaves open, outside of the border and inside..."""
BELIEVED = 4.0
"""...and for how many pairs that counts: where values scatter, looks leave more of them open."""


class Looking:
    """What looks at pairs leave open."""

    def __init__(self) -> None:
        """Begin with what is usual."""
        self._asked, self._left = Counter[bool](), Counter[bool]()

    def add(self, multiple: float, *, is_open: bool) -> None:
        """Count a pair that was looked at; `multiple`: its slowdown divided by the threshold."""
        self._asked[_at_border(multiple)] += 1
        self._left[_at_border(multiple)] += is_open

    def repetitions(self, multiple: float, made: int = 0) -> float:
        """Return how many more a run usually gets that is open after so many."""
        border = _at_border(multiple)
        usual = OPEN_BORDER if border else OPEN_CLEAR
        part = (self._left[border] + usual * BELIEVED) / (self._asked[border] + BELIEVED)
        ahead = [0, *ALL_LOOKS]
        steps = [(last - first) for first, last in pairwise(ahead) if first >= made]
        return sum(step * part**number for number, step in enumerate(steps))


def _at_border(multiple: float) -> bool:
    return BORDER[0] < multiple < BORDER[1]


def usual_repetitions(multiple: float) -> float:
    """Return how often a pair is usually repeated in all, where a yes has to be said twice."""
    return Looking().repetitions(multiple) * (RUNS if multiple >= 1 else 1)


def round_s(language: Language, plan: IterationPlan, methods: int) -> float:
    """Return about how long a round of shares of so many methods takes, in seconds."""
    return plan.block_s(language, methods + BESIDE_SHARES) if methods else 0.0


def rounds_s(language: Language, plan: IterationPlan, methods: int) -> float:
    """Return about how long all rounds take: after the first one few shares are worth knowing better."""
    few = round_s(language, plan, min(methods, USUAL_CELLS))
    return round_s(language, plan, methods) + FURTHER_ROUNDS[1] * few


def settling_s(language: Language, plan: IterationPlan, mutants: Sequence[float]) -> float:
    """Return about how long pairs of a benchmark take whose mutants are repeated so often.

    Their control is repeated as often as the one that is most often; later repetitions share forks.
    """
    most, apart = max(mutants, default=0.0), LOOKS[1 if language.forks_alike else 0]
    forks = min(most, apart) + max(0.0, most - apart) / TOGETHER
    arm_s = plan.block_s(language, 2) - plan.block_s(language, 1)
    return forks * (plan.block_s(language, 1) - arm_s) + (most + sum(mutants)) * arm_s
