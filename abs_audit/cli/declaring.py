"""How options are declared: as fields of frozen dataclasses, each with its kind of value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from abs_audit.quantities import TEXT, Kind


class Writes(Enum):
    """What an option names that the command will write."""

    NOTHING = "nothing"
    FILE = "file"
    STREAM = "stream"
    """A file, or `-` for standard output."""
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One option, or an argument where it has no flags."""

    help: str
    flags: str = ""
    """Separated by spaces."""
    kind: Kind | None = TEXT
    """None: a switch."""
    metavar: str | None = None
    """None: that of its kind."""
    repeated: bool = False
    key: str | None = None
    """Key of the configuration that it overrules."""
    required: str = ""
    """What is said where it is missing; empty: it may be."""
    writes: Writes = Writes.NOTHING
    shown: str = ""
    """Default as the help shows it; empty: the field's own."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return next(iter(self.flags.split()), "")


def declared(flags: str, help_text: str, default: Any = None, **traits: Any) -> Any:
    """Return the field of a dataclass that is an option; an argument where it has no flags.

    `traits`: what it says of itself beside its flags and its help, see `Declared`.
    """
    return field(default=default, metadata={"option": Declared(flags=flags, help=help_text, **traits)})


def switch(flags: str, help_text: str, default: bool = False) -> Any:
    """Return the field of a dataclass that is a switch."""
    return declared(flags, help_text, default, kind=None)


def options_of(group: type | object) -> Iterator[tuple[str, Declared, Any]]:
    """Yield name, declaration and default of each option of a group."""
    for member in fields(group):  # type: ignore[arg-type]
        yield member.name, member.metadata["option"], member.default


def overrides(groups: Sequence[object]) -> Mapping[str, Any]:
    """Return what the command line sets of the configuration: key → value."""
    return {
        option.key: value
        for group in groups
        for name, option, _ in options_of(group)
        if option.key is not None and (value := getattr(group, name)) is not None
    }
