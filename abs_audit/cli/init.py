"""`init`: which language and framework is this? Writes abs-audit.toml."""

import json
import sys
from pathlib import Path

from abs_audit.cli import options
from abs_audit.cli.context import print_documents
from abs_audit.config import OWN_FILE, Settings
from abs_audit.errors import ExitCode, UsageError
from abs_audit.languages.table import detect


def init(
    subject: options.Subject = Path(),
    suite: options.Suite = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Detect language and framework and write abs-audit.toml with every key explained."""
    if not subject.is_dir():
        raise UsageError(f"{subject}: expected a directory with a checkout; give its path as SUBJECT")
    found = detect(subject, suite)
    target = subject / OWN_FILE
    if target.exists():
        raise UsageError(f"{target} exists already; change it, or remove it first")
    names = [framework.suite.name for _, framework in found]
    target.write_text(_template(names), encoding="utf-8")
    if as_json:
        print_documents(
            [
                {
                    "schema": "abs-audit/init/1",
                    "language": found[0][0].name,
                    "frameworks": names,
                    "written": str(target),
                }
            ]
        )
    else:
        sys.stdout.write(
            f"{found[0][0].name}, {', '.join(names)}. Wrote {target}; next: abs-audit list {subject}\n"
        )
    return ExitCode.DONE


def _template(names: list[str]) -> str:
    """Return a configuration in which the found suite is set and everything else is a comment."""
    lines = ["# Settings of abs-audit. The command line and ABS_AUDIT_* variables win over this file.", ""]
    for key, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        shown = json.dumps(default) if default not in (None, {}) else '""' if default is None else "{}"
        lines.append(f"# {field.description}")
        chosen = key == "suite" and len(names) == 1
        lines.append(f"suite = {json.dumps(names[0])}" if chosen else f"# {key} = {shown}")
        lines.append("")
    return "\n".join(lines)
