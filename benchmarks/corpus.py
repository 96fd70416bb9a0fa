"""Does anything in other people's sources end as a bug, or make us write what does not parse?

    python -m benchmarks.corpus go|java|python FOLDER... [--methods 200] [--seed 1]

Reads each folder as a library, lists its API, writes probes into so many of its methods, a benchmark for each
of them in the style of each framework, and what it finds wrong with its benchmarks. Nothing is executed.
Folders of packages that are installed serve as well as checkouts.
"""

import argparse
import random
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abs_audit.interfaces import StubRequest
from abs_audit.languages.go.toolchain.outline import outline as of_go
from abs_audit.languages.java.toolchain.outline import outline as of_java
from abs_audit.languages.language import Language
from abs_audit.languages.table import languages
from abs_audit.model.subject import SourceTree

LANGUAGES = {language.name: language for language in languages()}
LAST_FRAMES = 3


def main() -> int:
    """Print what failed of each folder; return 1 if anything did."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", choices=list(LANGUAGES))
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--methods", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    language, chance, failed = LANGUAGES[options.language], random.Random(options.seed), False
    for folder in options.folders:
        tree = _sources(folder, language.suffixes)
        failures = [] if tree else ["expected sources, found none"]
        tried = _try(language, tree, options.methods, chance, failures)
        print(f"{folder}: {len(tree)} files, {tried} methods, {len(failures)} failures", flush=True)
        print("".join(f"  {failure}\n" for failure in failures), end="", flush=True)
        failed = failed or bool(failures)
    return 1 if failed else 0


def _sources(folder: Path, suffixes: tuple[str, ...]) -> SourceTree:
    """Return the sources of a checkout or of an installed package, whose own folder names it."""
    root = folder.parent if (folder / "__init__.py").exists() else folder
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(suffixes) and path.is_file()
    }


def _try(language: Language, tree: SourceTree, most: int, chance: random.Random, failures: list[str]) -> int:
    """Note all that fails of a library; return how many of its methods were tried."""
    methods: list[str] = []
    with _noting(failures, "listing"):
        methods = [method.id for method in language.injector.api_methods(tree).methods]
    methods = chance.sample(methods, min(most, len(methods)))
    with _noting(failures, "probes"):
        for path, text in language.injector.instrument(tree, methods).files.items():
            _parse(path, text)
    with _noting(failures, "mistakes"):
        language.mistakes(tree)
    for framework in language.frameworks:
        for method in methods:
            with _noting(failures, f"{framework.suite.name} {method}"):
                request = StubRequest(method=method, arguments=(), existing=())
                stub = framework.stubs.stub(tree, request)
                _parse(stub.path, stub.text)
    return len(methods)


@contextmanager
def _noting(failures: list[str], label: str) -> Iterator[None]:
    try:
        yield
    except Exception as problem:
        frames = traceback.extract_tb(problem.__traceback__)[-LAST_FRAMES:]
        where = " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        failures.append(f"{label}: {type(problem).__name__}: {problem} ({where})")


def _parse(path: str, text: str) -> None:
    """Raise SyntaxError where a source is none of its language."""
    line: int | None = None
    if path.endswith(".py"):
        compile(text, path, "exec")
    elif path.endswith(".go"):
        line = of_go(text.encode()).broken_at
    elif path.endswith(".java"):
        line = of_java(path, text).error_line
    if line:
        raise SyntaxError(f"{path}:{line}")


if __name__ == "__main__":
    sys.exit(main())
