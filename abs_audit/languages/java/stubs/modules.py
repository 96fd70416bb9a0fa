"""Which modules of a Maven project may use which."""

from abs_audit.languages.java.toolchain.poms import parsed, text_of
from abs_audit.model.subject import SourceTree


class Modules:
    """The modules of a checkout, by the folders of their pom.xml."""

    def __init__(self, tree: SourceTree) -> None:
        poms = {
            path.removesuffix("pom.xml"): text
            for path, text in tree.items()
            if f"/{path}".endswith("/pom.xml")
        }
        projects = {folder: project for folder, text in poms.items() if (project := parsed(text)) is not None}
        self._folders = sorted(projects, key=len, reverse=True)
        homes = {text_of(project.find("artifactId")): folder for folder, project in projects.items()}
        self._uses = {
            folder: {
                homes[name]
                for element in project.iterfind("dependencies/dependency/artifactId")
                if (name := text_of(element)) in homes
            }
            for folder, project in projects.items()
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
