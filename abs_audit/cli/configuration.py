"""`config show`: which settings are in force, and who set them?"""

import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli.command import command, command_group
from abs_audit.cli.context import print_documents
from abs_audit.cli.declaring import declared, switch
from abs_audit.cli.options import json_switch
from abs_audit.quantities import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """Which configuration is shown."""

    subject: Path = declared(
        "", "Directory of the checkout to audit.", Path(), kind=PATH, metavar="SUBJECT", shown="."
    )
    config: Path | None = declared("--config", "Configuration instead of the checkout's own.", kind=PATH)
    origin: bool = switch("--origin", "Say who set each value.")
    as_json: bool = json_switch()


@command()
def show(asked: ShowOptions) -> None:
    """Print the settings in force."""
    from abs_audit import config
    from abs_audit.analyses.setting_up.document import ConfigDocument

    settings, origins = config.load(asked.subject, asked.config, {})
    values = settings.model_dump(mode="json")
    if asked.as_json:
        by_key = {setting.key: setting.origin for setting in origins}
        print_documents([ConfigDocument(settings=values, origins=by_key)])
        return
    for setting in origins:
        source = f"  ({setting.origin})" if asked.origin else ""
        sys.stdout.write(f"{setting.key} = {values[setting.key]!r}{source}\n")


app = command_group("Look at the configuration.", "show", show)
