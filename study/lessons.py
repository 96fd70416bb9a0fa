"""Says which of the conclusions of 2018 hold: one sentence each, computed from the kept results."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

Result = Mapping[str, Any]


def lessons(results: Sequence[Result]) -> str:
    """Return a list of sentences; what no audit came to is left out."""
    scored = [result["score"] for result in results if result["score"]]
    sentences = [
        *_scores(scored),
        *_causes(scored),
        *_shares(scored),
        *_redundancy(scored),
        *_stability([result["stability"] for result in results if result["stability"]]),
        *_subsets([result["select"] for result in results if result["select"]]),
        *_stubs([stub for result in results for stub in result["stubs"] or ()]),
    ]
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _scores(scored: Sequence[Result]) -> Iterator[str]:
    totals = [score["totals"]["total"] for score in scored]
    if totals:
        yield (
            f"**Scores** lie between {min(totals):.0f} and {max(totals):.0f} %, those of half of the suites "
            f"above {median(totals):.0f} %. In 2018: between 10 and 100 %."
        )


def _causes(scored: Sequence[Result]) -> Iterator[str]:
    causes = Counter(method["cause"] for score in scored for method in score["methods"])
    verdicts = Counter(method["verdict"] for score in scored for method in score["methods"])
    uncalled = causes["not-called"] + causes["loading-only"]
    yield (
        f"**Of {verdicts.total()} methods** {verdicts['detected']} are noticed. "
        f"{uncalled} are called by no benchmark, {causes['setup-only']} in set-ups only, "
        f"{verdicts['missed']} are too small a part of whatever calls them, "
        f"and {verdicts['no-verdict']} have no verdict."
    )


def _shares(scored: Sequence[Result]) -> Iterator[str]:
    cells = [cell for score in scored for cell in score["cells"]]
    noticed = [cell["share"] for cell in cells if cell["verdict"] == "detected"]
    missed = [cell["share"] for cell in cells if cell["verdict"] == "missed"]
    if noticed and missed:
        yield (
            "**What ABS measures** is nearly whether some benchmark spends half of its time in a method: the "
            f"smallest share that was noticed is {min(noticed):.2f} (of {len(noticed)} cells), the largest "
            f"that was slowed and missed {max(missed):.2f} (of {len(missed)})."
        )


def _redundancy(scored: Sequence[Result]) -> Iterator[str]:
    noticing = [len(method["detected_by"]) for score in scored for method in score["methods"]]
    several = sum(count > 1 for count in noticing)
    yield (
        f"**Redundancy:** {several} of the {sum(map(bool, noticing))} methods that are noticed are noticed "
        f"by more than one benchmark, one by {max(noticing, default=0)}. In 2018, too, the same core methods "
        "were watched over and over."
    )


def _stability(stable: Sequence[Result]) -> Iterator[str]:
    slowdowns = [each["slowdown"] for each in stable if each["slowdown"]]
    if slowdowns:
        yield (
            "**Stability:** the slowdown that the paper derives from maxSpread lies between "
            f"{min(slowdowns):.2f} and {max(slowdowns):.2f} ({len(slowdowns)} suites, and much of it is the "
            "load of the machine). Control and mutant that take turns, as here, feel little of it."
        )


def _subsets(selections: Sequence[Result]) -> Iterator[str]:
    useful = [each for each in selections if each["score_full"]]
    whole = [each for each in useful if each["score_kept"] == each["score_full"]]
    if whole:
        yield (
            f"**A subset of a minute** keeps the whole score in {len(whole)} of {len(useful)} suites "
            f"with a score; the longest takes {max(each['duration_s'] for each in whole):.1f} s."
        )


def _stubs(stubs: Sequence[Result]) -> Iterator[str]:
    if stubs:
        compiling, detecting = (sum(bool(stub[key]) for stub in stubs) for key in ("compiles", "detects"))
        yield (
            f"**Proposed benchmarks:** of {len(stubs)}, {compiling} compile and "
            f"{detecting} are seen to detect."
        )
