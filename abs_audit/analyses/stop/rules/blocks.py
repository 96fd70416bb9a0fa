"""Block resamples as Metior and SuperFlow 3 draw them."""

import numpy as np

from abs_audit.stats.block_bootstrap import circular_blocks, moving_blocks
from abs_audit.stats.bootstrap import Floats


def block_resamples(
    values: Floats, block: int, resamples: int, rng: np.random.Generator, *, paper_quirks: bool
) -> Floats:
    """Return resampled series: one a row.

    With `paper_quirks` the authors' moving blocks, which leave out the last start and come out shorter than
    the series; without, circular blocks of full length, for which the automatic block length is meant.
    """
    draw = moving_blocks if paper_quirks else circular_blocks
    return values[draw(values.size, block, resamples, rng)]
