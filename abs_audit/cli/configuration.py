"""`config show`: which settings are in force, and who set them?"""

import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli.command import command, command_group
from abs_audit.cli.context import print_documents
from abs_audit.cli.declaring import switch
from abs_audit.cli.options import config_file, json_switch, subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """Which configuration is shown."""

    subject: Path = subject()
    config: Path | None = config_file()
    origin: bool = switch("Say who set each value.")
    json: bool = json_switch()


@command()
def show(asked: ShowOptions) -> None:
    """Print the settings in force."""
    from abs_audit import config
    from abs_audit.analyses.setting_up.document import ConfigDocument

    settings, origins = config.load(asked.subject, asked.config, {})
    values = settings.model_dump(mode="json")
    if asked.json:
        by_key = {setting.key: setting.origin for setting in origins}
        print_documents([ConfigDocument(settings=values, origins=by_key)])
        return
    for setting in origins:
        source = f"  ({setting.origin})" if asked.origin else ""
        sys.stdout.write(f"{setting.key} = {values[setting.key]!r}{source}\n")


app = command_group("Look at the configuration.", "show", show)
