"""What a probed copy carries besides its own sources: a package with the probe's runtime in each module."""

import json
from collections.abc import Iterable, Sequence
from importlib import resources

from abs_audit.templates import templates

FOLDER = "internal/absauditprobe"
"""Of the runtime in a module that holds probed functions."""
PARTS = ("delaying", "mapped", "tally", "timing", "turns", "unmapped")
FILES = {"zz_abs_audit_probe.go": "probe.go"} | {
    f"zz_abs_audit_probe_{part}.go": f"{part}.go" for part in PARTS
}
"""Name in the copy → file of this package."""
SWITCHES = "zz_abs_audit_probe_switches.go"
CARRIER = "/zz_abs_audit_probe_tally.go"
"""End of the path of the file that repeats the digest of a patch."""


def runtime(number: int, methods: Sequence[str]) -> dict[str, str]:
    """Return name of file → text for one copy; the number of a site is its place in `methods`."""
    folder = resources.files("abs_audit.injectors.go").joinpath("probe")
    files = {name: folder.joinpath(source).read_text(encoding="utf-8") for name, source in FILES.items()}
    # JSON and Go write the same escapes, but for characters outside of the basic plane.
    quoted = [json.dumps(method, ensure_ascii=False) for method in methods]
    template = templates("injectors/go/templates").get_template("switches.go.j2")
    files[SWITCHES] = template.render(methods=quoted, number=number)
    return files


def free_folder(module: str, tree: Iterable[str]) -> str:
    """Return a folder, relative to the module's, that the tree does not have yet."""
    taken = list(tree)
    folder = FOLDER
    while any(path.startswith(below(module, folder) + "/") for path in taken):
        folder += "_"
    return folder


def below(folder: str, name: str) -> str:
    """Return a path below a folder; empty: the root."""
    return f"{folder}/{name}" if folder else name
