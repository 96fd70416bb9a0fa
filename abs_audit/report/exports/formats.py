"""The formats in which findings are written for others: one row each."""

from collections.abc import Callable, Mapping

from abs_audit.report.exports.findings import Findings
from abs_audit.report.exports.github import github
from abs_audit.report.exports.gitlab import gitlab
from abs_audit.report.exports.junit import junit
from abs_audit.report.exports.markdown import markdown
from abs_audit.report.exports.sarif import sarif

FORMATS: Mapping[str, Callable[[Findings], str]] = {
    "markdown": markdown,
    "junit": junit,
    "sarif": sarif,
    "github": github,
    "gitlab": gitlab,
}
