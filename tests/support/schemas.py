"""Validation of documents against the schemas as they are shipped in the package."""

import json
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS: dict[str, Any] = {
    path.name: json.loads(path.read_text(encoding="utf-8"))
    for path in files("abs_audit.report").joinpath("schemas").iterdir()
    if path.name.endswith(".schema.json")
}
REGISTRY: Registry = Registry().with_resources(
    (name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)


def validate(document: dict[str, Any]) -> None:
    """Raise unless the document, as a reader of its JSON sees it, satisfies the schema that it names."""
    command = document["schema"].split("/")[1]
    Draft202012Validator(SCHEMAS[f"{command}.schema.json"], registry=REGISTRY).validate(document)
