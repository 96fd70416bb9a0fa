"""The digest of a patch, which its probes repeat in every tally."""

import hashlib
from collections.abc import Mapping

BUILD_ID = "@BUILD_ID@"
"""Stands in the runtime of a probe where the digest belongs."""


def sealed(files: Mapping[str, str], carrier: str) -> tuple[dict[str, str], str]:
    """Return the files with their digest in those whose paths end in `carrier`, and the digest."""
    digest = hashlib.sha256()
    for path, text in sorted(files.items()):
        digest.update(f"{path}\0{text}\0".encode("utf-8", "surrogatepass"))
    build_id = digest.hexdigest()[:16]
    stamped = {
        path: text.replace(BUILD_ID, build_id) if path.endswith(carrier) else text
        for path, text in files.items()
    }
    return stamped, build_id
