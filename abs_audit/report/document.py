"""What all machine-readable documents are made of: models that read results and describe themselves.

A percentage ("total", "score_kept", …) is 0..100, as `--fail-under` takes it; every other ratio is 0..1.
A number that is not finite is written as null where the schema allows null, and refused elsewhere.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, WithJsonSchema

from abs_audit.model.bounds import Size, bounded
from abs_audit.model.cost import CommandCost

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Pydantic resolves every "$ref" itself, and knows no other file.
_ELSEWHERE = "$elsewhere"


def percent(rate: float) -> float:
    """Return a rate of 0..1 as 0..100, without the dust of binary fractions."""
    return round(100 * rate, 6)


Text = SkipValidation[str]
"""Text of the audited project, which may hold anything: lone surrogates, too."""
Texts = list[Text]
Percent = Annotated[float, BeforeValidator(percent), bounded(0, 100, "percent, 0..100")]


def read_from(*path: str) -> Any:
    """Return a field whose value stands elsewhere in the result: under another name, or deeper."""
    return Field(validation_alias=path[0] if len(path) == 1 else AliasPath(*path))


def elsewhere(command: str) -> WithJsonSchema:
    """Return what a schema says of a part that may be null and is the document of a command of its own."""
    return WithJsonSchema({"anyOf": [{_ELSEWHERE: f"{command}.schema.json"}, {"type": "null"}]})


class Part(BaseModel):
    """A part of a document, filled from the attributes of a result that bear the names of its fields.

    What is told just as the result has it needs no part: the class of the result is a field's type.
    """

    model_config = ConfigDict(from_attributes=True, frozen=True, serialize_by_alias=True)

    @classmethod
    def of(cls, result: object, **more: object) -> Self:
        """Return what the result holds, with `more` beside or instead of it."""
        return cls.model_validate(_Together(result, more))


class CommandCostPart(Part):
    """What a command took, in seconds; every second is in one phase."""

    total_s: Size
    phases: dict[str, Size]

    def billed(self, cost: CommandCost) -> Self:
        """Return it at the end of its command, which rendering belongs to."""
        return self.model_copy(update={"total_s": cost.total_s, "phases": dict(cost.phases)})


class Document(Part):
    """A whole document; the first line of its docstring is the title of its schema."""

    @classmethod
    def command(cls) -> str:
        """Return the command that prints it, as its name in the documents says it."""
        name: str = cls.model_fields["schema_"].default
        return name.split("/")[1]


def named(name: str) -> Any:
    """Return the first field of a document, which says what it is and in which version."""
    return Field(default=name, validation_alias="schema", serialization_alias="schema")


def dumps(*documents: Document) -> str:
    """Return a command's document as text that any JSON parser and any terminal survives.

    Several suites are reported apart, in a list within one document. Everything beyond ASCII is escaped, so
    that names with control or direction characters stay inert.

    Raises:
        ValueError: a number that must be finite is not; that is a bug of an analysis.
    """
    written = [part.model_dump() for part in documents]
    whole = written[0] if len(written) == 1 else {"schema": written[0]["schema"], "suites": written}
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=True)


def schema(document: type[Document]) -> str:
    """Return the JSON Schema of a document, as it ships."""
    written = document.model_json_schema(mode="serialization")
    title = (document.__doc__ or "").split("\n")[0].rstrip(".")
    plain = _plain(written) | {"title": title}
    plain.pop("description", None)
    # Several suites are reported apart, each as if it were the only one.
    plain |= {
        "if": {"required": ["suites"]},
        "then": {"properties": {"suites": {"items": {"$ref": "#"}, "type": "array"}}},
        "else": {"required": plain.pop("required")},
    }
    return json.dumps({"$schema": DIALECT, **plain}, indent=1, ensure_ascii=False) + "\n"


def _plain(node: Any) -> Any:
    """Return a schema without what pydantic adds to the names and docstrings of a model."""
    if isinstance(node, Sequence) and not isinstance(node, str):
        return [_plain(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {
        "$ref" if key == _ELSEWHERE else key: _plain(value)
        for key, value in node.items()
        if not (key in {"title", "default"} and isinstance(value, str))
    }


class _Together:
    """A result with values beside or instead of its own."""

    def __init__(self, result: object, more: Mapping[str, object]) -> None:
        self._result, self._more = result, more

    def __getattr__(self, name: str) -> object:
        return self._more[name] if name in self._more else getattr(self._result, name)
