"""The document of `select`."""

from typing import Annotated, Literal

from pydantic import Field

from abs_audit.model.bounds import Count, Rate, Size
from abs_audit.report.document import Document, Percent, Text, Texts, named, read_from


class SelectDocument(Document):
    """A subset of the suite under a time budget."""

    schema_: Literal["abs-audit/select/1"] = named("abs-audit/select/1")
    budget_s: Size
    chosen: Texts
    duration_s: Size
    score_kept: Percent
    score_full: Percent
    score_greedy: Percent = read_from("greedy_score")
    lost: Texts
    undecided: Annotated[Count, Field(description="methods without a verdict, which the subset may lose")]
    gap: Rate
    optimal: bool
    filter: Annotated[Text, Field(description="what to paste into the framework's command line")]
    warnings: Texts
