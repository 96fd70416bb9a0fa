"""Under which names the files of a project are imported: as files on disk, and as the tree of a checkout."""

from pathlib import Path

import pytest

from abs_audit.languages.python.toolchain.layout import imported_as, library_modules


def _project(root: Path, *files: str) -> dict[str, str]:
    """Write the files of a project, and return them."""
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return dict.fromkeys(files, "")


@pytest.mark.parametrize(
    ("files", "file", "name"),
    [
        (("lib/__init__.py", "lib/low/__init__.py"), "lib/low/a.py", "lib.low.a"),
        (("lib/__init__.py",), "lib/__init__.py", "lib"),
        (("pyproject.toml", "src/space/lib/__init__.py"), "src/space/lib/a.py", "space.lib.a"),
        (("setup.py", "src/space/lib/a.py"), "src/space/lib/__init__.py", "space.lib"),
        (("pyproject.toml", "one/pyproject.toml", "one/src/lib/a.py"), "one/src/lib/in/a.py", "lib.in.a"),
    ],
)
def test_a_file_is_imported_under_the_name_of_its_module(
    tmp_path: Path, files: tuple[str, ...], file: str, name: str
) -> None:
    """Below `src` namespace packages count, which have no `__init__.py`."""
    _project(tmp_path, *files, file)
    assert imported_as(tmp_path / file) == name


def test_a_folder_that_is_called_src_by_chance_is_no_projects(tmp_path: Path) -> None:
    _project(tmp_path, "src/checkout/pyproject.toml", "src/checkout/lib/__init__.py", "src/checkout/lib/a.py")
    assert imported_as(tmp_path / "src/checkout/lib/a.py") == "lib.a"


def test_both_readings_agree(tmp_path: Path) -> None:
    tree = _project(tmp_path, "pyproject.toml", "src/space/lib/__init__.py", "src/space/plain/b.py")
    named = {path: module.name for path, module in ((m.path, m) for m in library_modules(tree).values())}
    assert named == {path: imported_as(tmp_path / path) for path in tree if path.endswith(".py")}


@pytest.mark.parametrize(
    ("imports", "names"),
    [
        ("from space.deep import lib\n", {"space.deep.lib", "space.deep.lib.a"}),
        ("    import space.deep.lib.a as a\n", {"space.deep.lib", "space.deep.lib.a"}),
        ("import lib\n", set[str]()),
        ("import spaces.deep\n", set[str]()),
    ],
)
def test_a_folder_is_a_namespace_where_a_file_imports_from_it(
    tmp_path: Path, imports: str, names: set[str]
) -> None:
    files = ("pyproject.toml", "space/deep/lib/__init__.py", "space/deep/lib/a.py", "tests/help/__init__.py")
    tree = {**_project(tmp_path, *files), "tests/test_a.py": imports + "from tests.help import *\n"}
    (tmp_path / "tests/test_a.py").write_text(tree["tests/test_a.py"])
    assert library_modules(tree).keys() == names
    assert (imported_as(tmp_path / "space/deep/lib/a.py") in names) == bool(names)


def test_packages_beside_a_namespace_are_found_too(tmp_path: Path) -> None:
    tree = {"plain/__init__.py": "import space.lib", "space/lib/__init__.py": "", "data/lib/__init__.py": ""}
    assert library_modules(tree).keys() == {"plain", "space.lib"}


@pytest.mark.parametrize(
    "settings",
    [
        {"pyproject.toml": "[tool.setuptools.packages.find]\nwhere = ['./code']\n"},
        {"pyproject.toml": "[tool.maturin]\npython-source = 'code'\n"},
        {"pyproject.toml": "[tool.hatch.build.targets.wheel]\npackages = ['code/lib']\n"},
        {"setup.cfg": "[options]\npackage_dir =\n    = code\n"},
        {"setup.py": "setup(name='lib', package_dir={'': 'code'})"},
    ],
    ids=["setuptools", "maturin", "hatch", "setup.cfg", "setup.py"],
)
def test_packages_lie_where_the_project_says(settings: dict[str, str]) -> None:
    tree = {"code/lib/__init__.py": "", "code/lib/a.py": "", "src/main.rs": "", "other/__init__.py": ""}
    assert {"lib", "lib.a"} == set(library_modules(tree | settings))


@pytest.mark.parametrize("settings", ["[tool.setuptools.packages.find]\nwhere = ['.']\n", "[tool", "x = 1"])
def test_what_the_project_says_of_no_other_folder_changes_nothing(settings: str) -> None:
    assert {"lib"} == set(library_modules({"lib/__init__.py": "", "pyproject.toml": settings}))
