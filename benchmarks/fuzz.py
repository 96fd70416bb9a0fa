"""Does any damaged file end a command with a bug, a signal or a hang?

    python -m benchmarks.fuzz [--seconds 600] [--seed 1] [--keep FOLDER]

Damages real files (results of all frameworks, what `export` writes, sessions, methods files, configurations,
sources) at random and gives each to a command that reads such a file, in a forked process of limited memory.
A case fails with exit code 70, a signal, a traceback, a message of more than 4,000 characters, or after 10 s;
its input is kept.
"""

import argparse
import importlib
import os
import pkgutil
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import abs_audit
from abs_audit.cli.main import main as program

ROOT = Path(__file__).parents[1]
OUTPUTS = ROOT / "fixtures" / "outputs"
SUBJECTS = ROOT / "fixtures" / "subjects"
LONGEST_S = 10.0
LONGEST_MESSAGE = 4000
MEMORY = 4 * 2**30
BUG = 70
LARGEST = 300_000
FORMATS = ("pa", "csv", "parquet", "benchstat", "bmf", "github-action-benchmark", "openmetrics")
RESULTS = (
    ("compare", "FILE", "good.csv"),
    ("compare", "good.csv", "FILE"),
    ("variability", "FILE"),
    ("detectable", "FILE"),
    ("stop", "--replay", "FILE"),
    ("import", "FILE", "--session", "new.db"),
    ("export", "FILE"),
)
METHOD = {
    "pytest_benchmark": "wordbook.book.Book.render",
    "go_bench": "example.com/wordbook.(*Book).Render",
    "jmh": "org.example.wordbook.Book.render()",
}
TOKENS = (
    *(b"nan", b"-1", b"1e999", b"9" * 400, b"null", b"[]", b"{}", b'""', b"0", b"-0.0", b"\xff\xfe"),
    *(
        b"\x00",
        b"\x1b[31m",
        b"\xef\xbb\xbf",
        b"\r",
        b'"',
        b"{" * 3000,
        b"(" * 3000,
        b",",
        b"\t",
        b"/*",
        b"'''",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A command, and the file that is damaged before it reads it."""

    command: tuple[str, ...]
    path: Path
    """Relative to the folder in which the command runs."""


def main() -> int:
    """Print every failure and the counts; return 1 if there is a failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz")
    options = parser.parse_args()
    _import_everything()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cases = _cases(folder)
        outcomes = _fuzzed(cases, folder, options)
    failures = sum(number for outcome, number in outcomes.items() if not outcome.startswith("exit"))
    print(f"{sum(outcomes.values())} cases of {len(cases)} kinds, {failures} failures: {dict(outcomes)}")
    return 1 if failures else 0


def _import_everything() -> None:
    """Import the program once, so that a case costs a fork and not seconds."""
    for module in pkgutil.walk_packages(abs_audit.__path__, "abs_audit."):
        # Drivers and recorders belong into the subject's interpreter.
        if not {"driver", "recorder", "probe"} & set(module.name.split(".")):
            with suppress(ImportError):
                importlib.import_module(module.name)


def _fuzzed(cases: Sequence[Case], folder: Path, options: argparse.Namespace) -> Counter[str]:
    draw, outcomes = random.Random(options.seed), Counter[str]()
    originals = {case.path: (folder / case.path).read_bytes() for case in cases}
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        case = draw.choice(cases)
        damaged = _damaged(originals[case.path], draw)
        (folder / case.path).write_bytes(damaged)
        outcome, said = _outcome(case, folder)
        outcomes[outcome] += 1
        if not outcome.startswith("exit"):
            kept = options.keep / f"{outcomes.total()}-{case.path.name}"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(damaged)
            print(f"{outcome}: {' '.join(case.command)}: {kept}\n    {said[-300:]}", flush=True)
        (folder / case.path).write_bytes(originals[case.path])
    return outcomes


def _cases(folder: Path) -> list[Case]:
    """Return all commands with their files, made in a folder."""
    (folder / "good.csv").write_text("benchmark,value\n" + "a,1.0\na,1.1\na,0.9\n" * 5)
    for made in FORMATS:
        _run(["export", "good.csv", "--format", made, "-o", f"good.{made}"], folder)
    _run(["import", "good.csv", "--session", "session.db"], folder)
    files = [path for path in OUTPUTS.rglob("*") if path.is_file() and path.stat().st_size < LARGEST]
    for path in files:
        shutil.copy(path, folder / f"{path.parent.name}-{path.name}")
    names = [f"{path.parent.name}-{path.name}" for path in files]
    names += [path.name for path in folder.glob("good.*") if path.name != "good.csv"]
    found = [
        Case(command=tuple(name if word == "FILE" else word for word in command), path=Path(name))
        for name in names
        for command in RESULTS
    ]
    return [*found, *_cases_of_sources(folder), *_cases_of_sessions()]


def _cases_of_sessions() -> Iterator[Case]:
    for command in (["report", "pytest_benchmark"], ["variability"], ["export"], ["stop"], ["cache"]):
        yield Case(command=(*command, "--session", "session.db"), path=Path("session.db"))


def _cases_of_sources(folder: Path) -> Iterator[Case]:
    """Yield what reads methods, configurations and sources: no case builds or executes anything."""
    for subject, method in METHOD.items():
        shutil.copytree(SUBJECTS / subject, folder / subject)
        (folder / subject / "abs-audit.toml").write_text("slowdown = 0.5\ntop = 5\npaths = ['benchmarks']\n")
        methods = folder / f"{subject}.json"
        methods.write_text(f'{{"methods": [{{"method": "{method}x", "calls": 3}}]}}\n')
        asked = ("score", subject, "--methods", methods.name, "--slowdown", "0.5")
        yield Case(command=asked, path=Path(methods.name))
        yield Case(command=("config", "show", subject), path=Path(subject) / "abs-audit.toml")
        slowed = ("inject", subject, "--method", method, "--slowdown", "0.5", "--diff")
        for path in sorted((folder / subject).rglob("*")):
            if path.suffix in {".py", ".go", ".java", ".xml", ".mod", ".toml"}:
                yield Case(command=slowed, path=path.relative_to(folder))
                yield Case(command=("lint", subject), path=path.relative_to(folder))


def _damaged(text: bytes, draw: random.Random) -> bytes:
    """Return a text with one to four damages: bytes changed, moved, cut, repeated, or nonsense put in."""
    damaged = bytearray(text)
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(damaged) + 1)
        end = min(len(damaged), start + draw.choice((1, 1, 2, 8, 64, 1000)))
        match draw.randrange(6):
            case 0:
                damaged[start:end] = draw.randbytes(end - start)
            case 1:
                del damaged[start:end]
            case 2:
                damaged[start:start] = damaged[start:end] * draw.choice((1, 2, 50))
            case 3:
                damaged[start : start + draw.randrange(6)] = draw.choice(TOKENS)
            case 4:
                del damaged[start:]
            case _:
                other = draw.randrange(len(damaged) + 1)
                damaged[start:start] = damaged[other : other + 200]
    return bytes(damaged)


def _outcome(case: Case, folder: Path) -> tuple[str, str]:
    """Return the exit code or what is wrong with the end, and the end of what was said."""
    status = _run(list(case.command), folder)
    said = (folder / "said").read_text("utf-8", "replace")
    if status is None:
        return f"hang of {LONGEST_S:g} s", said
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}", said
    code = os.WEXITSTATUS(status)
    if code == BUG:
        return "bug", said
    if "Traceback" in said:
        return "traceback", said
    return ("long message", said) if len(said) > LONGEST_MESSAGE else (f"exit {code}", said)


def _run(arguments: list[str], folder: Path) -> int | None:
    """Return the status of a forked process that executes a command; None: it did not end in time."""
    child = os.fork()
    if not child:
        _execute(arguments, folder)
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _execute(arguments: list[str], folder: Path) -> None:
    """Execute a command and leave the process."""
    os.chdir(folder)
    os.environ["ABS_AUDIT_CACHE"] = str(folder / "cache")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(said, 2)
    sys.argv = ["abs-audit", *arguments]
    code = 1
    try:
        program()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        os.write(2, f"Traceback: {error!r}".encode())
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
