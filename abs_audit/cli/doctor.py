"""`doctor`: what does this machine have, how noisy is it, and which promises hold here?"""

import sys
from dataclasses import dataclass
from pathlib import Path

from abs_audit.cli import preflight
from abs_audit.cli.command import command
from abs_audit.cli.context import print_documents, remark
from abs_audit.cli.declaring import argument, overrides
from abs_audit.cli.options import Common
from abs_audit.quantities import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """What is looked at, beside the machine."""

    subject: Path | None = argument("Checkout to look at, too.", PATH, metavar="SUBJECT", unset="none")


@command()
def doctor(asked: DoctorOptions, common: Common) -> None:
    """Look at toolchains, container engine, pinning, clock and noise of this machine, and at a checkout."""
    from abs_audit import config
    from abs_audit.analyses.doctor import measure, model, text

    settings, _ = config.load(asked.subject or Path(), common.config, overrides((common,)))
    differences = measure.differences(settings.seed)
    remark(common, "differences of equal work: " + " ".join(f"{value:.4f}" for value in differences))
    noise = model.Noise.of(differences)
    recordable = not preflight.session_complaint(common.session)
    document = measure.machine(noise, {f"results can be recorded in {common.session}": recordable})
    if asked.subject:
        facts, promises = measure.checkout(asked.subject, settings)
        document = document.model_copy(update={"subject": facts, "promises": document.promises | promises})
    if common.json:
        print_documents([document])
    else:
        sys.stdout.write("\n".join(text.lines(document, noise, quiet=common.quiet)) + "\n")
