"""How many verdicts on planted methods are wrong, and on how many is there none?

    python benchmarks/liars.py [--truth] [--methods PATTERN] [--session FILE]

Scores fixtures/liars/python, whose methods and benchmarks tempt to a wrong verdict, and compares each verdict
with truth.json. With --truth that file is itself checked: each method is slowed by hand, in a copy of the
sources, and its benchmarks are measured by pytest-benchmark beside those of the plain sources.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
SUBJECT = ROOT / "fixtures" / "liars" / "python"
SLOWDOWN = 0.5
ROUNDS = 3


def main() -> int:
    """Print every disagreement and the counts; return 1 if a verdict is wrong."""
    options = _options()
    truth = json.loads((SUBJECT / "truth.json").read_text())
    wanted = {
        method: is_noticed for method, is_noticed in truth.items() if fnmatchcase(method, options.methods)
    }
    if options.truth:
        return _check_truth(wanted)
    with tempfile.TemporaryDirectory() as folder:
        verdicts = _verdicts(wanted, Path(folder), options.session)
    wrong = [
        method
        for method, cell in verdicts.items()
        if cell["verdict"] != "no-verdict" and (cell["verdict"] == "detected") != wanted[method]
    ]
    silent = [method for method, cell in verdicts.items() if cell["verdict"] == "no-verdict"]
    for label, methods in (("wrong", wrong), ("no verdict", silent)):
        for method in methods:
            print(f"{label}: {method}: {verdicts[method]['verdict']}: {verdicts[method]['reason']}")
    print(f"{len(verdicts)} methods, {len(wrong)} wrong, {len(silent)} without a verdict")
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("--methods", default="*")
    parser.add_argument("--session", default="")
    return parser.parse_args()


def _verdicts(wanted: Mapping[str, bool], folder: Path, session: str) -> dict[str, dict[str, str]]:
    """Return method → its part of the score's document."""
    methods = folder / "methods.txt"
    methods.write_text("\n".join(wanted))
    command = [str(Path(sys.executable).with_name("abs-audit")), "score", str(SUBJECT)]
    command += [
        "--methods",
        str(methods),
        "--slowdown",
        str(SLOWDOWN),
        "--json",
        "--interpreter",
        sys.executable,
    ]
    command += ["--session", session or str(folder / "session.db")]
    finished = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if finished.returncode not in {0, 4}:
        sys.exit(f"the score ended with exit code {finished.returncode}, for the reason above")
    document = json.loads(finished.stdout)
    return {entry["method"]: entry for entry in document["methods"]}


def _check_truth(wanted: Mapping[str, bool]) -> int:
    """Measure the benchmarks beside a slow copy, method by method; return 1 where truth.json disagrees."""
    disagreeing = 0
    with tempfile.TemporaryDirectory() as folder:
        slow = Path(folder) / "src"
        for method, expected in wanted.items():
            shutil.rmtree(slow, ignore_errors=True)
            shutil.copytree(SUBJECT / "src", slow)
            _slow_down(slow, method)
            ratios = _ratios(slow, Path(folder) / "result.json", f"benchmarks/test_{method.split('.')[1]}.py")
            name, most = max(ratios.items(), key=lambda item: item[1])
            agrees = (most >= 1 + SLOWDOWN / 2) == expected
            disagreeing += not agrees
            print(
                f"{'ok' if agrees else 'NO'}  {method}: {most:.2f} in {name}, expected {expected}", flush=True
            )
    return 1 if disagreeing else 0


def _slow_down(sources: Path, method: str) -> None:
    """Give the call of `busy` in one method's body half as many units again."""
    _, module, *names = method.split(".")
    path = sources / "liars" / f"{module}.py"
    lines = path.read_text().splitlines()
    function = next(_functions(ast.parse("\n".join(lines)), names))
    for number in range(function.lineno, function.end_lineno or function.lineno):
        lines[number] = lines[number].replace("busy(", f"slow({1 + SLOWDOWN}, ")
    slow = "\n\ndef slow(factor, units):\n    return busy(round(factor * units))\n"
    path.write_text("\n".join(lines) + slow)


def _functions(node: ast.AST, names: list[str]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(node):
        if getattr(child, "name", "") != names[0]:
            continue
        if len(names) > 1:
            yield from _functions(child, names[1:])
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child


def _ratios(slow: Path, result: Path, benchmarks: str) -> dict[str, float]:
    """Return benchmark → median time with the slow sources ÷ with the plain ones, in turns."""
    times: dict[str, dict[str, list[float]]] = {}
    for turn in range(2 * ROUNDS):
        kind, sources = ("plain", SUBJECT / "src") if turn % 2 else ("slow", slow)
        command = [sys.executable, "-m", "pytest", "-q", benchmarks, "-p", "no:cacheprovider"]
        command += ["--benchmark-max-time=0.02", "--benchmark-min-rounds=3", f"--benchmark-json={result}"]
        environment = {**os.environ, "PYTHONPATH": str(sources)}
        subprocess.run(command, cwd=SUBJECT, env=environment, check=False, capture_output=True)
        for benchmark in json.loads(result.read_text())["benchmarks"]:
            kinds = times.setdefault(benchmark["name"], {"plain": [], "slow": []})
            kinds[kind].append(benchmark["stats"]["mean"])
    return {name: median(kinds["slow"]) / median(kinds["plain"]) for name, kinds in times.items()}


if __name__ == "__main__":
    sys.exit(main())
