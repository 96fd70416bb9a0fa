"""The digest of a patch, which its probes repeat in every tally."""

import hashlib
from collections.abc import Iterable, Mapping

from abs_audit.model.subject import Patch, Skipped

BUILD_ID = "@BUILD_ID@"
"""Stands in the runtime of a probe where the digest belongs."""
NOTHING: Mapping[str, str] = {}


def sealed(
    files: Mapping[str, str],
    carrier: str,
    probed: Iterable[str],
    skipped: Mapping[str, str],
    bodies: Mapping[str, str] = NOTHING,
) -> Patch:
    """Return a patch of the files, with their digest in those whose paths end in `carrier`.

    `skipped`: method → why it carries no probe; `bodies`: as in the patch.
    """
    digest = hashlib.sha256()
    for path, text in sorted(files.items()):
        digest.update(f"{path}\0{text}\0".encode("utf-8", "surrogatepass"))
    build_id = digest.hexdigest()[:16]
    stamped = {
        path: text.replace(BUILD_ID, build_id) if path.endswith(carrier) else text
        for path, text in files.items()
    }
    return Patch(
        files=stamped,
        instrumented=tuple(probed),
        skipped=tuple(Skipped(method=method, reason=reason) for method, reason in skipped.items()),
        build_id=build_id,
        bodies=bodies,
    )
