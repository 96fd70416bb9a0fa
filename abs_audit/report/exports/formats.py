"""The formats in which findings and samples are written for others; what writes one is imported then."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_audit.formats.sample import Sample
    from abs_audit.report.exports.findings import Findings

FORMATS = ("markdown", "junit", "sarif", "github", "gitlab")
"""Of findings: each is a function in a module of its name."""
OF_SAMPLES = {
    "pa": "tables.pa_csv",
    "csv": "tables.plain_csv",
    "parquet": "tables.parquet",
    "benchstat": "benchstat.benchstat",
    "bmf": "dashboards.bmf",
    "github-action-benchmark": "dashboards.github_action",
    "openmetrics": "openmetrics.openmetrics",
}
"""Format → the module here and its function."""


def write(name: str, findings: "Findings") -> str:
    """Return the findings in a format."""
    text: str = getattr(import_module(f"abs_audit.report.exports.{name}"), name)(findings)
    return text


def write_samples(name: str, samples: "Iterable[Sample]") -> bytes:
    """Return the samples in a format; raise UnfitEnvironmentError where a package for it is missing."""
    module, function = OF_SAMPLES[name].split(".")
    content: bytes = getattr(import_module(f"abs_audit.report.exports.{module}"), function)(samples)
    return content
