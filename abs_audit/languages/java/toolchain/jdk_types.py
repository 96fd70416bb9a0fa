"""What the JDK's packages hold, so that imports on demand can be told apart without a JDK.

`JdkTypes.java` beside this file makes `jdk_types.txt` anew, of what that lists and the JDK that executes it.
"""

from functools import cache
from importlib import resources


@cache
def jdk_packages() -> dict[str, dict[str, dict[str, str]]]:
    """Return package → public type → its member types (inherited ones too) → their binary names."""
    packages: dict[str, dict[str, dict[str, str]]] = {}
    package = ""
    listed = resources.files("abs_audit.languages.java.toolchain").joinpath("jdk_types.txt")
    text = listed.read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        first, *members = line.split(" ")
        if first == "package":
            (package,) = members
            packages[package] = {}
        else:
            packages[package][first] = dict(_member(f"{package}.{first}", member) for member in members)
    return packages


def member_types(binary: str) -> dict[str, str]:
    """Return the member types of a top-level type of the JDK; empty for any other."""
    package, _, name = binary.rpartition(".")
    return jdk_packages().get(package, {}).get(name, {})


def _member(owner: str, written: str) -> tuple[str, str]:
    name, _, binary = written.partition("=")
    return name, binary or f"{owner}${name}"
