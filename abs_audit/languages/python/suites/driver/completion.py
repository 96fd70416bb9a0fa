"""Copies what the installation of the subject generated, and its tree lacks, into the tree.

Version modules and compiled extensions exist only in the installed package. The tree comes first on
the path, so that its (probed) copy is what is imported; without them that import would fail.
"""

from __future__ import annotations

import json
import shutil
import sys
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import unquote, urlparse

LEFT_OUT = {".pyc", ".pth"}


def complete(plan):
    """Copy generated files into the source roots of the plan; print each."""
    root = Path(plan["root"]).resolve()
    for distribution in [installed for installed in distributions() if _origin(installed) == root]:
        for entry in distribution.files or ():
            origin = Path(str(distribution.locate_file(entry)))
            # Commands and manual pages are recorded as paths out of the packages' folder.
            if ".." in entry.parts or (len(entry.parts) > 1 and origin.suffix in LEFT_OUT):
                continue
            for source_root in map(Path, plan["source_roots"]):
                _copy(origin, source_root / entry, source_root / entry.parts[0])


def _copy(origin, target, top):
    """Copy one file into a package (or beside modules) of the tree, unless the tree has its own."""
    in_package = top.is_dir() and top != target
    extension = top == target and target.suffix in {".so", ".pyd"}
    if (in_package or extension) and origin.is_file() and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(str(origin), str(target))
        sys.stdout.write(f"copied {target}\n")


def _origin(distribution):
    """Return the folder that a distribution was built from, as pip recorded it, else None."""
    text = distribution.read_text("direct_url.json")
    if not text:
        return None
    address = urlparse(json.loads(text).get("url", ""))
    return Path(unquote(address.path)).resolve() if address.scheme == "file" else None
