"""The answer to: which commit made it slow, and where?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from abs_audit.analyses.rootcause.calls.call_tree import Node
from abs_audit.analyses.rootcause.calls.suspicion import Suspect
from abs_audit.analyses.rootcause.commits.bisection import Judgement, Step
from abs_audit.analyses.rootcause.commits.categories import Categories, Category, Kind
from abs_audit.analyses.rootcause.commits.history import Commit
from abs_audit.model.bounds import Count, Size, bounded, told_as
from abs_audit.wording import count


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCommit:
    """One commit that the search measured, or tried to."""

    commit: Commit
    date: str
    title: str
    place: Annotated[int, bounded(0, description="position in topological order; the good end is 0")]
    runs: Count
    """Processes."""
    disturbed: Annotated[
        int, bounded(0, description="runs that other work made slower; they count for nothing")
    ]
    sample_size: Count
    """Values of the undisturbed runs."""
    mean_s: Annotated[
        float | None,
        told_as("mean"),
        bounded(0, description="seconds per invocation over the undisturbed runs; null: not measurable"),
    ]
    level_s: Annotated[
        float | None,
        told_as("level"),
        bounded(0, description="centre of those runs, drift taken off; decisions rest on it"),
    ]
    category: Category | None
    judgement: Judgement | None
    """What the search for the main cause took it for; None: it served another purpose."""
    log_odds: float | None
    """Of being bad, natural logarithm; None: the rule knows none, or it is an end."""
    reason: str
    """Why it was skipped; empty where it was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRegression:
    """One commit that made it slower."""

    start: Annotated[Commit, told_as("from")]
    cause: Annotated[Commit, told_as("to")]
    kind: Kind
    suspects: tuple[Commit, ...]
    """The cause, and commits that could not be measured and may be it as well."""
    confirmed: bool
    level_s: Annotated[tuple[Size, Size], told_as("levels")]
    """Before and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A command to look by hand."""

    command: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What the call trees and the diff say about the main cause."""

    compared: tuple[str, str]
    """The two commits."""
    tree: tuple[Node, ...]
    recorded: bool | None
    """Whether callers were seen at work; False: inferred from the text; None: there is no tree."""
    lost_s: float
    """What an invocation of the benchmark became slower by; of an improvement, faster."""
    suspects: tuple[Suspect, ...]
    elsewhere: tuple[str, ...]
    """Changed files with lines outside of methods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RootCause:
    """Everything that a report says."""

    benchmark: str
    rule: str
    improvement: bool
    """True: the bad end is the faster one, and the cause what made it so."""
    good: str
    bad: str
    candidates: int
    """Commits that might have been the cause, before any was measured."""
    cause: str | None
    """None: the bad end is not slower, or no single commit explains it."""
    confidence: float | None
    """Probability that all steps were right, under the rule's model; None: the rule knows none."""
    categories: Categories
    measured: tuple[MeasuredCommit, ...]
    """In topological order, parents first."""
    path: tuple[Step, ...]
    """Of the search for the main cause."""
    regressions: tuple[FoundRegression, ...]
    """The main one first."""
    where: Where | None
    hints: tuple[Hint, ...]
    warnings: tuple[str, ...]


LIMITS = (
    "a change that a later commit of the period took back is invisible here: only both ends and the commits "
    "on the path were measured"
)
EQUAL = "both ends are equally fast as far as runs can tell, so no commit is blamed"


def warnings(result_of: Sequence[FoundRegression], skipped: int, unsearched: str = "") -> tuple[str, ...]:
    """Return what a reader must know about the answer's reach (Heger et al. 2013, §6).

    `unsearched`: why the period was not searched.
    """
    told = [unsearched] if unsearched else []
    main = result_of[0] if result_of else None
    if main is not None and not main.confirmed:
        told.append(
            "the commit where the time passes the midpoint does not measurably differ from its parent: the "
            "steps are too small to tell, so every commit of the period has its part"
        )
    if main is not None and len(main.suspects) > 1:
        unknown = count(len(main.suspects) - 1, "commit")
        told.append(f"{unknown} before the cause could not be measured and may be it")
    if skipped:
        told.append(f"{count(skipped, 'commit')} could not be measured and left out; the table says why")
    return (*told, LIMITS)
