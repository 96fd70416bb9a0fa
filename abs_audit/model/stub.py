"""What became of a proposed benchmark."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StubOutcome:
    """Whether a stub proved itself: it must compile, run and notice its own method's slowdown.

    `detects` is null where that was not tried. Where `finished` is false, what is false else is not known.
    """

    method: str
    file: str
    """Relative to the root of the checkout."""
    compiles: bool
    runs: bool
    detects: bool | None
    """None: not tried, because it does not run or the slowdown could not be injected."""
    reason: str
    """Empty, or what a person has to fill in or why it does not detect."""
    finished: bool = True
    """False: a budget of time or a person ended its trial; what is not said to be so is not known."""

    @property
    def open(self) -> bool:
        """Whether it may notice its method, for all that is known: a noisy machine tells no more."""
        return not self.finished or (self.runs and self.detects is None)
