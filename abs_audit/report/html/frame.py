"""What all pages share: the environment of their templates, and a policy under which they load nothing."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from abs_audit import __version__, wording
from abs_audit.advising import advised
from abs_audit.report.html.dot_rows import CLOUD
from abs_audit.report.html.geometry import Axis, quantity_ticks, thinned
from abs_audit.report.names import brief_method, shortened, visible

LONGEST_TEXT = 200
TABLE_ROWS = 1000
"""Longest tables, so that a page stays within 2 MB; the JSON document has all rows."""
LIST_NAMES = 200
WARNINGS = 40
_SEPARATOR = re.compile(r"[./:]+(?=[\w(*])")


def page(template: str, *styles: str, **context: object) -> str:
    """Return a page: its template filled in, with style, script and policy; equal data give equal pages."""
    style = "".join(map(_asset, ("style.css", *styles)))
    script = _asset("page.js")
    # Nothing is fetched, and only our own script runs.
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # Style and script are files of this package.
    assets = {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704
    return _environment().get_template(template).render(**assets, **context)


def part(template: str, **context: object) -> Markup:
    """Return a part of a page, ready to be put into it."""
    return Markup(_environment().get_template(template).render(**context))  # noqa: S704  # escaped there


def measurement(template: str, *styles: str, answer: str, notes: Sequence[str], **context: object) -> str:
    """Return the page of an analysis that works on measurements alone; `notes` are its warnings."""
    return page(template, "measurement.css", *styles, answer=answer, notes=notes, **context)


@cache
def _environment() -> Environment:
    environment = Environment(
        # What all share, and what an analysis has beside its code: "chart/page.html.j2".
        loader=ChoiceLoader([PackageLoader("abs_audit.report.html"), PackageLoader("abs_audit", "analyses")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "advised": advised,
        "axis": Axis,
        "cloud_limit": CLOUD,
        "names_limit": LIST_NAMES,
        "quantity_ticks": quantity_ticks,
        "table_rows": TABLE_ROWS,
        "thinned": thinned,
        "version": __version__,
        "warnings_limit": WARNINGS,
    }
    environment.filters |= {
        "brief": brief_method,
        "change": wording.change,
        "code": _code,
        "count": wording.count,
        "duration": wording.duration,
        "fine": wording.fine_percent,
        "finite": wording.finite,
        "measured": wording.time_per_invocation,
        "more": _more,
        "percent": wording.percent,
        "probability": wording.probability,
        "quantity": wording.quantity,
        "slower": wording.slower,
        "whole": lambda text: escape(visible(text)),
        "within": wording.within,
    }
    return environment


def _inert(value: object) -> object:
    """Return what may be printed: every text of the audited project passes here, then autoescape."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(shortened(value, LONGEST_TEXT))
    return value


def _code(name: str) -> Markup:
    """Return a name of code, which breaks behind what separates its parts before it breaks within a word."""
    shown = str(escape(_inert(name)))
    breakable = _SEPARATOR.sub(r"\g<0><wbr>", shown) if len(name) <= LONGEST_TEXT else shown
    return Markup(f"<code>{breakable}</code>")  # noqa: S704  # escaped above


def _more(names: Iterable[str], limit: int) -> tuple[list[str], int]:
    """Return the first names and how many are left out."""
    every = list(names)
    return every[:limit], max(0, len(every) - limit)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]
