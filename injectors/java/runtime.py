"""What a probed copy carries besides its own sources: the classes of the probe."""

import json
from collections.abc import Sequence
from importlib import resources

from abs_audit.templates import templates

CLASSES = ("Probe", "Site", "Calls", "Clock")
PACKAGE = "abs_audit_probe_"
"""Begins the package of each copy of the runtime, and is it where this package's own sources lie."""
CARRIER = "_/Probe.java"
"""End of the path of the file that repeats the digest of a patch."""
SITES_IN_A_CLASS = 500
"""A static initialiser cannot be larger than 64 KiB."""


def package_of(number: int) -> str:
    """Return the package of one copy of the runtime."""
    return f"{PACKAGE}{number}_"


def switches_of(package: str, number: int) -> str:
    """Return the qualified name of the class that holds the switches of a site."""
    return f"{package}.Sites{number // SITES_IN_A_CLASS}"


def runtime(package: str, methods: Sequence[str]) -> dict[str, str]:
    """Return name of file → text for one copy; the number of a site is its place in `methods`."""
    folder = resources.files("abs_audit.injectors.java").joinpath("probe")
    files = {
        f"{name}.java": folder.joinpath(f"{name}.java")
        .read_text(encoding="utf-8")
        .replace(f"package {PACKAGE};", f"package {package};")
        for name in CLASSES
    }
    switches = templates("injectors/java/templates").get_template("switches.java.j2")
    for first in range(0, len(methods), SITES_IN_A_CLASS):
        # JSON and Java write the same escapes; what is not ASCII must not depend on javac's -encoding.
        sites = enumerate(map(json.dumps, methods[first : first + SITES_IN_A_CLASS]), start=first)
        name = f"Sites{first // SITES_IN_A_CLASS}"
        files[f"{name}.java"] = switches.render(package=package, name=name, sites=list(sites))
    return files
