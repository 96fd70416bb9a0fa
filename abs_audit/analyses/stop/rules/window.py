"""Stability of a statistic over the latest values, the frame of the dynamic JMH reconfiguration."""

from collections.abc import Callable
from dataclasses import dataclass

from abs_audit.analyses.stop.rules.rule import Decision, answer
from abs_audit.stats.bootstrap import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Stop when a statistic moved by less than `threshold` over the last `size` values.

    Laaber et al. 2020, §3: a statistic is computed over all values so far, after each iteration; it is
    stable when its latest value differs by less than the threshold from each of the `size` − 1 before. The
    public implementation compares strictly and with the latest value, which is kept. Ours takes one value
    an iteration; there are no single invocations here, so neither sampling nor outlier removal applies.
    """

    threshold: float
    size: int = 5

    def decide(self, values: Floats, name: str, statistic: Callable[[Floats], float]) -> Decision:
        """Decide from the largest move of a statistic, which messages call by a name."""
        history = [statistic(values[: values.size - back]) for back in range(self.size)]
        move = max(abs(history[0] - earlier) for earlier in history[1:])
        satisfied = move < self.threshold
        sign = "<" if satisfied else "≥"
        reason = f"{name} moved by {move:.4f} {sign} {self.threshold:g} over the last {self.size} values"
        return answer(satisfied, reason, {name: history[0], "move": move})
