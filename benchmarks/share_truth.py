"""Are shares true? Methods of 2 ns to 10 µs whose share is known, because their body can be doubled.

    python -m benchmarks.share_truth [--languages go python java] [--methods PATTERN] [--verdicts]

A library of such methods and a suite are written to a temporary folder for each language. A program beside
them executes each benchmark with the body written once and twice, in turns of a fraction of a millisecond in
one process: how much longer the latter takes is the share, without any probe. Beside it stands the share that
an audit tells, and whether its interval holds the truth. With --verdicts a whole score is made instead, and
a verdict is wrong where a method is detected of which half is not needed, or missed though it is more than
that, either by more than a share may be off. Needs the languages' toolchains.
"""

import argparse
import contextlib
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median

from abs_audit import config
from abs_audit.analyses.score.measure import profiler_of
from abs_audit.execution.local import LocalExecutor
from abs_audit.experiment.preparation import prepare
from abs_audit.experiment.projects import open_projects
from abs_audit.experiment.protocol import NEEDED
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.experiment.share import Share
from benchmarks import liars
from benchmarks.share_subjects import SUBJECTS, Subject

ERROR = 0.1
"""Error of a share that is still right."""
BORDERS_NS = (30, 300)
"""Between short, middle and long calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is true of one method, and what was told."""

    language: str
    name: str
    call_ns: float
    truth: float
    told: Share

    @property
    def error(self) -> float:
        """Share that was told, less the true one."""
        return self.told.share - self.truth

    @property
    def is_held(self) -> bool:
        """Tell whether the interval of the share holds the truth."""
        low, high = self.told.interval
        return low <= min(1.0, max(0.0, self.truth)) <= high


def truths(root: Path, subject: Subject) -> dict[str, tuple[float, float]]:
    """Return name → nanoseconds of the benchmark and the share that doubling the body shows."""
    if subject.build:
        subprocess.run(subject.build, cwd=root, check=True)
    command = [word.format(python=sys.executable) for word in subject.truth]
    text = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in text.splitlines() if line.startswith("truth ")]
    return {name: (float(plain_ns), float(share)) for _, name, plain_ns, share in lines}


def told(language: str, root: Path, methods: Sequence[str]) -> Mapping[str, Share]:
    """Return the share of each method in its own benchmark, as an audit finds it."""
    settings, _ = config.load(root, None, {"interpreter": sys.executable} if language == "python" else {})
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Session(Path(folder) / "s.db")) as session,
    ):
        runtime = Runtime(executor=LocalExecutor((0,)), session=session, progress=_progress)
        (project,) = open_projects(root, settings)
        with prepare(project, runtime, methods) as prepared:
            return {share.method: share for share in profiler_of(prepared).learn_all().shares.values()}


def verdicts(language: str, root: Path, methods: Sequence[str]) -> Mapping[str, str]:
    """Return the verdict of a score on each method."""
    listed = root.with_name("methods.txt")
    listed.write_text("\n".join(methods))
    words = ["--methods", str(listed), "--session", str(root.with_name("s.db"))]
    words += ["--interpreter", sys.executable] if language == "python" else []
    return {method: entry["verdict"] for method, entry in liars.scored(root, words).items()}


def _progress(purpose: str, done: float, planned: float) -> None:
    if done >= planned:
        print(purpose, file=sys.stderr)


@contextlib.contextmanager
def written(subject: Subject) -> Iterator[Path]:
    """Write a subject down for as long as it is measured."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "shares"
        for path, text in subject.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        yield root


def asked(subject: Subject, pattern: str) -> list[str]:
    """Return the ids of the methods whose names match."""
    return [method for method, name in subject.methods.items() if fnmatchcase(name, pattern)]


def report_verdicts(language: str, pattern: str) -> None:
    """Print each method with its true share and its verdict, and how many are wrong."""
    subject = SUBJECTS[language]()
    with written(subject) as root:
        answered = verdicts(language, root, asked(subject, pattern))
        true = truths(root, subject)
    wrong = 0
    print("| language | method | ns a call | truth | verdict | |")
    print("|---|---|--:|--:|---|---|")
    for method, verdict in answered.items():
        plain_ns, share = true[subject.methods[method]]
        is_wrong = (verdict == "detected" and share < NEEDED - ERROR) or (
            verdict in {"missed", "unreached"} and share > NEEDED + ERROR
        )
        wrong += is_wrong
        columns = f"{plain_ns * share:.1f} | {share:.2f} | {verdict} | {'WRONG' * is_wrong}"
        print(f"| {language} | {subject.methods[method]} | {columns} |")
    silent = sum(verdict == "no-verdict" for verdict in answered.values())
    print(f"\n{language}: {len(answered)} methods, {wrong} wrong, {silent} without a verdict")


def rows(language: str, pattern: str) -> list[Row]:
    """Measure a language's subject in both ways."""
    subject = SUBJECTS[language]()
    with written(subject) as root:
        shares = told(language, root, asked(subject, pattern))
        true = truths(root, subject)
    return [
        Row(
            language=language,
            name=subject.methods[method],
            call_ns=true[subject.methods[method]][0] * true[subject.methods[method]][1],
            truth=true[subject.methods[method]][1],
            told=share,
        )
        for method, share in shares.items()
    ]


def report(measured: Sequence[Row]) -> None:
    """Print all rows, and errors by language and duration of a call."""
    print("| language | method | ns a call | truth | told | interval | error | held |")
    print("|---|---|--:|--:|--:|---|--:|---|")
    for row in measured:
        share = row.told
        print(
            f"| {row.language} | {row.name} | {row.call_ns:.1f} | {row.truth:.2f} | {share.share:.2f} | "
            f"{share.low or 0:.2f}-{share.high or 0:.2f} | {row.error:+.2f} | "
            f"{'yes' if row.is_held else 'NO'} |"
        )
    print("\n| language | ns a call | methods | median error | largest | within .1 | held |")
    print("|---|---|--:|--:|--:|--:|--:|")
    edges = (float("-inf"), *BORDERS_NS, float("inf"))
    for language in dict.fromkeys(row.language for row in measured):
        for low, high in itertools.pairwise(edges):
            group = [row for row in measured if row.language == language and low <= row.call_ns < high]
            if group:
                errors = [abs(row.error) for row in group]
                print(
                    f"| {language} | {max(low, 0):g}-{high:g} | {len(group)} | {median(errors):.3f} | "
                    f"{max(errors):.3f} | {sum(error <= ERROR for error in errors)} | "
                    f"{sum(row.is_held for row in group)} |"
                )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument("--methods", default="*", help="pattern of their names")
    parser.add_argument("--verdicts", action="store_true", help="of a whole score, instead of shares")
    options = parser.parse_args()
    if options.verdicts:
        for language in options.languages:
            report_verdicts(language, options.methods)
        return
    report([row for language in options.languages for row in rows(language, options.methods)])


if __name__ == "__main__":
    main()
