"""Whole sessions for tests of reports: a small realistic one, a hostile one and a large one."""

import math
from collections.abc import Iterable, Sequence
from functools import cache

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.stability.model import Density
from abs_audit.model.cost import CommandCost
from abs_audit.model.explanation import Cause, Difference, Explanation, Nearest
from abs_audit.model.subject import BrokenBenchmark, Skipped
from abs_audit.model.verdict import CellRuns, CellVerdict, ComparedRun, Verdict
from tests.support import builders as b

BENCHMARKS = (
    "bench/test_load.py::test_load[small]",
    "bench/test_load.py::test_load[large]",
    "bench/test_load.py::test_load_line",
    "bench/test_find.py::test_find_exact[10-hit]",
    "bench/test_find.py::test_find_exact[1000-hit]",
    "bench/test_find.py::test_find_exact[1000-miss]",
    "bench/test_find.py::test_find_prefix",
    "bench/test_render.py::test_render[plain]",
    "bench/test_render.py::test_render[markup]",
    "bench/test_cache.py::test_warm_cache",
    "bench/test_cache.py::test_cold_cache",
    "bench/test_merge.py::test_merge[disjoint]",
    "bench/test_merge.py::test_merge[overlap]",
    "bench/test_text.py::test_fold_case",
)
# Method → shares in the benchmarks of the same index; 0: never called there.
SHARES: dict[str, tuple[float, ...]] = {
    "tokenmap.core.TokenMap.load": (0.97, 0.98, 0, 0, 0, 0, 0, 0, 0, 0.21, 0.64, 0, 0, 0),
    "tokenmap.core.TokenMap.load_line": (0.55, 0.72, 0.94, 0, 0, 0, 0, 0, 0, 0.1, 0.3, 0, 0, 0),
    "tokenmap.core.TokenMap.find": (0, 0, 0, 0.92, 0.95, 0.9, 0.31, 0, 0, 0.4, 0.2, 0.12, 0.18, 0),
    "tokenmap.core.TokenMap.find_prefix": (0, 0, 0, 0, 0, 0, 0.96, 0, 0, 0, 0, 0, 0, 0),
    "tokenmap.core.TokenMap.insert": (0.3, 0.38, 0.34, 0, 0, 0, 0, 0, 0, 0, 0.2, 0.71, 0.66, 0),
    "tokenmap.core.TokenMap.merge": (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.97, 0.98, 0),
    "tokenmap.core.TokenMap.__len__": (0.01, 0.01, 0, 0, 0, 0, 0, 0, 0.02, 0, 0, 0.01, 0.01, 0),
    "tokenmap.render.Renderer.render": (0, 0, 0, 0, 0, 0, 0, 0.99, 0.99, 0, 0, 0, 0, 0),
    "tokenmap.render.Renderer.escape": (0, 0, 0, 0, 0, 0, 0, 0.12, 0.53, 0, 0, 0, 0, 0),
    "tokenmap.render.Renderer.wrap": (0, 0, 0, 0, 0, 0, 0, 0.22, 0.17, 0, 0, 0, 0, 0),
    "tokenmap.render.Theme.colour_of": (0, 0, 0, 0, 0, 0, 0, 0.03, 0.04, 0, 0, 0, 0, 0),
    "tokenmap.cache.Cache.get": (0, 0, 0, 0, 0, 0, 0, 0, 0, 0.83, 0.05, 0, 0, 0),
    "tokenmap.cache.Cache.put": (0, 0, 0, 0, 0, 0, 0, 0, 0, 0.02, 0.58, 0, 0, 0),
    "tokenmap.cache.Cache.evict": (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    "tokenmap.text.fold_case": (0.06, 0.07, 0.08, 0.04, 0.04, 0.05, 0.03, 0, 0, 0.02, 0.03, 0, 0, 0.93),
    "tokenmap.text.split_words": (0.14, 0.16, 0.21, 0, 0, 0, 0, 0, 0, 0, 0.08, 0, 0, 0.6),
    "tokenmap.text.normalise": (0.11, 0.12, 0.13, 0, 0, 0, 0, 0, 0, 0, 0.06, 0, 0, 0.51),
}
NOISY = ("tokenmap.cache.Cache.put", "tokenmap.text.normalise")
SLOWDOWN = 0.4

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\x1b[31mred\x1b[0m",
    "\u202egnirts\u202c",
    "nul\x00byte",
    "[bold]markup[/bold][link=javascript:x]y[/link]",
    "::error::workflow command",
    "{{ 7 * 7 }}{% raw %}",
    "a\nb\tc",
    "' onmouseover='alert(1)",
    "lone \udc80 surrogate",
    "x" * 3000,
)


def small() -> AuditReport:
    """A Python library with 17 methods and 14 benchmarks: 11 detected, 3 missed, 1 unreached, 2 noisy."""
    methods = tuple(_method(name) for name in SHARES)
    cells = tuple(_cell(name, index) for name in SHARES for index in range(len(BENCHMARKS)))
    spreads = [0.012, 0.018, 0.024, 0.03, 0.035, 0.041, 0.06, 0.02, 0.08, 0.14, 0.31, 0.022, 0.027, 0.19]
    return b.report(
        subject=b.subject(),
        discovery=b.discovery(
            *BENCHMARKS,
            broken=(
                BrokenBenchmark(id="bench/test_io.py::test_mmap", reason="fails: no such file data.bin"),
            ),
            durations_s={name: 1.5 + index / 4 for index, name in enumerate(BENCHMARKS)},
        ),
        trace=b.trace(
            *(
                b.ranked(name, 9000 // (index + 1), shop=6000 // (index + 1), wiki=3000 // (index + 1))
                for index, name in enumerate(SHARES)
            ),
            downstreams=(
                b.downstream("shop", calls=20_400, tests_passed=412),
                b.downstream("wiki", calls=10_250, tests_passed=96, tests_failed=3, commit=None),
            ),
        ),
        stability=b.stability(
            *(
                b.spread(name, value, rsd=value / 3, means=(1e-3, 1e-3 * (1 + value)))
                for name, value in zip(BENCHMARKS, spreads, strict=True)
            ),
            slowdown=SLOWDOWN,
        ),
        violins=tuple(bell(name, value) for name, value in zip(BENCHMARKS, spreads, strict=True)),
        score=b.score(
            *methods,
            cells=cells,
            skipped=(
                Skipped(method="tokenmap.core.TokenMap.size", reason="a property without a body of its own"),
            ),
            relative=10 / 17,
            absolute=11 / 17,
        ),
        runs=runs_of(cells),
        sensitivity=b.sensitivity(
            *(
                b.noticed(
                    name, 0.2 / max(shares) if max(shares) > 0.005 else None, confirmed=max(shares) > 0.3
                )
                for name, shares in SHARES.items()
            )
        ),
        redundancy=b.redundancy(
            {method.method: method.detected_by for method in methods},
            removable=(BENCHMARKS[0], BENCHMARKS[3], BENCHMARKS[5], BENCHMARKS[11]),
        ),
        selection=b.selection(
            *(BENCHMARKS[index] for index in (1, 2, 4, 6, 8, 9, 12, 13)),
            score_kept=11 / 17,
            score_full=11 / 17,
            greedy_score=10 / 17,
        ),
        selection_filter="pytest 'bench/test_load.py::test_load[large]' bench/test_load.py::test_load_line "
        "'bench/test_find.py::test_find_exact[1000-hit]' bench/test_find.py::test_find_prefix",
        stubs=(
            b.stub("tokenmap.cache.Cache.evict"),
            b.stub("tokenmap.render.Renderer.wrap", detects=False, reason="its share of the stub is 31%"),
            b.stub(
                "tokenmap.render.Theme.colour_of",
                runs=False,
                detects=None,
                reason="TypeError: Theme() needs a palette; fill in the fixture",
            ),
        ),
        cost=CommandCost(total_s=2583.0, phases={"build": 312.0, "unslowed": 410.0, "cells": 1861.0}),
        seed=4711,
        environment={
            "cpu": "AMD EPYC 7B13, 2 of 64 cores pinned",
            "kernel": "Linux 6.1.0",
            "python": "3.11.9",
            "governor": "performance",
            "abs-audit": "0.1.0",
        },
    )


NOISE = b.because(Cause.NOISY, "the two control arms differ by 24%")


def hostile() -> AuditReport:
    """A session in which every name and message is an attack."""
    methods = tuple(
        b.method(name, verdict, explanation=b.because(Cause.FAILED, name), detected_by=HOSTILE[:2])
        for name, verdict in zip(HOSTILE, list(Verdict) * 3, strict=True)
    )
    return b.report(
        subject=b.subject(name=HOSTILE[0], commit=HOSTILE[1], language=HOSTILE[2], framework=HOSTILE[3]),
        discovery=b.discovery(
            *HOSTILE,
            broken=[BrokenBenchmark(id=name, reason=name) for name in HOSTILE],
            durations_s=dict.fromkeys(HOSTILE, 1.0),
        ),
        trace=b.trace(
            *(b.ranked(name, 3, **{name: 3}) for name in HOSTILE),
            downstreams=tuple(b.downstream(name, commit=name) for name in HOSTILE),
            warnings=HOSTILE,
        ),
        stability=b.stability(*(b.spread(name, 0.1) for name in HOSTILE), warnings=HOSTILE),
        violins=tuple(b.density(name) for name in HOSTILE),
        score=b.score(
            *methods,
            cells=tuple(
                b.cell(name, other, verdict, explanation=b.because(Cause.FAILED, name))
                for name in HOSTILE
                for other, verdict in zip(HOSTILE, list(Verdict) * 3, strict=True)
            ),
            skipped=tuple(Skipped(method=name, reason=name) for name in HOSTILE),
            warnings=HOSTILE,
        ),
        sensitivity=b.sensitivity(*(b.noticed(name, reason=name, benchmark=name) for name in HOSTILE)),
        redundancy=b.redundancy(dict.fromkeys(HOSTILE, HOSTILE), removable=HOSTILE),
        selection=b.selection(*HOSTILE, lost=HOSTILE),
        selection_filter=HOSTILE[0],
        stubs=tuple(b.stub(name, file=name, reason=name) for name in HOSTILE),
        cost=CommandCost(total_s=1.0, phases=dict.fromkeys(HOSTILE, 1.0)),
        environment={name: name for name in HOSTILE},
    )


def large(benchmarks: int = 900, methods: int = 20) -> AuditReport:
    """A Java-sized session in which every benchmark reaches every method."""
    ids = [
        f"org.example.library.collections.MapBenchmark.iterate_{n}:size={n},kind=open"
        for n in range(benchmarks)
    ]
    names = [
        f"org.example.library.collections.OpenMap.method{n}(java.lang.Object,int[])" for n in range(methods)
    ]
    verdicts = list(Verdict)
    cells = tuple(
        b.cell(name, other, verdicts[(row + column) % 4])
        for row, name in enumerate(names)
        for column, other in enumerate(ids)
    )
    return b.report(
        subject=b.subject(language="java", framework="jmh"),
        discovery=b.discovery(*ids, durations_s=dict.fromkeys(ids, 2.0)),
        stability=b.stability(*(b.spread(name, 0.001 * index) for index, name in enumerate(ids))),
        violins=tuple(bell(name, 0.01 + 0.0005 * index) for index, name in enumerate(ids)),
        score=b.score(
            *(
                b.method(name, verdicts[index % 4], detected_by=tuple(ids))
                for index, name in enumerate(names)
            ),
            cells=cells,
        ),
        runs=runs_of(cells),
        sensitivity=b.sensitivity(*(b.noticed(name, 0.1 + n) for n, name in enumerate(names))),
        redundancy=b.redundancy(dict.fromkeys(names, tuple(ids)), removable=tuple(ids[1:])),
        selection=b.selection(*ids),
        selection_filter=" ".join(ids),
    )


def runs_of(cells: Iterable[CellVerdict]) -> CellRuns:
    """Return values for every cell that was measured, as many as its verdict names."""
    return {
        (cell.method, cell.benchmark): tuple(
            _run(cell.difference_mean or 0.0, cell.difference_median or 0.0, repetitions)
            for repetitions in cell.repetitions
        )
        for cell in cells
        if cell.repetitions
    }


@cache
def _run(mean: float, median: float, repetitions: int) -> ComparedRun:
    return ComparedRun(
        control=tuple(0.04 * math.sin(7 * place) for place in range(repetitions)),
        mutant=tuple(mean + 0.06 * math.sin(5 * place) for place in range(repetitions)),
        mean=mean,
        median=median,
        interval=(mean - 0.03, mean + 0.03),
    )


def bell(name: str, width: float) -> Density:
    positions = tuple(width * (index / 32 - 1) for index in range(65))
    skew = 1 + (sum(map(ord, name)) % 5) / 5
    heights = tuple(
        math.exp(-((x / width * 2.4 * (skew if x < 0 else 1)) ** 2))
        + 0.25 * math.exp(-((6 * x / width - 4) ** 2))
        for x in positions
    )
    return Density(name=name, positions=positions, heights=heights)


def _verdict(method: str, share: float) -> Verdict:
    if share == 0:
        return Verdict.UNREACHED
    if share > 0.5:
        return Verdict.NO_VERDICT if method in NOISY else Verdict.DETECTED
    return Verdict.MISSED


def _cell(method: str, index: int) -> CellVerdict:
    share = SHARES[method][index]
    verdict = _verdict(method, share)
    if verdict is Verdict.UNREACHED:
        return b.cell(method, BENCHMARKS[index], verdict)
    felt = share * SLOWDOWN
    explanation = {
        Verdict.DETECTED: Explanation(cause=Cause.NOTICED),
        Verdict.MISSED: Explanation(
            cause=Cause.DIFFERENCE_TOO_SMALL,
            details=Difference(difference=felt, threshold=SLOWDOWN / 2, largest_p=0.08),
        ),
        Verdict.NO_VERDICT: NOISE,
    }[verdict]
    return b.cell(
        method,
        BENCHMARKS[index],
        verdict,
        explanation=explanation,
        share=share,
        difference_mean=felt,
        difference_median=felt,
        p_values=(0.0004, 0.0007) if verdict is Verdict.DETECTED else (0.08,),
        repetitions=(20, 20) if verdict is Verdict.DETECTED else (10,),
    )


def _nearest(shares: Sequence[float]) -> Explanation:
    return Explanation(
        cause=Cause.SHARE_TOO_SMALL,
        details=Nearest(
            benchmark=BENCHMARKS[shares.index(max(shares))],
            share=max(shares),
            slowdown=SLOWDOWN,
            shortfall=Explanation(cause=Cause.SHARE_TOO_SMALL),
        ),
    )


def _method(name: str) -> object:
    shares = SHARES[name]
    verdicts = [_verdict(name, share) for share in shares]
    by = tuple(
        benchmark
        for benchmark, verdict in zip(BENCHMARKS, verdicts, strict=True)
        if verdict is Verdict.DETECTED
    )
    if by:
        return b.method(name, detected_by=by, best_share=max(shares))
    if Verdict.NO_VERDICT in verdicts:
        return b.method(name, Verdict.NO_VERDICT, explanation=NOISE, best_share=max(shares))
    if Verdict.MISSED in verdicts:
        return b.method(name, Verdict.MISSED, explanation=_nearest(shares), best_share=max(shares))
    return b.method(name, Verdict.UNREACHED)
