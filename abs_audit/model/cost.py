"""What a command took: a frozen leaf, told by every document that says what its answer cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCost:
    """The seconds of a command."""

    total_s: float = 0.0
    """From the start of the command."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """What the command did → seconds; every second is in one phase."""
