"""Compiled modules hide calls from probes and tracers: who audits is told how to audit the Python code."""

from pathlib import Path

import pytest

from abs_audit.languages.python.toolchain.compiled import behind_compiled, compiled_remark, pure_switches

BUILD_SCRIPTS = {
    "setup.py": 'NO_EXTENSIONS = bool(os.environ.get("TOY_NO_EXTENSIONS"))',
    "packaging/backend.py": "PURE_PYTHON_ENV_VAR = 'TOY_NO_EXTENSIONS'",
    "build_ext.py": 'if os.environ.get("SKIP_CYTHON"):',
}


def _tree(folder: Path, *files: str) -> Path:
    for name in ("toy/__init__.py", *files):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def _script(tree: Path, name: str) -> Path:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(BUILD_SCRIPTS[name])
    return tree


def test_nothing_is_remarked_of_a_library_of_python_files(tmp_path: Path) -> None:
    assert compiled_remark(_tree(tmp_path, "toy/fast.py")) == ""


@pytest.mark.parametrize("name", ["toy/_fast.cpython-311-x86_64-linux-gnu.so", "toy/_fast.pyd"])
def test_a_compiled_module_of_a_package_is_named(tmp_path: Path, name: str) -> None:
    assert compiled_remark(_tree(tmp_path, name)).endswith("is not seen: toy._fast")


def test_methods_whose_module_has_a_compiled_twin_are_not_seen(tmp_path: Path) -> None:
    """Python imports the compiled file, whatever probes its sources carry."""
    tree = _tree(tmp_path, "src/toy/__init__.py", "src/toy/fast.cpython-311.so", "src/toy/_c.so")
    for name in ("fast", "plain"):
        (tree / "src" / "toy" / f"{name}.py").write_text("")
    methods = ["toy.fast.Book.read", "toy.faster.read", "toy.plain.read", "toy._c.read"]
    assert behind_compiled(tree, methods) == {"toy.fast.Book.read": "fast.cpython-311.so"}
    assert "toy._c, toy.fast" in compiled_remark(tree)


def test_what_a_build_leaves_behind_is_no_module(tmp_path: Path) -> None:
    left = ("build/lib/toy/__init__.py", "build/lib/toy/_fast.so", "vendored/libz.so")
    assert compiled_remark(_tree(tmp_path, *left)) == ""


@pytest.mark.parametrize("script", BUILD_SCRIPTS)
def test_the_switch_that_leaves_the_extension_out_is_advised(tmp_path: Path, script: str) -> None:
    tree = _script(_tree(tmp_path, "toy/_fast.so"), script)
    [switch] = pure_switches(tree)
    assert switch in BUILD_SCRIPTS[script]
    assert f'environment = {{ {switch} = "1" }} in abs-audit.toml' in compiled_remark(tree)


def test_a_switch_that_the_package_asks_for_when_it_is_imported_is_advised(tmp_path: Path) -> None:
    """It is none of the build's: there the extension is made all the same."""
    tree = _tree(tmp_path, "toy/_fast.so")
    (tree / "toy" / "_compat.py").write_text("pure = os.environ.get('PURE_PYTHON')")
    assert 'environment = { PURE_PYTHON = "1" } in abs-audit.toml' in compiled_remark(tree)
    assert pure_switches(tree) == []
