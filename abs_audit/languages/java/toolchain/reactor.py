"""Which modules of a Maven project hold benchmarks, and what has to be built for them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from abs_audit.grouping import reached
from abs_audit.languages.java.toolchain.poms import Pom, own_project, poms, text_of

AGGREGATOR = "abs-audit-pom.xml"
"""Takes the place of the root's pom.xml where that leaves modules with benchmarks out."""


def benchmark_modules(tree: Path) -> list[str]:
    """Return the modules that depend on JMH, not only manage its version, and use it in their sources.

    What a parent depends on, the modules below it inherit. Where no sources use it, those that name it count.
    """
    parents, naming, inheriting = list[str](), list[str](), list[str]()
    for pom in poms(tree):
        if pom.texts("packaging") == ["pom"]:
            parents += [pom.folder] if pom.uses_jmh else []
        elif pom.uses_jmh:
            naming.append(pom.folder)
        elif any(_is_below(pom.folder, parent) for parent in parents):
            inheriting.append(pom.folder)
    return sorted(folder for folder in [*naming, *inheriting] if measures(tree / folder)) or naming


def _is_below(folder: str, parent: str) -> bool:
    return parent == "." or f"{folder}/".startswith(f"{parent}/")


def measures(module: Path) -> bool:
    """Tell whether a module's own sources use JMH."""
    return any(True for _ in _measuring(module))


def _measuring(module: Path) -> Iterator[Path]:
    """Yield the sources of a module that use JMH."""
    sources = (path for path in (module / "src").rglob("*") if path.suffix in {".java", ".kt", ".scala"})
    for path in sources:
        if "org.openjdk.jmh" in path.read_text(encoding="utf-8", errors="replace"):
            yield path


def needs_tests(tree: Path, modules: Sequence[str]) -> bool:
    """Tell whether a build has to compile tests: benchmarks lie among them, or a module uses another one's.

    Else they would cost time, and the whole build where a JDK of today cannot compile them.
    """
    built = _built(tree, modules)
    return any(_measures_among_tests(tree, pom) for pom in built if pom.folder in modules) or any(
        "test-jar" in pom.texts(".//dependency/type") or "tests" in pom.texts(".//dependency/classifier")
        for pom in built
    )


def _measures_among_tests(tree: Path, pom: Pom) -> bool:
    """Tell whether a module has benchmarks in its folder of tests, or names further folders of tests."""
    tests = tree / pom.folder / "src" / "test"
    told = pom.texts("build/testSourceDirectory") or "add-test-source" in pom.texts(".//goal")
    return bool(told) or any(path.is_relative_to(tests) for path in _measuring(tree / pom.folder))


def _built(tree: Path, modules: Sequence[str]) -> list[Pom]:
    """Return the projects that are built for some modules: they, and whatever else here they depend on."""
    written = list(poms(tree))
    by_name = {pom.coordinates[1]: pom for pom in written}
    by_folder = {pom.folder: pom for pom in written}

    def needed(folder: str) -> list[str]:
        pom = by_folder[folder]
        named = [*pom.texts("parent/artifactId"), *pom.texts("dependencies/dependency/artifactId")]
        named += pom.texts("profiles/profile/dependencies/dependency/artifactId")
        return [by_name[name].folder for name in named if name in by_name]

    wanted = (pom.folder for pom in written if pom.folder in modules)
    return [by_folder[folder] for folder in reached(wanted, needed)]


def enclosing(folder: Path) -> Path:
    """Return the outermost folder whose pom.xml files list a folder as a module, each in the next one's."""
    for above in folder.parents:
        pom = next((pom for pom in poms(above, deep=False)), None)
        listed = pom.texts(".//module") if pom is not None else []
        if _joined(".", folder.relative_to(above).as_posix()) in {_joined(".", path) for path in listed}:
            return enclosing(above)
    return folder


def aggregated(tree: Path, modules: Sequence[str]) -> Path | None:
    """Return a pom.xml that joins modules which no other one lists to the rest; None where all are listed.

    Written into the copy: a benchmark module that is built by hand still wants the library of this checkout.
    """
    by_folder = {pom.folder: pom for pom in poms(tree)}

    def below(folder: str) -> list[str]:
        texts = by_folder[folder].texts(".//module") if folder in by_folder else []
        return [_joined(folder, path) for path in texts]

    listed = by_folder.keys() & reached(["."], below)
    missing = [module for module in modules if module not in listed]
    if not missing:
        return None
    # Without one at the root every other pom.xml may be what a module with benchmarks needs.
    joined = ["pom.xml", *(f"{module}/pom.xml" for module in missing)]
    if "." not in by_folder:
        joined = [f"{folder}/pom.xml" for folder in by_folder]
    project = own_project("aggregator", packaging="pom")
    listing = SubElement(project, "modules")
    for path in joined:
        SubElement(listing, "module").text = path
    ElementTree.ElementTree(project).write(tree / AGGREGATOR, encoding="utf-8")
    return tree / AGGREGATOR


def _joined(folder: str, path: str) -> str:
    """Return the folder of a module that a pom.xml in another one names, by its folder or its file."""
    joined = os.path.normpath(Path(folder, path))
    return (joined.removesuffix("/pom.xml") if joined != "pom.xml" else ".") or "."


def profiles(tree: Path, modules: Sequence[str]) -> list[str]:
    """Return the profiles that bring in modules which the project leaves out otherwise, or that name JMH.

    Those are needed even where the project depends on JMH without them: Apache's parent project turns the
    processing of annotations off, and on in the profile of benchmarks only.
    """
    needed: list[str] = []
    for pom in poms(tree):
        usual = pom.texts("modules/module")
        for profile in pom.project.iterfind("profiles/profile"):
            brought = [
                _joined(pom.folder, text_of(module))
                for module in profile.iterfind("modules/module")
                if text_of(module) not in usual
            ]
            if "org.openjdk.jmh" in map(text_of, profile.iter("groupId")):
                brought.append(pom.folder)
            name = text_of(profile.find("id"))
            if name and any(_is_below(module, folder) for folder in brought for module in modules):
                needed.append(name)
    return list(dict.fromkeys(needed))
