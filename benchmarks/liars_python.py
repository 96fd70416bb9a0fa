"""Python's liars: a method's benchmarks are those of the test module that is named after its module."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

OPTIONS = ("--interpreter", sys.executable)


def slow_down(copy: Path, method: str, factor: float) -> None:
    """Give the calls of `busy` in one method's body more units."""
    _, module, *names = method.split(".")
    path = copy / "src" / "liars" / f"{module}.py"
    lines = path.read_text().splitlines()
    function = next(_functions(ast.parse("\n".join(lines)), names))
    for number in range(function.lineno, function.end_lineno or function.lineno):
        lines[number] = lines[number].replace("busy(", f"slow({factor}, ")
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


def times(copy: Path, method: str) -> Mapping[str, float]:
    """Return benchmark → mean time."""
    result = copy / "result.json"
    command = [sys.executable, "-m", "pytest", "-q", f"benchmarks/test_{method.split('.')[1]}.py"]
    command += ["-p", "no:cacheprovider", f"--benchmark-json={result}"]
    command += ["--benchmark-max-time=0.02", "--benchmark-min-rounds=3"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    subprocess.run(command, cwd=copy, env=environment, check=False, capture_output=True)
    return {
        benchmark["name"]: benchmark["stats"]["mean"]
        for benchmark in json.loads(result.read_text())["benchmarks"]
    }
