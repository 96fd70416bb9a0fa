"""How options are declared: as fields of frozen dataclasses, each with its kind of value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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
    """One option, or an argument; it is called what its field is called."""

    help: str
    kind: Kind | None = TEXT
    """None: a switch."""
    default: str = ""
    """As a user would spell it; empty: none."""
    is_argument: bool = False
    """Told by its place, without a flag."""
    short: str = ""
    """A second flag, such as `-q`."""
    word: str = ""
    """Its name where that cannot be the field's."""
    metavar: str | None = None
    """None: that of its kind."""
    repeated: bool = False
    overrules: bool = False
    """Whether it overrules the key of the configuration that has its name."""
    asks: bool = False
    """Whether it changes what is asked, as all do that overrule a key, and is repeated in advice."""
    required: str = ""
    """What is said where it is missing; empty: it may be."""
    writes: Writes = Writes.NOTHING
    unset: str = ""
    """What the help says of no value, where that means something."""
    name: str = ""
    """That of the field."""
    value: Any = None
    """That of the field where nothing is given."""

    @property
    def called(self) -> str:
        """What messages and scripts call it: the unit of a quantity goes without saying."""
        return self.word or self.name.removesuffix("_s")

    @property
    def flag(self) -> str:
        """Its flag; empty: an argument has none."""
        return "" if self.is_argument else f"--{self.called.replace('_', '-')}"

    @property
    def flags(self) -> tuple[str, ...]:
        """All of its flags; a switch that is on has one that turns it off."""
        off = f"/--no-{self.flag.removeprefix('--')}" if self.value is True else ""
        return tuple(filter(None, (f"{self.flag}{off}", self.short)))

    @property
    def explained(self) -> str:
        """What the command line says it means."""
        again = self.repeated and not self.is_argument
        return f"{self.help.removesuffix('.')}; repeat it." if again else self.help

    @property
    def shown(self) -> str:
        """Default as the help shows it."""
        return self.default or self.unset


def option(help_text: str, kind: Kind = TEXT, default: str = "", **traits: Any) -> Any:
    """Return the field of a dataclass that is an option, named after it: `--fail-under` for `fail_under`.

    `default`: as a user would spell it. `traits`: what it says of itself besides, see `Declared`.
    """
    declared = Declared(help=help_text, kind=kind, default=default, **traits)
    # Of what overrules a setting, nothing differs from none.
    unset = () if declared.repeated and not declared.overrules else None
    return field(default=kind.read(default) if default else unset, metadata={"option": declared})


def argument(help_text: str, kind: Kind = TEXT, default: str = "", **traits: Any) -> Any:
    """Return the field of a dataclass that is an argument."""
    return option(help_text, kind, default, is_argument=True, **traits)


def setting(help_text: str, kind: Kind = TEXT, **traits: Any) -> Any:
    """Return the field of a dataclass that is an option and overrules the key of its name."""
    return option(help_text, kind, overrules=True, **traits)


def switch(help_text: str, default: bool = False, **traits: Any) -> Any:
    """Return the field of a dataclass that is a switch."""
    declared = Declared(help=help_text, kind=None, default="True" if default else "", **traits)
    return field(default=default, metadata={"option": declared})


def options_of(group: type | object) -> Iterator[Declared]:
    """Yield the declaration of each option of a group."""
    for member in fields(group):  # type: ignore[arg-type]
        yield replace(member.metadata["option"], name=member.name, value=member.default)


def overrides(groups: Sequence[object]) -> Mapping[str, Any]:
    """Return what the command line sets of the configuration: key → value."""
    return {
        option.name: value
        for group in groups
        for option in options_of(group)
        if option.overrules and (value := getattr(group, option.name)) is not None
    }
