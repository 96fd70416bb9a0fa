"""Renders docs/study.md from the kept results: figures first, then what each subject teaches."""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from study.lessons import lessons
from study.result import fidelity

if TYPE_CHECKING:
    from study.audit import Subject

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "study.md"
BUCKETS = ("0-0.05", "0.05-0.1", "0.1-0.25", "0.25-0.5", ">0.5")
NOTHING = "–"
Result = Mapping[str, Any]


def keep(name: str, result: Result) -> None:
    """Write one subject's result where the page finds it."""
    text = json.dumps(result, indent=1, ensure_ascii=False, sort_keys=True)
    (HERE / "results" / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def write(subjects: Mapping[str, "Subject"]) -> None:
    """Write the page of all subjects that have a result."""
    results = {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name in subjects
        if (path := HERE / "results" / f"{name}.json").exists()
    }
    checks = tomllib.loads((HERE / "checks.toml").read_text(encoding="utf-8"))["check"]
    PAGE.write_text(rendered(subjects, results, checks), encoding="utf-8")


def rendered(
    subjects: Mapping[str, "Subject"], results: Mapping[str, Result], checks: Sequence[Mapping[str, Any]]
) -> str:
    """Return the page; a question that an audit did not come to is a dash, never a guess."""
    rows = [(subjects[name], result) for name, result in results.items()]
    parts = [
        (HERE / "introduction.md").read_text(encoding="utf-8").strip(),
        _whole(results.values()),
        *_unanswered(subjects, results),
        "## What holds of 2018?",
        lessons(list(results.values())),
        "## RQ1: how extensive are the suites?",
        _table(
            "subject|language, framework|benchmarks|one run of the suite|in 2018",
            map(_extent, *_columns(rows)),
        ),
        "## RQ2: how stable are they?",
        "Benchmarks by maxSpread over the runs of the suite here; δ as the paper derives it from them.",
        _table(f"subject|runs|{'|'.join(BUCKETS)}|δ by the paper", map(_stable, *_columns(rows))),
        "## RQ3: do they notice slowdowns?",
        _table(
            "subject|K'|δ|detected|missed|unreached|no verdict|ABS (interval)|relative|absolute|in 2018",
            map(_score, *_columns(rows)),
        ),
        "## RQ4: what can be done with that?",
        _table(
            "subject|removable benchmarks|subset of 60 s|score kept|stubs that detect",
            map(_use, *_columns(rows)),
        ),
        "## Can the figures be trusted, and what did they take?",
        _table(
            "subject|A/A alarms|realised ÷ requested (cells)|wall time|protocol of 2018|ratio|load",
            map(_trust, *_columns(rows)),
        ),
        "### Checked by hand",
        (HERE / "checks.md").read_text(encoding="utf-8").strip(),
        _table("subject|method|benchmark|share|slowed by|seen|expected|verdict here", map(_check, checks)),
        "## Subject by subject",
        *(_prose(subject, result) for subject, result in rows),
    ]
    return "\n\n".join(parts) + "\n"


def _columns(rows: Sequence[tuple["Subject", Result]]) -> tuple[list["Subject"], list[Result]]:
    return [subject for subject, _ in rows], [result for _, result in rows]


def _table(head: str, rows: Iterable[str]) -> str:
    titles = head.split("|")
    return "\n".join([f"| {' | '.join(titles)} |", "|---" * len(titles) + "|", *rows])


def _row(*cells: object) -> str:
    return f"| {' | '.join(NOTHING if cell is None else str(cell) for cell in cells)} |"


def duration(seconds: float | None) -> str:
    """Return seconds as people read them."""
    if seconds is None:
        return NOTHING
    for limit, unit, name in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 86400:.3g} days"


def _percent(part: float | None) -> str:
    return NOTHING if part is None else f"{part:.3g} %"


def _whole(results: Iterable[Result]) -> str:
    """Return the sums that a reader asks for first."""
    kept = list(results)
    scores = [result["score"] for result in kept if result["score"]]
    cells = sum(score["false_alarms"]["cells"] for score in scores)
    alarms = sum(score["false_alarms"]["alarms"] for score in scores)
    wall = sum(_wall(result) for result in kept)
    then = sum(score["cost"]["paper_protocol_s"] or 0 for score in scores)
    methods = sum(score["totals"]["methods"] for score in scores)
    detected = sum(score["totals"]["detected"] for score in scores)
    return (
        f"**{len(kept)} suites, {methods} methods, {detected} of them noticed when half as slow again.** "
        f"A/A alarms: {alarms} in {cells} comparisons of a suite with itself. "
        f"All audits together took {duration(wall)}; the protocol of 2018 {duration(then)} for the "
        f"same methods{f', {then / wall:.0f} times as long' if wall and then else ''}."
    )


def _unanswered(subjects: Mapping[str, "Subject"], results: Mapping[str, Result]) -> Iterable[str]:
    """Yield the sentence that names who is in the list and not on the page."""
    missing = [name for name in subjects if name not in results]
    if missing:
        yield f"In the list, without a result so far: {', '.join(missing)}."


def _extent(subject: "Subject", result: Result) -> str:
    listed, then = result["listed"], subject.published
    benchmarks = listed["count"] if listed else result["score"] and result["score"]["benchmarks"]
    return _row(
        subject.name,
        f"{subject.language}, {result['subject']['framework']}",
        benchmarks,
        duration(listed["duration_s"]) if listed else None,
        f"{then[0]:g} benchmarks, {then[1]} h" if then else None,
    )


def _stable(subject: "Subject", result: Result) -> str:
    stable = result["stability"]
    if not stable:
        return _row(subject.name, *[None] * 7)
    slowdown = stable["slowdown"]
    return _row(
        subject.name,
        stable["runs"],
        *(stable["buckets"][name] for name in BUCKETS),
        slowdown and f"{slowdown:.2f}",
    )


def _score(subject: "Subject", result: Result) -> str:
    score = result["score"]
    if not score:
        return _row(subject.name, subject.methods, *[None] * 9)
    totals = score["totals"]
    low, high = totals["interval"]
    then = subject.published
    return _row(
        subject.name,
        totals["methods"],
        score["slowdown"],
        totals["detected"],
        totals["missed"] - totals["unreached"],
        totals["unreached"],
        totals["no_verdict"],
        f"{_percent(totals['total'])} ({low:.0f}–{high:.0f})",
        *(_percent(totals[key]) if result["stability"] else None for key in ("relative", "absolute")),
        f"{_percent(then[3])} at δ = {then[2]}" if then else None,
    )


def _use(subject: "Subject", result: Result) -> str:
    redundant, chosen, stubs = result["redundancy"], result["select"], result["stubs"]
    detecting = stubs and sum(stub["detects"] is True for stub in stubs)
    return _row(
        subject.name,
        len(redundant["removable"]) if redundant else None,
        f"{chosen['chosen']} benchmarks, {duration(chosen['duration_s'])}" if chosen else None,
        f"{_percent(chosen['score_kept'])} of {_percent(chosen['score_full'])}" if chosen else None,
        f"{detecting} of {len(stubs)}" if stubs else None,
    )


def _trust(subject: "Subject", result: Result) -> str:
    score, wall = result["score"], _wall(result)
    loads = [load for audit in result["taken"] for load in audit["load"]]
    load = f"{min(loads):.1f}–{max(loads):.1f}" if loads else None
    if not score:
        return _row(subject.name, None, None, duration(wall), None, None, load)
    alarms, faithful, then = (
        score["false_alarms"],
        fidelity(score["cells"]),
        score["cost"]["paper_protocol_s"],
    )
    return _row(
        subject.name,
        f"{alarms['alarms']} of {alarms['cells']}",
        f"{faithful[0]:.2f} ({faithful[1]})" if faithful else None,
        duration(wall),
        duration(then),
        f"{then / wall:.0f}" if then and wall else None,
        load,
    )


def _wall(result: Result) -> float:
    return sum(float(audit["wall_s"]) for audit in result["taken"])


def _check(check: Mapping[str, Any]) -> str:
    keys = ("subject", "method", "benchmark", "share", "slowed", "seen", "expected", "verdict")
    return _row(*(check[key] for key in keys))


def _prose(subject: "Subject", result: Result) -> str:
    downstreams = result["downstreams"]
    source = (
        "K' from the tests of "
        + ", ".join(
            f"{project['name']} ({project['tests_passed']} passed, {project['tests_failed']} failed)"
            for project in downstreams
        )
        if downstreams
        else f"K' from [a file](../study/methods/{subject.methods_file})"
    )
    noticed = [
        method["method"]
        for method in (result["score"] or {"methods": []})["methods"]
        if method["verdict"] == "detected"
    ]
    return "\n\n".join(
        part
        for part in (
            f"### {subject.name}",
            f"{subject.repository} at `{subject.commit[:10]}`; {source}. "
            f"[Result](../study/results/{subject.name}.json).",
            f"Noticed: {', '.join(f'`{name}`' for name in noticed) or 'none'}.",
            subject.reading.strip(),
        )
        if part
    )
