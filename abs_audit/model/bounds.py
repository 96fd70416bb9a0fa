"""What documents say of the fields of a result: their bounds and names. Nothing is refused by that."""

from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from abs_audit.wording import finite


def bounded(low: float | None, high: float | None = None, description: str = "") -> Any:
    """Return what a schema says of a number. A result beyond it is written all the same, for it is data."""
    stated = {"minimum": low, "maximum": high, "description": description or None}
    return Field(json_schema_extra={key: value for key, value in stated.items() if value is not None})


def told_as(name: str) -> Any:
    """Return what a document calls a field that has another name in the program."""
    return Field(serialization_alias=name)


Count = Annotated[int, bounded(0)]
Rate = Annotated[float, bounded(0, 1)]
Size = Annotated[float, bounded(0)]
_NULL = PlainSerializer(finite, return_type=float | None)
NumberOrNull = Annotated[float, _NULL]
"""A number that a document tells as null where it is not finite."""
SizeOrNull = Annotated[NumberOrNull, bounded(0)]
MaybeNumber = Annotated[float | None, _NULL]
"""The same of what may be unknown in the program, too."""
MaybeRate = Annotated[MaybeNumber, bounded(0, 1)]
MaybeSize = Annotated[MaybeNumber, bounded(0)]
