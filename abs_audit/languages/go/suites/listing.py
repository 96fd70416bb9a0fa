"""Tells from one run of every Go benchmark which benchmarks there are, and which cannot be measured."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abs_audit.formats import go_text
from abs_audit.languages.go.suites.steps import why_it_ended
from abs_audit.model.subject import Benchmark, BrokenBenchmark, Discovery

Found = Benchmark | BrokenBenchmark
_TAGGED = 'needs GOFLAGS = "-tags={}" in [environment] of abs-audit.toml'
_APART = 'needs paths = [".", "{}"] in abs-audit.toml: go skips folders that begin with _'


def discovery(packages: Sequence[Mapping[str, Any]], behind: Sequence[Mapping[str, Any]] = ()) -> Discovery:
    """Return what the listings of all packages say, and which benchmarks lie behind build tags."""
    listed = [benchmark for package in packages for benchmark in _package(package)]
    benchmarks = tuple(benchmark for benchmark in listed if isinstance(benchmark, Benchmark))
    shown_s = {
        f"{package['package']}.{name}": duration_s
        for package in packages
        for visit in package["visits"] or ()
        for name, text in _leaves(visit)
        for duration_s in go_text.times(text, 1)[-1:]
    }
    return Discovery(
        benchmarks=benchmarks,
        broken=tuple(benchmark for benchmark in listed if isinstance(benchmark, BrokenBenchmark)),
        left_out=tuple(
            BrokenBenchmark(id=f"{left['package']}.{name}", reason=_needed(left))
            for left in behind
            for name in left["names"]
        ),
        durations_s={
            benchmark.id: shown_s[benchmark.id] for benchmark in benchmarks if benchmark.id in shown_s
        },
    )


def _needed(left: Mapping[str, Any]) -> str:
    """Return what makes go compile benchmarks that it leaves out."""
    return _TAGGED.format(",".join(left["tags"])) if left["tags"] else _APART.format(left["folder"])


def _package(package: Mapping[str, Any]) -> Iterator[Found]:
    path = package["package"]
    if package["error"]:
        for name in package["names"]:
            yield BrokenBenchmark(id=f"{path}.{name}", reason=package["error"])
        return
    problems: dict[str, str | None] = {}
    overtaken: dict[str, str] = {}
    overran = set[str]()
    for visit in package["visits"]:
        ended = why_it_ended(visit)
        leaves = _leaves(visit)
        # While one panics, Go goes on with the next.
        late = [name for name, text in leaves if not any((*go_text.endings(text), *go_text.parse(text)))][1:]
        # What is visited again, without the part that broke it, is known already as far as it came.
        told = list(_visit(visit, [leaf for leaf in leaves if leaf[0] not in late], ended))
        for name, problem in told:
            problems.setdefault(name, problem)
        for name in late:
            overtaken.setdefault(name, f"never ended: {ended or 'the process did before it'}")
        if visit["timed_out"]:
            overran.update(late, (name for name, problem in told if problem and problem.endswith(ended)))
    # Most are known from a later visit, without the one that broke down.
    for name, reason in overtaken.items():
        problems.setdefault(name, reason)
    for name in package["names"]:
        if not any(listed == name or listed.startswith(name + "/") for listed in problems):
            problems[name] = _silence(name, package["visits"])
    for name, problem in problems.items():
        benchmark = f"{path}.{name}"
        if problem is None:
            yield Benchmark(id=benchmark, parameters=parameters(name))
        else:
            yield BrokenBenchmark(id=benchmark, reason=problem, executed=True, overran=name in overran)


def _silence(name: str, visits: Sequence[Mapping[str, Any]]) -> str:
    """Return why a benchmark that the package declares never began."""
    visit = next((visit for visit in reversed(visits) if name in visit["names"]), None)
    ended = why_it_ended(visit) if visit else ""
    return f"never begun: {ended or 'the process ended without it (does TestMain call m.Run?)'}"


def _visit(
    visit: Mapping[str, Any], leaves: Sequence[tuple[str, str]], ended: str
) -> Iterator[tuple[str, str | None]]:
    """Yield each of the benchmarks without parts with what keeps it from being measured."""
    names = [name for name, _ in leaves]
    for name, text in leaves:
        if names.count(name) > 1:
            yield name, "another benchmark has the same name"
        else:
            yield name, _problem(name, text, ended)
    if visit["given_up"]:
        yield visit["names"][0], f"its further parts are not looked for, since too many fail: {ended}"
    begun = go_text.begun(visit["output"])
    failed = any(not ending.skipped for ending in go_text.endings(visit["output"]))
    if begun and ended and not failed and _has_result(begun[-1][1]):
        # It broke down between two parts, or behind the last: which ones it has is not known.
        whole = begun[-1][0].split("/")[0]
        if whole != begun[-1][0]:
            yield whole, f"breaks down outside its parts: {ended}"


def _leaves(visit: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each benchmark without parts that a visit began, and what was printed until the next one.

    One with parts has no result; one with a result may begin like another where names are paths.
    """
    begun = go_text.begun(visit["output"])
    names = [*(name for name, _ in begun), *(visit["skipped"] or ())]
    return [
        (name, text)
        for name, text in begun
        if _has_result(text) or not any(other.startswith(name + "/") for other in names)
    ]


def _problem(name: str, text: str, ended: str) -> str | None:
    """Return why one benchmark cannot be measured, None where it can (or skips itself, which shows later)."""
    for ending in go_text.endings(text):
        if ending.name == name or ending.name.startswith(name + "-"):
            return None if ending.skipped else f"fails: {ending.reason or 'without saying why'}"
    if _has_result(text):
        return None
    if any(go_text.parse(text)):
        return f"reports no {go_text.TIME}, so that its time is not known"
    return ended or "printed no result"


def _has_result(text: str) -> bool:
    return bool(go_text.times(text, 1))


def parameters(name: str) -> dict[str, str]:
    """Return what the parts of a sub-benchmark's name say: `size=10` names itself, others count."""
    by_name: dict[str, str] = {}
    for depth, part in enumerate(name.split("/")[1:], start=1):
        key, equals, value = part.partition("=")
        by_name.update({key: value} if key and equals else {str(depth): part})
    return by_name
