"""Which modules of a library are compiled, so that neither probe nor tracer sees what they execute."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from abs_audit.languages.python.toolchain.layout import imported_as
from abs_audit.wording import some

SUFFIXES = ("so", "pyd")
# What a build script asks its environment for where its extension is not wanted.
PURE_SWITCH = re.compile(
    r"""(?:environ[^\n]{0,20}|ENV\w*\s*=\s*)["']"""
    r"""(\w*(?:NO_EXT|PURE_?PY|DISABLE_C|NO_C_|(?:SKIP|NO)_(?:CYTHON|MYPYC))\w*)["']"""
)
SCRIPTS = ("setup.py", "build*.py", "packaging/**/*.py")


def pure_switches(tree: Path) -> list[str]:
    """Return the environment variables that build a library without its extension."""
    return _switches(path for pattern in SCRIPTS for path in tree.glob(pattern))


def _switches(files: Iterable[Path]) -> list[str]:
    texts = [path.read_text("utf-8", "replace") for path in files]
    return sorted({name for text in texts for name in PURE_SWITCH.findall(text)})


def behind_compiled(tree: Path, methods: Iterable[str]) -> Mapping[str, str]:
    """Return the methods whose module is imported from a compiled file beside its Python one → the file."""
    twins = {
        f"{imported_as(path)}.": path.name
        for path in _extensions(tree)
        if path.with_name(f"{path.name.split('.')[0]}.py").is_file()
    }
    return {method: name for method in methods for module, name in twins.items() if method.startswith(module)}


def compiled_remark(tree: Path) -> str:
    """Return what to know of compiled modules beside the Python ones of a built tree; empty without any."""
    extensions = _extensions(tree)
    if not extensions:
        return ""
    modules = [imported_as(path) for path in extensions]
    # Some are asked for when the package is imported.
    beside = _switches(
        path for folder in {file.parent for file in extensions} for path in folder.glob("*.py")
    )
    switch = next(iter([*pure_switches(tree), *beside]), None)
    advice = f'; to audit the Python code instead: environment = {{ {switch} = "1" }} in abs-audit.toml'
    return (
        f"compiled modules are executed, and what they call or replace is not seen: {some(modules)}"
        f"{advice if switch else ''}"
    )


def _extensions(tree: Path) -> list[Path]:
    """Return the compiled modules of packages; what a build leaves behind is none."""
    files = (path for suffix in SUFFIXES for path in sorted(tree.rglob(f"*.{suffix}")))
    inside = (path for path in files if (path.parent / "__init__.py").is_file())
    return [path for path in inside if path.relative_to(tree).parts[0] != "build"]
