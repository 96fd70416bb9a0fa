"""What all pages share: the environment of their templates, and a policy under which they load nothing."""

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from abs_audit.report import wording
from abs_audit.report.json import finite
from abs_audit.report.names import brief_method, shortened, visible

LONGEST_TEXT = 200


def render(template: str, *styles: str, **context: object) -> str:
    """Return a page: its template filled in, with style, script and policy; equal data give equal pages."""
    style = "".join(map(_asset, ("style.css", *styles)))
    script = _asset("page.js")
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704  # all are files of this package
            script=Markup(script),  # noqa: S704
            policy=_policy(style, script),
            **context,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("abs_audit.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "brief": brief_method,
        "change": wording.change,
        "count": wording.count,
        "duration": wording.duration,
        "fine": wording.fine_percent,
        "finite": finite,
        "measured": wording.time_per_invocation,
        "more": _more,
        "percent": wording.percent,
        "probability": wording.probability,
        "quantity": wording.quantity,
        "slower": wording.slower,
        "whole": lambda text: escape(visible(text)),
    }
    return environment


def _inert(value: object) -> object:
    """Return what may be printed: every text of the audited project passes here, then autoescape."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(shortened(value, LONGEST_TEXT))
    return value


def _more(names: Iterable[str], limit: int) -> tuple[list[str], int]:
    """Return the first names and how many are left out."""
    every = list(names)
    return every[:limit], max(0, len(every) - limit)


def _policy(style: str, script: str) -> str:
    """Return a content security policy under which nothing is fetched and only our own script runs."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    return files("abs_audit.report.html").joinpath("templates", name).read_text(encoding="utf-8")
