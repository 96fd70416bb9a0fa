"""Reads a result file of any known format: told by its name or by how it begins."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats import (
    asv_results,
    benchmark_dotnet_results,
    benchmark_lists,
    criterion_results,
    go_results,
    jmh_results,
    jmh_text,
    opening,
    tables,
)
from abs_audit.formats.json_stream import whole
from abs_audit.formats.sample import Reader, Sample, checked

FOLDER = "folder"
SUFFIXES = (".json", ".json.gz", ".jsonl", ".csv", ".csv.gz", ".txt", ".txt.gz")
OTHERS = frozenset({"benchmarks.json", "machine.json", "benchmark.json", "tukey.json", "asv.conf.json"})
"""What Criterion, asv and others keep beside their results in a folder."""
READERS: Mapping[str, Reader] = {
    "jmh": jmh_results.read,
    "jmh-text": jmh_text.read,
    "jmh-csv": jmh_text.read_csv,
    "go": go_results.read,
    "go-json": go_results.read_events,
    "pytest-benchmark": benchmark_lists.read_pytest_benchmark,
    "asv": asv_results.read,
    "pyperf": benchmark_lists.read_pyperf,
    "codspeed": benchmark_lists.read_codspeed,
    "hyperfine": benchmark_lists.read_hyperfine,
    "criterion": criterion_results.read,
    "criterion-estimates": criterion_results.read_estimates,
    "google-benchmark": benchmark_lists.read_google_benchmark,
    "benchmark-dotnet": benchmark_dotnet_results.read,
    "pa": tables.read_pa,
    "csv": tables.read_plain,
}
SUMMARIES_ONLY = frozenset({"codspeed", "jmh-csv", "criterion-estimates"})
"""Formats that hold one value a benchmark: nothing about noise can be learned from them."""
HEAD = 64 * 2**10
NAMED = "where it is one of these, say which: abs-audit import FILE --format FORMAT"
_GO = re.compile(r"^(goos:|goarch:|pkg:|Benchmark\S*\s+\d)", re.MULTILINE)
_JMH_TEXT = re.compile(
    r"^(# (JMH version|Benchmark mode|Benchmark): |Benchmark\s.*\bMode\b.*\bScore\b)", re.MULTILINE
)
# Keys that only one of the JSON formats has near its beginning.
_TELLING = (
    ("go-json", re.compile(r'^\{("Time"\s*:\s*"[^"]*"\s*,\s*)?"Action"\s*:\s*"')),
    ("jmh", re.compile(r'"(jmhVersion|primaryMetric)"\s*:')),
    ("asv", re.compile(r'"(result_columns|commit_hash|env_vars)"\s*:')),
    ("codspeed", re.compile(r'"(instrument|creator)"\s*:\s*\{')),
    ("hyperfine", re.compile(r'^\{\s*"results"\s*:\s*\[\s*\{\s*"command"\s*:')),
    ("criterion", re.compile(r'"sampling_mode"\s*:|"iters"\s*:\s*\[')),
    ("criterion-estimates", re.compile(r'"confidence_interval"\s*:.*"point_estimate"\s*:', re.DOTALL)),
    ("benchmark-dotnet", re.compile(r'"(HostEnvironmentInfo|BenchmarkDotNetCaption)"\s*:')),
    ("google-benchmark", re.compile(r'"(library_build_type|cpu_scaling_enabled|mhz_per_cpu|run_type)"\s*:')),
    ("pyperf", re.compile(r'"runs"\s*:\s*\[|"perf_version"|"pyperf')),
    ("pytest-benchmark", re.compile(r'"machine_info"\s*:|"commit_info"\s*:')),
)


def read(path: Path, name: str | None = None) -> Iterator[Sample]:
    """Yield the samples of a file piece by piece; `name`: its format, None: found out.

    `-` is standard input. The files of a folder are trials of their own. Raises UsageError where there is
    no such file or format, MismatchError for contents that are no measurements: truncated, NaN, negative,
    two units of one benchmark, one fork twice, none at all.
    """
    name = name or format_of(path)
    if path.is_dir():
        return checked(_of_folder(path, name), path)
    return checked(READERS[name](path), path)


def _of_folder(folder: Path, name: str) -> Iterator[Sample]:
    for path in _result_files(folder):
        for sample in READERS[format_of(path) if name == FOLDER else name](path):
            yield replace(sample, trial=f"{path.relative_to(folder)}: {sample.trial}")


def holds_results(folder: Path) -> bool:
    """Tell whether there is anything in a folder that may be a result file."""
    return any(True for _ in _results(folder))


def _result_files(folder: Path) -> list[Path]:
    """Return the result files of a folder in the order of their names; raise MismatchError for none.

    Of Criterion's the newest samples, and the estimates where there are none.
    """
    criterion = sorted(folder.rglob("new/sample.json")) or sorted(folder.rglob("new/estimates.json"))
    chosen = criterion or sorted(_results(folder))
    if not chosen:
        raise MismatchError(
            f"{folder}: expected a folder with result files ({', '.join(SUFFIXES)}), found none"
        )
    return chosen


def _results(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.name.endswith(SUFFIXES) and path.name not in OTHERS and path.is_file() and not hidden:
            yield path


def format_of(path: Path) -> str:
    """Return the name of a file's format; raise MismatchError where nothing tells it."""
    if path.is_dir():
        return FOLDER
    begin = opening.head(path, HEAD).decode("utf-8-sig", "replace").lstrip()
    if not begin:
        raise MismatchError(f"{path}: expected measured values, found an empty file")
    if begin[0] in "[{":
        return _json_format(path, begin)
    if _JMH_TEXT.search(begin):
        return "jmh-text"
    if _GO.search(begin):
        return "go"
    first = begin.split("\n", 1)[0]
    if first.startswith(('"Benchmark","Mode"', "Benchmark,Mode,")):
        return "jmh-csv"
    if first.count(";") >= len(tables.PA_COLUMNS) - 1:
        return "pa"
    if "," in first:
        return "csv"
    raise MismatchError(f"{path}: expected one of {', '.join(READERS)}, found {first[:60]!r}; {NAMED}")


def _json_format(path: Path, begin: str) -> str:
    for name, telling in _TELLING:
        if telling.search(begin):
            return name
    if len(begin) < HEAD:
        # A short file may be no JSON at all, which is to be said rather than that its keys are unknown.
        whole(path, object)
    formats = ", ".join(name for name, _ in _TELLING)
    raise MismatchError(f"{path}: expected the JSON of {formats}, found other keys; {NAMED}")
