"""What a probed copy carries besides its own sources: the classes of the probe."""

import json
from collections.abc import Mapping, Sequence
from importlib import resources

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
    for first in range(0, len(methods), SITES_IN_A_CLASS):
        sites = dict(enumerate(methods[first : first + SITES_IN_A_CLASS], start=first))
        name = f"Sites{first // SITES_IN_A_CLASS}"
        files[f"{name}.java"] = _switches(package, name, sites)
    return files


def _switches(package: str, name: str, sites: Mapping[int, str]) -> str:
    # JSON and Java write the same escapes; what is not ASCII must not depend on javac's -encoding.
    fields = (_SITE.format(number=number, method=json.dumps(method)) for number, method in sites.items())
    return _CLASS.format(package=package, name=name, fields="".join(fields))


_CLASS = """package {package};

/** The switches of the probed methods: constants, so that a compiler drops what is off. */
public final class {name} {{
    private {name}() {{
    }}
{fields}}}
"""
_SITE = """
    private static final Site SITE{number} = Probe.site({method});
    public static final boolean ON{number} = SITE{number} != null;
    public static final boolean TIMED{number} = ON{number} && Probe.TIMED;

    public static void enter{number}() {{
        SITE{number}.enter();
    }}

    public static void leave{number}() {{
        SITE{number}.leave();
    }}
"""
