"""What Maven loads before it reads a pom.xml, and a copy does without."""

import re
from pathlib import Path
from xml.etree import ElementTree

from abs_audit.languages.java.toolchain.poms import parsed, text_of

# They tell a server of each build, and make nothing that is built.
TELLING = re.compile(r"develocity|gradle-enterprise|common-custom-user-data")


def keep_quiet(tree: Path) -> None:
    """Take out of a copy's `.mvn/extensions.xml` what would tell others of its builds.

    Nobody asked for that here; and where such an extension cannot be had, Maven reads no further.
    """
    path = tree / ".mvn" / "extensions.xml"
    if not path.is_file() or path.resolve() != tree.resolve() / ".mvn" / "extensions.xml":
        return
    extensions = parsed(path.read_bytes())
    if extensions is None:
        return
    telling = [extension for extension in extensions if TELLING.search(text_of(extension.find("artifactId")))]
    for extension in telling:
        extensions.remove(extension)
    if telling:
        ElementTree.ElementTree(extensions).write(path, encoding="utf-8")
