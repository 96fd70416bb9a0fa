"""Which modules of a Maven project may use which."""

import re

from abs_audit.model.subject import SourceTree

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOT_OWN = re.compile(
    r"<(parent|dependencyManagement|dependencies|build|profiles|reporting)>.*?</\1>", re.DOTALL
)
_MANAGED = re.compile(r"<(dependencyManagement|build|profiles|reporting)>.*?</\1>", re.DOTALL)
_ARTIFACT = re.compile(r"<artifactId>\s*([\w.-]+)\s*</artifactId>")
_DEPENDENCY = re.compile(r"<dependency>.*?</dependency>", re.DOTALL)


class Modules:
    """The modules of a checkout, by the folders of their pom.xml."""

    def __init__(self, tree: SourceTree) -> None:
        texts = {
            path.removesuffix("pom.xml"): _COMMENT.sub("", text)
            for path, text in tree.items()
            if path == "pom.xml" or path.endswith("/pom.xml")
        }
        self._folders = sorted(texts, key=len, reverse=True)
        names = {folder: _ARTIFACT.findall(_NOT_OWN.sub("", text))[:1] for folder, text in texts.items()}
        homes = {name: folder for folder, packages in names.items() for name in packages}
        self._uses = {
            folder: {homes[name] for name in _dependencies(text) if name in homes}
            for folder, text in texts.items()
        }

    def sees(self, path: str, other: str) -> bool:
        """Tell whether a source may use another's types; where no pom.xml tells, it may."""
        wanted, rest, seen = self._module(other), [self._module(path)], set[str]()
        while rest:
            here = rest.pop()
            if here is None or here == wanted:
                return True
            if here not in seen:
                seen.add(here)
                rest += self._uses[here]
        return False

    def _module(self, path: str) -> str | None:
        return next((folder for folder in self._folders if path.startswith(folder)), None)


def _dependencies(text: str) -> list[str]:
    blocks = _DEPENDENCY.findall(_MANAGED.sub("", text))
    return [name for block in blocks for name in _ARTIFACT.findall(block)[:1]]
