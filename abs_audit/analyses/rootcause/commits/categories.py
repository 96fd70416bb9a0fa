"""Is it fast, medium or slow, and does a regression leave its category?"""

from dataclasses import dataclass
from enum import StrEnum

from abs_audit.model.bounds import Size

MEDIUM_FACTOR = 1.25
SLOW_FACTOR = 2.0
"""Times the first measurement from which a benchmark is medium and slow, where no limits are given."""


class Category(StrEnum):
    """What a user would say of a time."""

    FAST = "fast"
    MEDIUM = "medium"
    SLOW = "slow"


class Kind(StrEnum):
    """How much a regression matters."""

    MAJOR = "major"
    """It leaves the category."""
    MINOR = "minor"
    """Significant, but within the category."""


ORDER = (Category.FAST, Category.MEDIUM, Category.SLOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The limits of one benchmark, in seconds per invocation."""

    medium_s: Size
    slow_s: Size

    def of(self, mean_s: float) -> Category:
        """Return the category of a mean; a limit belongs to the slower side. NaN: ValueError."""
        if not mean_s >= 0:
            raise ValueError(f"expected a time, found {mean_s}")
        if mean_s >= self.slow_s:
            return Category.SLOW
        return Category.MEDIUM if mean_s >= self.medium_s else Category.FAST

    def kind(self, before_s: float, after_s: float) -> Kind:
        """Return whether a regression between two means is major or minor (Heger et al. 2013, §3)."""
        worse = ORDER.index(self.of(after_s)) > ORDER.index(self.of(before_s))
        return Kind.MAJOR if worse else Kind.MINOR


def assigned(first_mean_s: float) -> Categories:
    """Return the limits that follow from the first measurement, which thereby is fast.

    Heger et al. 2013, §3, assign categories at the first measurement and give no numbers: here 1.25 and
    2 times that mean. A mean that is not positive: ValueError.
    """
    if not first_mean_s > 0:
        raise ValueError(f"expected a positive time, found {first_mean_s}")
    return Categories(medium_s=MEDIUM_FACTOR * first_mean_s, slow_s=SLOW_FACTOR * first_mean_s)
