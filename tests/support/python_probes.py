"""Imports patched modules with a probe of their own, and executes them in every mode."""

import importlib
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from abs_audit.injectors.python.injector import RUNTIME, PythonInjector
from abs_audit.model.subject import Patch

Outcome = tuple[Any, ...]


def instrumented(before: str, *names: str) -> Patch:
    """Return the patch of a library that is the one module `example`; no names: all methods."""
    tree = {"example.py": before}
    ids = [f"example.{name}" for name in names]
    return PythonInjector().instrument(
        tree, ids or [method.id for method in PythonInjector().api_methods(tree).methods]
    )


@contextmanager
def imported(folder: Path, files: Mapping[str, str], *modules: str) -> Iterator[list[ModuleType]]:
    """Write files and import modules of them; forget all about it afterwards."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    own = {path.partition("/")[0].removesuffix(".py") for path in files}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield [importlib.import_module(name) for name in modules]
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]


@contextmanager
def probed(folder: Path, before: str, *names: str) -> Iterator[tuple[Any, Any]]:
    """Import the probed module `example`; give it and its probe."""
    patch = instrumented(before, *names)
    assert patch.skipped == ()
    with imported(folder, patch.files, "example", "_abs_audit_probe") as (module, probe):
        yield module, probe


def runtime(build_id: str = "test") -> dict[str, str]:
    """Return the probe's own files."""
    (patch,) = [instrumented("def f(): return 1\n")]
    return {name: patch.files[name].replace(patch.build_id, build_id) for name in RUNTIME}


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Return what a call does: its value, or its error with the subject's own frames."""
    try:
        return ("returned", repr(function(*arguments)))
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame.name for frame in frames if frame.filename.endswith("example.py")]
        return type(error).__name__, str(error), own


def used(module: ModuleType, statements: str) -> str:
    """Execute statements among the module's names; return what they return, as text."""
    names = dict(vars(module), outcome=outcome)
    exec("def use():\n" + textwrap.indent(statements, "    "), names)
    return repr(names["use"]())
