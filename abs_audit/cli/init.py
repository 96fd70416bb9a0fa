"""`init`: which language and framework is this? Writes abs-audit.toml."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from abs_audit.advising import advised
from abs_audit.cli.command import command, explanations
from abs_audit.cli.context import print_documents, remark
from abs_audit.cli.declaring import overrides
from abs_audit.cli.options import Checkout, Common
from abs_audit.cli.pages import write_file
from abs_audit.errors import UsageError


@command()
def init(checkout: Checkout, common: Common) -> None:
    """Detect language and framework and write abs-audit.toml (or --config FILE) with every key explained."""
    from abs_audit.analyses.setting_up.document import InitDocument
    from abs_audit.config import OWN_FILE, require_folder
    from abs_audit.languages.table import detect

    require_folder(checkout.subject)
    suites = detect(checkout.subject, checkout.suite)
    target = common.config or checkout.subject / OWN_FILE
    if target.exists():
        raise UsageError(f"{target} exists already; change it, or remove it first")
    names = [framework.suite.name for _, framework in suites]
    chosen = {"suite": names[0]} if len(names) == 1 else {}
    write_file(str(target), target, _template({**chosen, **overrides((checkout, common))}))
    language = suites[0][0].name
    # Go's only framework is called as the language is.
    suite = " with ".join(dict.fromkeys((language, ", ".join(names))))
    remark(common, f"{checkout.subject}: {suite}")
    if common.json:
        print_documents([InitDocument(language=language, frameworks=names, written=str(target))])
    else:
        following = "" if common.quiet else f"; next: {advised('list')}"
        sys.stdout.write(f"{suite}. Wrote {target}{following}\n")


def _template(chosen: Mapping[str, Any]) -> str:
    """Return a configuration in which what is chosen is set and everything else is a comment."""
    from abs_audit.cli.commands import COMMANDS
    from abs_audit.config import Settings

    explained = explanations(COMMANDS.values())
    lines = ["# Settings of abs-audit. The command line and ABS_AUDIT_* variables win over this file.", ""]
    for key, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        shown = json.dumps(default) if default not in (None, {}) else '""' if default is None else "{}"
        setting = f"{key} = {json.dumps(chosen[key])}" if key in chosen else f"# {key} = {shown}"
        lines += [f"# {explained.get(key, field.description)}", setting, ""]
    return "\n".join(lines)
