"""Templates of text that is no markup: sources, and Markdown whose names its filters make harmless."""

from collections.abc import Callable
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


@cache
def templates(*folders: str, **filters: Callable[..., str]) -> Environment:
    """Return the templates of folders of this package, with filters of their own; nothing is escaped."""
    environment = Environment(  # noqa: S701
        loader=ChoiceLoader([PackageLoader("abs_audit", folder) for folder in folders]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters
    return environment
