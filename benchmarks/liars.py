"""How many verdicts on planted methods are wrong, and on how many is there none?

    python -m benchmarks.liars python|go|java [--truth] [--methods PATTERN...] [--session FILE] [OPTION...]

Scores fixtures/liars/LANGUAGE, whose methods and benchmarks tempt to a wrong verdict, and compares each
verdict with truth.json. With --truth that file is itself checked: each method is slowed by hand, in a copy of
the subject, and its benchmarks are measured by their own framework beside those of a plain copy. Further
options, such as --benchmarks PATTERN, are those of the score.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from benchmarks import liars_go, liars_java, liars_python

FIXTURES = Path(__file__).parents[1] / "fixtures" / "liars"
SLOWDOWN = 0.5
ENOUGH, ROUNDS = 2, 6
"""Rounds after which a truth that is confirmed is believed, and one that is not."""


class Language(Protocol):
    """What a language has to say: how its liars are scored, slowed by hand and measured."""

    @property
    def OPTIONS(self) -> tuple[str, ...]:  # noqa: N802
        """Further options of the score."""

    def slow_down(self, copy: Path, method: str, factor: float) -> None:
        """Let one method's body in a copy of the subject do `factor` times its work."""

    def times(self, copy: Path, method: str) -> Mapping[str, float]:
        """Measure once, in a copy, the benchmarks that may execute a method: benchmark → time."""


LANGUAGES: Mapping[str, Language] = {"go": liars_go, "java": liars_java, "python": liars_python}


def main() -> int:
    """Print every disagreement and the counts; return 1 if there is one."""
    options, further = _options()
    subject, language = FIXTURES / options.language, LANGUAGES[options.language]
    truth: dict[str, bool] = json.loads((subject / "truth.json").read_text())
    wanted = {
        method: is_noticed
        for method, is_noticed in truth.items()
        if any(fnmatchcase(method, pattern) for pattern in options.methods)
    }
    with tempfile.TemporaryDirectory() as folder:
        if options.truth:
            return _check_truth(subject, language, wanted, Path(folder))
        methods = Path(folder) / "methods.txt"
        methods.write_text("\n".join(wanted))
        session = options.session or str(Path(folder) / "session.db")
        words = ["--methods", str(methods), "--session", session, *language.OPTIONS, *further]
        verdicts = scored(subject, words)
    return _compare(verdicts, wanted)


def _options() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", choices=list(LANGUAGES))
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("--methods", nargs="+", default=["*"])
    parser.add_argument("--session", default="")
    return parser.parse_known_args()


def _compare(verdicts: Mapping[str, Mapping[str, str]], truth: Mapping[str, bool]) -> int:
    wrong = [
        method
        for method, entry in verdicts.items()
        if entry["verdict"] != "no-verdict" and (entry["verdict"] == "detected") != truth[method]
    ]
    silent = [method for method, entry in verdicts.items() if entry["verdict"] == "no-verdict"]
    for label, methods in (("wrong", wrong), ("no verdict", silent)):
        for method in methods:
            print(f"{label}: {method}: {verdicts[method]['verdict']}: {verdicts[method]['reason']}")
    print(f"{len(verdicts)} methods, {len(wrong)} wrong, {len(silent)} without a verdict")
    return 1 if wrong else 0


def scored(subject: Path, words: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return method → its part of the document of a score with such options; without one the run ends."""
    program = str(Path(sys.executable).with_name("abs-audit"))
    command = [program, "score", str(subject), "--slowdown", str(SLOWDOWN), "--json", *words]
    finished = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if finished.returncode not in {0, 4}:
        sys.exit(f"the score ended with exit code {finished.returncode}, for the reason above")
    return {entry["method"]: entry for entry in json.loads(finished.stdout)["methods"]}


def _check_truth(subject: Path, language: Language, wanted: Mapping[str, bool], folder: Path) -> int:
    """Measure the benchmarks beside a slow copy, method by method; return 1 where truth.json disagrees."""
    disagreeing = 0
    plain, slow = folder / "plain", folder / "slow"
    shutil.copytree(subject, plain)
    for method, expected in wanted.items():
        shutil.rmtree(slow, ignore_errors=True)
        shutil.copytree(subject, slow)
        language.slow_down(slow, method, 1 + SLOWDOWN)
        times: dict[str, dict[Path, list[float]]] = {}
        for turn in range(1, ROUNDS + 1):
            for copy in (slow, plain):
                for benchmark, time in language.times(copy, method).items():
                    times.setdefault(benchmark, {plain: [], slow: []})[copy].append(time)
            ratios = {name: min(both[slow]) / min(both[plain]) for name, both in times.items()}
            name, most = max(ratios.items(), key=lambda ratio: ratio[1])
            agrees = (most >= 1 + SLOWDOWN / 2) == expected
            if agrees and turn >= ENOUGH:
                break
        disagreeing += not agrees
        print(f"{'ok' if agrees else 'NO'}  {method}: {most:.2f} in {name}, expected {expected}", flush=True)
    return 1 if disagreeing else 0


if __name__ == "__main__":
    sys.exit(main())
