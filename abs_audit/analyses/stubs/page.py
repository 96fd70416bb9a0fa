"""The section of the page on proposed benchmarks."""

from collections.abc import Sequence

from markupsafe import Markup

from abs_audit.analyses.stubs.text import answer, next_command, stages
from abs_audit.model.stub import StubOutcome
from abs_audit.report.html import frame


def section(outcomes: Sequence[StubOutcome]) -> Markup:
    """Return the section: what became of each proposed benchmark."""
    return frame.part(
        "stubs/section.html.j2",
        stubs=[(stub, *stages(stub)) for stub in outcomes],
        answer=answer(outcomes),
        next=next_command(outcomes),
        proven=any(outcome.detects for outcome in outcomes),
    )
