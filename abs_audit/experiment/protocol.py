"""How often is measured, and what counts as an answer? Numbers that forecasts know, too."""

from abs_audit.model import sentences

ALPHA = 0.01
"""A run says yes only below this p."""
RUNS = 2
"""Runs that must say yes."""
LOOKS = (5, 10, 20)
"""Repetitions after which `look` may answer; at the last it always does."""
FURTHER = (40, 80)
"""Repetitions up to which a run may go on where the last look's answer is one of chance."""
CLEAR = 0.02
"""An early answer must reject, at this p, that the difference is the threshold itself."""
CLEAR_NO = 0.6
"""Share of the threshold up to which a difference is clearly too small."""
CLEAR_YES = 1.2
"""Multiple of the threshold from which a difference is clearly large enough."""
NEEDED = sentences.NEEDED
"""Share that a benchmark needs to notice a slowdown: half of δ is asked for."""
NEGLIGIBLE = 0.25
"""Share below which no repetition could help."""
TOGETHER = 5
"""Repetitions of later looks that share a block where no fork favours an arm: starting one costs as much."""
